"""scripts/install_trainer.py: what is installed for the tests against other trainers."""

from __future__ import annotations

import re

import pytest

from scripts import install_trainer
from tests.support.paths import ROOT


@pytest.mark.parametrize("words", [[], ["trl"], ["atropos", "folder"]])
def test_a_trainer_and_a_folder_are_needed(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, with the usage, which has the trainers."""
    assert install_trainer.main(words) == 2
    assert "install_trainer.py {trl,verifiers,inspect,verl} FOLDER" in capsys.readouterr().err


def test_versions_are_exact() -> None:
    """The tests run against the same versions each time."""
    for _, requirements in install_trainer.TRAINERS.values():
        assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in requirements)


def test_make_knows_the_trainers() -> None:
    """`make soak` installs each of them."""
    makefile = (ROOT / "Makefile").read_text()
    assert f"TRAINERS := {' '.join(install_trainer.TRAINERS)}  #" in makefile
