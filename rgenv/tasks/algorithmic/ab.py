"""Rewrite tokens by four rules until none applies."""

import re

from rgenv.tasks import Answer, Answers, Entry, Task, by_library, moving
from rgenv.tasks.answers.lists import joined_items, matching
from rgenv.tasks.symmetries import letter_pattern


class Tokens(Answer):
    """Tokens such as ``A#`` in any form of a list, also next to each other."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, matching(r"(?:[AB]#|#[AB])+"), "")
        return None if found is None else " ".join(re.findall("..", found))


def _tokens(question: str) -> list[str]:
    return question.split("following program:\n\n")[1].split("\n")[0].split()


def shortcuts(question: str) -> Answers:
    tokens = _tokens(question)
    kept: list[str] = []
    for token in tokens:
        if kept and kept[-1] + token in ("A##A", "B##B"):
            kept.pop()
        else:
            kept.append(token)
    surplus = {t: tokens.count(t) - tokens.count(t[::-1]) for t in ("#A", "#B", "A#", "B#")}
    rest = [token for token, count in surplus.items() for _ in range(count)]
    return {
        "remove pairs that touch": " ".join(kept),  # .22
        "remove as many of each letter": " ".join(rest),  # .28
    }


def family(entry: Entry) -> object:
    """Keep the pattern of the tokens; ignore names of tokens, reading backwards."""
    return letter_pattern(_tokens(entry["question"]))


TASK = Task(
    answer=Tokens(),
    verify=by_library,
    shortcuts=shortcuts,
    family=family,
    # From about 30 tokens on, the library keeps only programs that end within 100 rewrites.
    # Programs of fewer than nine tokens seldom need the order of the rules.
    levels=moving(length=[9, 13, 18, 25, 34]),
)
