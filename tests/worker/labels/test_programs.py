"""Items of codeio that nobody can answer are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rgenv.tasks.programs import source
from rgenv.worker.problem_maker import corrected
from tests.support.entries import made

CODE = "but not copy spans of code directly.\n\ndef main_solution(**kwargs):\n    return kwargs\n"
ASKS_FOR_INPUT = "\n\nCan you predict a feasible input without writing any code?"


def entry(question: str, given: Any, output: Any) -> dict[str, Any]:
    metadata = {"input_data": given, "output_data": output}
    return {"question": question + CODE, "answer": json.dumps(output), "metadata": metadata}


@pytest.mark.parametrize(
    ("question", "given", "output", "kept"),
    [
        ("", {"n": 1}, {"n": 1}, True),
        (ASKS_FOR_INPUT, {"n": 1}, {"n": 1}, True),
        ("", {"n": 1}, {"n": 2}, False),  # not what the program returns
        ("", {}, {}, False),  # the program failed
        (ASKS_FOR_INPUT, {}, {}, False),  # no input
    ],
)
def test_an_item_is_kept_if_its_program_agrees(
    question: str, given: Any, output: Any, kept: bool
) -> None:
    """The program has to return the output for the input that is shown."""
    item = entry(question, given, output)
    assert (corrected("codeio", item) is item) == kept


def test_listed_programs_of_the_library_are_refused() -> None:
    """About one in twelve of the library's programs is listed, and none of its items is kept."""
    listed = 0
    for seed in range(40):
        _, item = made("codeio", seed)
        if source.is_unreproducible(str(source.code_of(item["question"]))):
            listed += 1
            assert corrected("codeio", item) is None
    assert 1 <= listed <= 10
