"""The modules of a user's own tasks are found before a worker starts."""

from pathlib import Path

import pytest

from rgenv import ReasoningGym
from rgenv.errors import BadUsage


def test_a_module_that_is_missing_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match=r"no_such\.py does not exist"):
        ReasoningGym(task_modules=[str(tmp_path / "no_such.py")])
