"""Letters and words in place: credit begins where blind answers end.

Any word has some letters in common with ``ainomma``, and a shuffled sentence some words in place.
What is at most half right earns nothing, and so does what was copied.

Not covered: sentences with more than one right order of their words.
"""

from __future__ import annotations

from collections.abc import Sequence

from rgenv.worker.verifiers.shared import Entry, Library, above, beyond_half

MAX_TEXT = 10_000


def spell_backward(answer: str, entry: Entry, library: Library) -> float:
    """Letters in place beyond two thirds, of which short words have some with many others; the
    library paid 1.0 for the right word and any ending."""
    return above(2 / 3, _share(answer.strip().lower(), str(entry["answer"]).lower()))


def figlet_font(answer: str, entry: Entry, library: Library) -> float:
    """Letters in place beyond two thirds; the library paid 0.1 for each, whatever followed."""
    given, right = (text.replace(" ", "").strip().lower() for text in (answer, entry["answer"]))
    return above(2 / 3, _share(given, right))


def emoji_mystery(answer: str, entry: Entry, library: Library) -> float:
    """Letters in place beyond a half; the library paid 0.16 for as many spaces."""
    return _beyond_half(answer.strip(), str(entry["answer"]).strip())


def sentence_reordering(answer: str, entry: Entry, library: Library) -> float:
    """Words in place beyond a half; the library paid 0.13 for the sentence as it was given."""
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    return _in_order(given, right)


def word_sorting(answer: str, entry: Entry, library: Library) -> float:
    """Words in place beyond a half; the library paid 0.25 for the words as they were given."""
    given = [word.strip() for word in answer[:MAX_TEXT].split(",")]
    return _in_order(given, entry["metadata"]["sorted_words"])


def letter_jumble(answer: str, entry: Entry, library: Library) -> float:
    """Words unscrambled, not counting those that were given whole; the library paid 0.1 for the
    sentence as it was given, and 1.0 for the right one with any ending."""
    if answer.strip().lower() == str(entry["answer"]).strip().lower():
        return 1.0
    given, right = (text[:MAX_TEXT].lower().split() for text in (answer, entry["answer"]))
    copied = " ".join(entry["metadata"]["scrambled_words"]).lower().split()
    return 0.99 * above(_share(copied, right), _share(given, right))


def _in_order(given: list[str], right: list[str]) -> float:
    """Words in place beyond a half, if they are the words that were given."""
    return _beyond_half(given, right) if sorted(given) == sorted(right) else 0.0


def _beyond_half(given: Sequence[str], right: Sequence[str]) -> float:
    return beyond_half(_share(given, right))


def _share(given: Sequence[str], right: Sequence[str]) -> float:
    """How much of `right` is in its place; nothing where the lengths differ."""
    if len(given) != len(right):
        return 0.0
    return sum(a == b for a, b in zip(given, right, strict=True)) / len(right)
