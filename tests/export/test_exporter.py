"""rgenv/export/exporter.py: what of a folder is exported."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.export.exporter import Wanted
from tests.support.exported import exported, problem
from tests.support.samples import sample
from tests.support.viewed import DUMP, FAILED, report, trainer_group, write_lines


def groups(rows: list[dict[str, Any]]) -> list[str]:
    return [row["group"] for row in rows]


async def test_everything_of_a_run_is_read(tmp_path: Path) -> None:
    """Unfinished files and failed groups are read; samples, metrics and foreign lines are not."""
    write_lines(tmp_path / "dumps" / DUMP, problem("a"))
    write_lines(tmp_path / "dumps" / f"{DUMP}.x.jsonl", problem("b", number=3))
    write_lines(tmp_path / "dumps" / FAILED, problem("c", [0.0, 0.0], 5))
    write_lines(tmp_path / "samples.jsonl", *[sample("gcd", seed, 1.0) for seed in (1, 3)])
    write_lines(tmp_path / "metrics.jsonl", report(1, 2.0))
    write_lines(tmp_path / "other.jsonl", {"text": "mine"}, {"step": "x"}, b"[", b"\n{")
    write_lines(tmp_path / "best.jsonl", {"messages": [], "group": "a"})
    rows, found = await exported(tmp_path)
    assert groups(rows) == ["a", "b"]
    assert found.summary == (
        "Left out: 2 samples of evaluations; 1 groups in which no completion scores 0.99; "
        "1 lines that are still being written; 3 lines that are no groups."
    )


async def test_held_out_problems_are_left_out(tmp_path: Path) -> None:
    """All groups of a held-out problem are counted; so are those of which nobody can tell."""
    lines = [problem("a"), problem("b", number=2), problem("c", number=2), problem("d", number=3)]
    write_lines(tmp_path / DUMP, *lines, problem("e", number=5, recipe={}, seed=None))
    rows, found = await exported(tmp_path)
    assert groups(rows) == ["a", "d"]
    assert found.left_out["held out"] == 2 and found.left_out["unknown"] == 1


async def test_a_group_that_is_saved_twice_is_exported_once(tmp_path: Path) -> None:
    """The saved group counts, which has scores, whichever file is read first."""
    saved = problem("a", [1.0, 1.0])
    messages = [rollout["conversation"] for rollout in saved["rollouts"]]
    about = {
        **{name: saved["metadata"][name] for name in ("group_id", "task", "config", "seed")},
        "kinds": ["scored"] * 2,
        "finish_reasons": ["stop"] * 2,
    }
    line = trainer_group("a", [0.5, 1.0], messages=messages, group_overrides=about | {"seed": 1})
    for names in ("a.jsonl", "z.jsonl"), ("z.jsonl", "a.jsonl"):
        folder = tmp_path / names[0]
        write_lines(folder / names[0], saved)
        write_lines(folder / names[1], line, line)
        rows, found = await exported(folder, per_problem=5)
        assert [row["score"] for row in rows] == [1.0, 1.0]
        assert found.left_out["copies"] == 2 and found.groups == 1
    write_lines(tmp_path / "alone.jsonl", line)
    rows, _ = await exported(tmp_path / "alone.jsonl", pairs=True)
    assert [row["score_rejected"] for row in rows] == [0.5]


async def test_at_most_some_rows_of_a_problem(tmp_path: Path) -> None:
    """The same problem in several files counts once, and equal texts are one row."""
    first, second = problem("a", [1.0, 1.0]), problem("b", [1.0, 1.0])
    write_lines(tmp_path / "1" / DUMP, first)
    write_lines(tmp_path / "2" / DUMP, second, problem("c", texts=["<answer>a 0</answer>", ""]))
    assert len((await exported(tmp_path))[0]) == 1
    rows, found = await exported(tmp_path, per_problem=9)
    assert groups(rows) == ["a", "a", "b", "b"]
    assert found.left_out["again"] == 1 and found.problems == 1


async def test_a_problem_that_was_asked_again(tmp_path: Path) -> None:
    """Of the groups of a problem in one run, only the last one counts, in whatever file it is."""
    for order in ([1, 2], [2, 1]):
        folder = tmp_path / str(order)
        for number in order:
            write_lines(folder / DUMP, problem(f"g{number}", [1.0], run="r", time=float(number)))
        rows, found = await exported(folder, per_problem=2)
        assert groups(rows) == ["g2"]
        assert (found.groups, found.left_out["superseded"], found.left_out["again"]) == (1, 1, 0)


@pytest.mark.parametrize(
    ("wanted", "left"),
    [
        (Wanted(), ["a", "b", "c"]),
        (Wanted(tasks=frozenset({"lcm"})), ["b"]),
        (Wanted(min_level=0.3), ["a"]),
        (Wanted(max_level=0.3), ["b"]),
        (Wanted(min_level=0.1, max_level=1.0), ["a", "b"]),
    ],
)
async def test_filters(tmp_path: Path, wanted: Wanted, left: list[str]) -> None:
    """Tasks and levels are chosen; default parameters have no level."""
    write_lines(tmp_path / DUMP, problem("a"), problem("b", number=3, task="lcm", level=0.2))
    write_lines(tmp_path / DUMP, problem("c", number=5, level=None))
    rows, found = await exported(tmp_path, wanted=wanted)
    assert groups(rows) == left and found.left_out["filtered"] == 3 - len(left)


line = st.tuples(
    st.integers(1, 6),
    st.lists(st.sampled_from([0.0, 0.97, 1.0]), min_size=1, max_size=4),
    st.lists(st.sampled_from(["stop", "length"]), min_size=4, max_size=4),
    st.lists(st.sampled_from(["scored", "no_answer", "timeout"]), min_size=4, max_size=4),
)


@given(st.lists(line, max_size=8), st.booleans(), st.integers(1, 3))
def test_what_is_never_exported(found: list[Any], pairs: bool, most: int) -> None:
    """No held-out problem, no cut or unjudged completion, no pair without spread, no Nth+1 row."""
    lines = {
        str(place): problem(
            str(place),
            scores,
            number,
            finish_reasons=reasons[: len(scores)],
            verdicts=verdicts[: len(scores)],
        )
        for place, (number, scores, reasons, verdicts) in enumerate(found)
    }
    with tempfile.TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / DUMP, *lines.values())
        rows, counts = asyncio.run(exported(path, pairs=pairs, per_problem=most))
        assert rows == asyncio.run(exported(path, pairs=pairs, per_problem=most))[0]
    for row in rows:
        about = lines[row["group"]]["metadata"]
        assert about["recipe"]["seed"] % 2 == 1
        for name in ("index_chosen", "index_rejected") if pairs else ("index",):
            assert about["finish_reasons"][row[name]] == "stop"
            assert about["verdicts"][row[name]] != "timeout"
        if pairs:
            assert row["score_chosen"] - row["score_rejected"] >= 0.05
    recipes = [row["recipe"] for row in rows]
    assert all(recipes.count(recipe) <= most for recipe in recipes)
    assert counts.rows == len(rows) and counts.groups == len(lines)
