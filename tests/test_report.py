"""rgenv/report.py: tables and plots."""

from pathlib import Path

import pytest

from rgenv.report import score_plot, table


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
    score_plot(scores, title="t", subtitle="s", marked={"task_1"}, legend=("yes", "no"),
               path=tmp_path / "marked.png")  # fmt: skip
    for name in ("plain.png", "marked.png"):
        data = (tmp_path / name).read_bytes()
        height = int.from_bytes(data[20:24], "big")
        assert data.startswith(b"\x89PNG") and height >= 100 * (1.8 + 0.3 * max(count, 3)) - 1
