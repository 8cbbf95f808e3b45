"""docs/sampling.md: the table that scripts/fill_sampling_table.py writes."""

from typing import Any

import pytest

from scripts.fill_sampling_table import BEGIN, DOCUMENT, END, ENOUGH, NEEDED, filled, results


def arm(seeds: int, mean: float) -> dict[str, Any]:
    """Return what a report says of one arm."""
    value = {"mean": mean, "interval": [mean - 0.01, mean + 0.01] if seeds > 1 else None}
    return {"seeds": seeds, "informative groups": 0.4, "mean": value}


def found(seeds: int, **arms: int) -> dict[str, Any]:
    """Return a report in which all needed arms have these seeds, and others theirs."""
    counts = {**dict.fromkeys(NEEDED, seeds), **arms}
    difference = {"seeds": seeds, "mean": 0.02, "interval": [-0.01, 0.05] if seeds > 1 else None}
    return {
        "primary": "mean accuracy",
        "intervals": "95 %",
        "arms": {name: arm(count, 0.3) for name, count in counts.items() if count},
        "differences": {"mean less uniform_curriculum": {"ours": difference}},
    }


@pytest.mark.parametrize("seeds", [1, ENOUGH - 1, ENOUGH])
def test_fewer_than_twelve_seeds_are_no_recommendation(seeds: int) -> None:
    """The page says so, and how many there are; an arm that lags or lacks counts."""
    assert ("no recommendation" in results(found(seeds))) == (seeds < ENOUGH)
    assert "at least 0 seeds" in results(found(ENOUGH, pac=0))
    assert f"at least {seeds} seed" in results(found(ENOUGH, mopps=seeds))
    if seeds > 1:
        row = f"| `ours` | {seeds} | 0.300 | +0.020 [-0.010, +0.050] | – | – | – | 0.40 |"
        assert row in results(found(seeds))


def test_the_page_has_the_place_of_the_table() -> None:
    """Filling it twice is filling it once; a page without the place is refused."""
    once = filled(DOCUMENT.read_text(encoding="utf-8"), "a table")
    assert filled(once, "a table") == once and "There are no results" not in once
    for text in (BEGIN, END):
        with pytest.raises(ValueError, match="the document lacks"):
            filled(text, "a table")
