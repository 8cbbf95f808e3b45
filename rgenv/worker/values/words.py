"""Read words and truth values.

A word is the same in any case, and ``daughter in law`` is ``daughter-in-law``. Text that has to be
exact, such as the output of a program, stays as it is.

Not here: sentences (sentences.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from rgenv.worker.entry import Entry
from rgenv.worker.values.kind import Kind, plain_text

MAX_CHARS = 20_000
"""Characters of a text that is compared. Right answers have at most 3,000."""
_HYPHENS = re.compile(r"[\s‐‑–-]+")


def fixed_word(text: str, entry: Entry) -> str | None:
    """Read a word, or a few, of which neither case nor the width of spaces matters."""
    if len(text) > MAX_CHARS:
        return None
    reference = str(entry["answer"])
    given, right = (" ".join(each.split()) for each in (text, reference))
    return reference if given.casefold() == right.casefold() else given


def hyphenated_word(text: str, entry: Entry) -> str | None:
    """Read words that are joined by hyphens or by spaces, in any case."""
    if len(text) > MAX_CHARS:
        return None
    reference = str(entry["answer"])
    given, right = (_HYPHENS.sub("-", each.strip()).casefold() for each in (text, reference))
    return reference if given == right else given


def bare_text(text: str, entry: Entry) -> str | None:
    """Read a text that is the same to the letter."""
    return text.strip()


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        **dict.fromkeys(
            """
            acre color_cube_rotation course_schedule game_of_life_halting isomorphic_strings
            mahjong_puzzle needle_haystack ransom_note syllogism zebra_puzzles
            """.split(),
            fixed_word,
        ),
        **dict.fromkeys(
            "bf palindrome_generation spell_backward string_insertion string_manipulation".split(),
            bare_text,
        ),
        "codeio": plain_text,  # its verifier parses JSON
        "family_relationships": hyphenated_word,
        "figlet_font": plain_text,  # spaces between letters are the verifier's business
    }
)
