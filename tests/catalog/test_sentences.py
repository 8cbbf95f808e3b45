"""What the list of tasks says of each task: rgenv/catalog/entries.py and rgenv/measured.json."""

import re

import pytest

from rgenv.catalog.entries import KINDS
from rgenv.measured import TASKS
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "TASKS.md").read_text(encoding="utf-8")
ANSWERS = {
    task: answer
    for task, answer in re.findall(
        r"<summary>(\w+)</summary>(?:(?!</details>).)*?\nAnswer:\n\n`{3,}text\n(.*?)\n`{3,}\n",
        PAGE,
        re.DOTALL,
    )
}
"""Task -> the reference answer of its first problem, as docs/TASKS.md has it."""

LOOKS = {
    "number": r".*\d.*|[ivxlcdm]+",
    "yes/no": "Yes|No|True|False",
    "grid": r".*\n.*|\[\[.*",
    "list": r".*[ ,].*|\[.*\]|[\w.-]+",
    "mapping": r".*[=:].*",
    "sentence": r".*\.",
    "word": r"\S+",
    "choice": r"[\w-]+",
    "text": r".* .*",
    "expression": r".*",
    "moves": r".*",
}
"""What an answer of each kind looks like."""


def test_every_task_is_described() -> None:
    """Each task has one sentence of its own, and a kind of answers."""
    for task, one in TASKS.items():
        assert one.asks[0].isupper() and one.asks.endswith((".", ").")), task
        assert "\n" not in one.asks and len(one.asks) <= 64, task
    assert len({one.asks for one in TASKS.values()}) == len(TASKS)
    assert {one.answer for one in TASKS.values()} == KINDS.keys()


@pytest.mark.parametrize("kind", LOOKS)
def test_answers_look_like_their_kind(kind: str) -> None:
    """The first reference answer of each task is of the kind that its file names."""
    assert len(ANSWERS) == len(TASKS) - 1
    for task, answer in ANSWERS.items():
        if TASKS[task].answer == kind:
            assert re.fullmatch(LOOKS[kind], answer, re.DOTALL), (task, answer)
