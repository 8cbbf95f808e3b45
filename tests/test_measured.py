"""rgenv/measured.py: what was measured of each task."""

import pytest

from rgenv import measured
from rgenv.measured import Measured, blind_share


def test_shares_between_measured_levels_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {"gcd": {None: 0.3, 0.0: 0.4, 0.5: 0.2, 1.0: 0.1}, "acre": {None: 0.5}}
    tasks = {task: Measured("", "", blind=each) for task, each in shares.items()}
    monkeypatch.setattr(measured, "TASKS", tasks)
    levels = [None, 0.0, 0.25, 0.5, 0.9, 1.0]
    expected = [0.3, 0.4, 0.3, 0.2, 0.12, 0.1]
    assert [blind_share("gcd", level) for level in levels] == pytest.approx(expected)
    assert blind_share("acre", 0.7) == blind_share("acre", None) == 0.5
