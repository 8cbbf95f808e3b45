"""Tests of rgenv/evaluation/plots.py."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.estimates import Estimate
from rgenv.evaluation.plots import (
    evaluation_plots,
    interval_plot,
    level_plot,
)
from tests.support.samples import sample


def size_of(path: Path) -> tuple[int, int]:
    """Return width and height of a PNG."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


@pytest.fixture
def inks() -> dict[str, Any]:
    """Map each text inside the axes of a plot to its colour."""
    return {}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, inks: dict[str, Any]) -> list[str]:
    """Collect the texts that a plot writes inside its axes."""
    from matplotlib.axes import Axes

    texts: list[str] = []
    real = Axes.text

    def text(self: Axes, x: float, y: float, s: str, **other: Any) -> Any:
        texts.append(s)
        inks[s] = other["color"]
        return real(self, x, y, s, **other)

    monkeypatch.setattr(Axes, "text", text)
    return texts


@pytest.mark.parametrize("count", [0, 1, 13])
def test_bars_with_intervals_keep_their_order_and_numbers(
    tmp_path: Path, written: list[str], count: int
) -> None:
    """Each row shows its mean and its number of problems, and the plot grows with the rows."""
    rows = {f"category_{n}": Estimate(n / 13, n / 20, (n + 6) / 20, n) for n in range(count)}
    interval_plot(rows, dict.fromkeys(rows, 0.3), title="t", path=tmp_path / "bars.png")
    assert written == [f"{n / 13:.2f}  ({n})" for n in range(count)]
    assert size_of(tmp_path / "bars.png")[1] >= 100 * (1.6 + 0.34 * max(count, 3)) - 1


@pytest.mark.parametrize(("tasks", "columns"), [(0, 1), (5, 1), (36, 1), (37, 2), (105, 3)])
def test_a_heat_map_of_all_tasks_fits_on_a_screen(
    tmp_path: Path, written: list[str], tasks: int, columns: int
) -> None:
    """Tasks are in columns, and each cell shows its number; missing cells are empty."""
    other = {"1": Estimate(0.123, 0, 1, 5)}
    cells = {
        f"a_task_{n}": {"0": Estimate(n / 105, 0, 1, 5), **(other if n else {})}
        for n in range(tasks)
    }
    level_plot(cells, levels=["0", "1"], title="t", path=tmp_path / "heat.png")
    assert sorted(written) == sorted(
        f"{e.mean:.2f}" for row in cells.values() for e in row.values()
    )
    width, height = size_of(tmp_path / "heat.png")
    assert height <= 1060 and width >= 350 * columns


def test_plots_without_content_are_left_out(tmp_path: Path, written: list[str]) -> None:
    """Levels are plotted if there are several, lengths if known, and nothing if all failed."""
    plain = sample("gcd", 1, 1.0, level=0.0, completion_tokens=None)
    samples = [
        sample("gcd", 1, 1.0, level=0.0),
        sample("lcm", 1, 0.0, level=1.0, completion_tokens=None),
        sample("lcm", 2, None, level=1.0),
    ]
    names = ["categories.png", "levels.png", "lengths.png"]
    assert evaluation_plots(tmp_path, samples) == [tmp_path / name for name in names]
    assert written == ["0.50  (2)", "1.00", "0.00", "1.00"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert [path.name for path in evaluation_plots(tmp_path, [plain])] == names[:1]
    assert evaluation_plots(tmp_path, samples[2:]) == []
