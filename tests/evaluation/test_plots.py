"""rgenv/evaluation/plots.py: tables and plots."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.metrics import Estimate, LengthBin
from rgenv.evaluation.plots import (
    evaluation_plots,
    interval_plot,
    length_plot,
    level_plot,
    score_plot,
)
from rgenv.text import table


def test_a_table_has_straight_columns_and_a_total() -> None:
    """The first column stands left, numbers stand right, the last line below a rule."""
    assert table(("task", "score"), [("gcd", "0.75"), ("chain_sum", "1")], last=("all", "0.9")) == (
        "task       score\n"
        "----------------\n"
        "gcd         0.75\n"
        "chain_sum      1\n"
        "----------------\n"
        "all          0.9"
    )
    assert table(("a", "b"), []) == "a  b\n----"


def test_a_row_with_another_number_of_cells_is_an_error() -> None:
    """A table with a hole would be read wrongly."""
    with pytest.raises(ValueError, match="zip"):
        table(("a", "b"), [("only one",)])


@pytest.mark.parametrize("count", [0, 1, 3, 105])
def test_a_plot_is_a_picture_that_grows_with_its_rows(tmp_path: Path, count: int) -> None:
    """From nothing at all to every task there is, marked or not."""
    scores = {f"task_{n}": (n / 110, n) for n in range(count)}
    score_plot(scores, title="t", path=tmp_path / "plain.png")
    score_plot(
        scores,
        title="t",
        subtitle="s",
        marked={"task_1"},
        legend=("yes", "no"),
        path=tmp_path / "marked.png",
    )
    for name in ("plain.png", "marked.png"):
        data = (tmp_path / name).read_bytes()
        height = int.from_bytes(data[20:24], "big")
        assert data.startswith(b"\x89PNG") and height >= 100 * (1.8 + 0.3 * max(count, 3)) - 1


def size_of(path: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


@pytest.fixture
def inks() -> dict[str, Any]:
    """Text inside the axes of a plot -> its colour."""
    return {}


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, inks: dict[str, Any]) -> list[str]:
    """Every text that a plot writes inside its axes."""
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
    """Each row gets its mean and its items, and the picture grows with the rows."""
    rows = {f"category_{n}": Estimate(n / 13, n / 20, (n + 6) / 20, n) for n in range(count)}
    interval_plot(rows, title="t", path=tmp_path / "bars.png")
    assert written == [f"{n / 13:.2f}  ({n})" for n in range(count)]
    assert size_of(tmp_path / "bars.png")[1] >= 100 * (1.6 + 0.34 * max(count, 3)) - 1


@pytest.mark.parametrize(("tasks", "columns"), [(0, 1), (5, 1), (36, 1), (37, 2), (105, 3)])
def test_a_heat_map_of_every_task_is_no_taller_than_a_screen(
    tmp_path: Path, written: list[str], tasks: int, columns: int
) -> None:
    """Tasks stand in columns; a cell says its number, one that was not asked says nothing."""
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


@pytest.mark.usefixtures("written")
def test_numbers_are_light_on_dark_and_dark_on_light(tmp_path: Path, inks: dict[str, Any]) -> None:
    """Low accuracy is dark blue, high accuracy yellow."""
    cells = {"gcd": {"0": Estimate(0.9, 0, 1, 5), "1": Estimate(0.1, 0, 1, 5)}}
    level_plot(cells, levels=["0", "1"], title="t", path=tmp_path / "heat.png")
    assert inks == {"0.90": "black", "0.10": "white"}


def test_a_plot_by_length_says_how_many_were_cut(tmp_path: Path, written: list[str]) -> None:
    """A bar for each bin; no bins are a picture as well."""
    bins = [
        LengthBin(1, 90, 8, 0, Estimate(0.5, 0.2, 0.8, 8)),
        LengthBin(91, 2000, 7, 3, Estimate(0.25, 0.0, 0.5, 7)),
    ]
    length_plot(bins, title="t", path=tmp_path / "bins.png")
    length_plot([], title="t", path=tmp_path / "none.png")
    assert written == ["0.50", "0.25"]
    assert size_of(tmp_path / "bins.png") == size_of(tmp_path / "none.png")


def test_an_evaluation_is_drawn_as_far_as_there_is_something(
    tmp_path: Path, written: list[str]
) -> None:
    """Levels where there are several, lengths where they are known, nothing where all failed."""
    plain = {"id": "gcd/1/0/0", "task": "gcd", "level": 0.0, "score": 1.0, "verdict": "scored"}
    other = plain | {"id": "lcm/1/1/0", "task": "lcm", "level": 1.0, "score": 0.0}
    samples = [plain | {"completion_tokens": 7}, other, {"id": "lcm/2/1/0", "error": "x"}]
    names = ["categories.png", "levels.png", "lengths.png"]
    assert evaluation_plots(tmp_path, samples) == [tmp_path / name for name in names]
    assert written == ["0.50  (2)", "1.00", "0.00", "1.00"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert [path.name for path in evaluation_plots(tmp_path, [plain])] == names[:1]
    assert evaluation_plots(tmp_path, samples[2:]) == []
