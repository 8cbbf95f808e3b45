"""rgenv/catalog/descriptions.py: our words about each task."""

import re

import pytest

from rgenv.catalog.descriptions import DESCRIPTIONS, KINDS
from rgenv.task_names import KNOWN_TASKS
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
    """Each task of the release has one sentence and a kind; nothing else is described."""
    assert DESCRIPTIONS.keys() == KNOWN_TASKS.keys()
    for task, (kind, text) in DESCRIPTIONS.items():
        assert kind in KINDS, task
        assert text[0].isupper() and text.endswith((".", ").")) and len(text) <= 64, task
    assert len({about.text for about in DESCRIPTIONS.values()}) == len(DESCRIPTIONS)
    assert {about.kind for about in DESCRIPTIONS.values()} == KINDS.keys()


@pytest.mark.parametrize("kind", LOOKS)
def test_answers_look_like_their_kind(kind: str) -> None:
    """The first reference answer of each task is of the kind that its description names."""
    assert len(ANSWERS) == len(KNOWN_TASKS) - 1
    for task, answer in ANSWERS.items():
        if DESCRIPTIONS[task].kind == kind:
            assert re.fullmatch(LOOKS[kind], answer, re.DOTALL), (task, answer)
