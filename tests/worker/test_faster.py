"""What replaces slow functions of the library; recordings have the problems that it makes."""

import pytest
from reasoning_gym import create_dataset

from tests.support.library import replace_slow_functions
from tests.support.timing import processor_seconds


def test_what_takes_the_library_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that needs ten colours, a program that never ends, numbers of millions of digits."""
    replace_slow_functions(monkeypatch)
    with processor_seconds(5.0):
        with pytest.raises(ValueError, match="without end"):
            create_dataset("arc_1d", size=1, seed=142, min_size=50, max_size=50)[0]
        dataset = create_dataset("bf", size=1, seed=0, difficulty=3)
        source = "int target = 255; int x = 2; int y = 2; if (acc > 250) {"
        monkeypatch.setattr(dataset, "generate_bfit_code", lambda difficulty, rng: source)
        with pytest.raises(ValueError, match="too many steps"):  # twos never make 255
            dataset[0]
        entry = create_dataset("number_sequence", size=1, seed=3123)[0]
        assert entry["question"].startswith("0, 2, 4, 6, ?") and entry["answer"] == "8"
