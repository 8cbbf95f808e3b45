"""rgenv/export/best.py: which rows of a folder are exported."""

import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.exported import exported, problem
from tests.support.samples import sample
from tests.support.viewed import DUMP, FAILED, report, row, trainer_group, write_lines

Rows = list[dict[str, Any]]


def groups(rows: Rows) -> list[str]:
    return [row["group"] for row in rows]


async def of_group(line: dict[str, Any], **wanted: Any) -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        return (await exported(write_lines(Path(folder) / DUMP, line), **wanted))[0]


@pytest.mark.parametrize(
    ("scores", "wanted", "chosen"),
    [
        ([0.99, 1.0, 1.0], {"rewards": [0.99, 0.5, 1.0]}, [(2,)]),
        ([0.99, 1.0, 1.0], {"per_problem": 5}, [(1,), (2,)]),
        ([0.5, 0.2], {}, []),
        ([0.5, 0.2], {"min_score": 0.4}, [(0,)]),
        ([1.0, 0.5, 0.0, 1.0], {"pairs": True}, [(0, 2)]),
        ([1.0, 0.5, 0.0, 1.0], {"pairs": True, "per_problem": 5}, [(0, 2), (3, 1)]),
        ([1.0, 1.0], {"pairs": True, "min_score_spread": 0.0}, []),
        ([1.0, 0.96], {"pairs": True}, []),
        ([1.0, 0.96], {"pairs": True, "min_score_spread": 0.01}, [(0, 1)]),
    ],
)
async def test_the_best_of_a_group(
    scores: list[float], wanted: dict[str, Any], chosen: list[tuple[int, ...]]
) -> None:
    line = problem("a", scores)
    for rollout, reward in zip(line["rollouts"], wanted.pop("rewards", scores), strict=True):
        rollout["score"] = reward
    rows = await of_group(line, **wanted)
    names = ("index_chosen", "index_rejected") if "pairs" in wanted else ("index",)
    assert [tuple(row[name] for name in names) for row in rows] == chosen


TEXT = "Hm.</think>5\ud800\u2028😀"


async def test_conversations_that_are_none_are_left_out() -> None:
    """Contents that are no texts, other prompts and other last speakers are not exported. A message
    begins with what its prompt ended with; halves of surrogate pairs are replaced."""
    line = problem("a", [1.0] * 5, texts=[TEXT, *"bcde"], opening="<think>\n")
    line["rollouts"][1]["conversation"][1]["content"] = "Another question?"
    line["rollouts"][2]["conversation"][-1]["role"] = "user"
    line["rollouts"][3]["conversation"][0]["content"] = [{"type": "text"}]
    line["rollouts"][4]["conversation"] = []
    [found] = await of_group(line, per_problem=9)
    written = TEXT.replace("\ud800", "\ufffd")
    assert found["messages"][-1]["content"] == f"<think>\n{written}"


async def test_everything_of_a_run_is_read(tmp_path: Path) -> None:
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
        "Left out: 2 samples of evaluations; 1 group in which no completion scores 0.99; "
        "1 line without an end; 3 lines without a group."
    )


async def test_held_out_problems_are_left_out(tmp_path: Path) -> None:
    lines = [problem(name, number=n) for name, n in zip("abcd", (1, 2, 2, 3), strict=True)]
    write_lines(tmp_path / DUMP, *lines, problem("e", number=5, recipe={}, seed=None))
    rows, found = await exported(tmp_path)
    assert groups(rows) == ["a", "d"]
    assert found.left_out["held out"] == 2 and found.left_out["unknown"] == 1


async def test_a_group_that_is_saved_twice_is_exported_once(tmp_path: Path) -> None:
    saved = problem("a", [1.0, 1.0])
    messages = [rollout["conversation"] for rollout in saved["rollouts"]]
    about = {"kinds": ["scored"] * 2, "finish_reasons": ["stop"] * 2}
    about |= {name: saved["metadata"][name] for name in ("group_id", "task", "config")}
    line = trainer_group("a", [0.5, 1.0], messages=messages, group_overrides=about | {"seed": 1})
    for names in ("a.jsonl", "z.jsonl"), ("z.jsonl", "a.jsonl"):
        folder = tmp_path / names[0]
        write_lines(folder / names[0], saved)
        write_lines(folder / names[1], line, line)
        rows, found = await exported(folder, per_problem=5)
        assert [row["score"] for row in rows] == [1.0, 1.0]
        assert found.left_out["copies"] == 2
    write_lines(tmp_path / "alone.jsonl", line)
    rows, _ = await exported(tmp_path / "alone.jsonl", pairs=True)
    assert [row["score_rejected"] for row in rows] == [0.5]


async def test_at_most_some_rows_of_a_problem(tmp_path: Path) -> None:
    first, second = problem("a", [1.0, 1.0]), problem("b", [1.0, 1.0])
    write_lines(tmp_path / "1" / DUMP, first)
    write_lines(tmp_path / "2" / DUMP, second, problem("c", texts=["<answer>a 0</answer>", ""]))
    assert len((await exported(tmp_path))[0]) == 1
    rows, found = await exported(tmp_path, per_problem=9)
    assert groups(rows) == ["a", "a", "b", "b"]
    assert found.left_out["again"] == 1 and found.problems == 1


async def test_a_problem_that_was_asked_again(tmp_path: Path) -> None:
    for order in ([1, 2], [2, 1]):
        folder = tmp_path / str(order)
        for number in order:
            write_lines(folder / DUMP, problem(f"g{number}", [1.0], run="r", time=float(number)))
        rows, found = await exported(folder, per_problem=2)
        assert groups(rows) == ["g2"]
        assert (found.left_out["superseded"], found.left_out["again"]) == (1, 0)


async def test_filters(tmp_path: Path) -> None:
    write_lines(tmp_path / DUMP, problem("a"), problem("b", number=3, task="lcm", level=0.2))
    write_lines(tmp_path / DUMP, problem("c", number=5, level=None))
    for wanted, left in (
        ({"tasks": frozenset({"lcm"})}, ["b"]),
        ({"min_level": 0.3}, ["a"]),
        ({"max_level": 0.3}, ["b"]),
        ({"min_level": 0.1, "max_level": 1.0}, ["a", "b"]),
    ):
        rows, found = await exported(tmp_path, **wanted)
        assert groups(rows) == left and found.left_out["filtered"] == 3 - len(left)


@pytest.mark.parametrize(
    ("metadata", "reason", "number"),
    [
        ({"finish_reasons": ["length", "stop"]}, "cut", 1),
        *[({"verdicts": [kind, "scored"]}, "failed", 1) for kind in ("error", "crashed", "new")],
        ({"verdicts": None}, "unjudged", 2),
        ({"finish_reasons": None}, "unjudged", 2),
        ({"raw_scores": [7.0, 1.0]}, "failed", 1),
        ({"texts": [" \n", "right"]}, "empty", 1),
    ],
)
async def test_completions_that_are_left_out(
    tmp_path: Path, metadata: dict[str, Any], reason: str, number: int
) -> None:
    line = row("g", [1.0, 1.0], **{"recipe": {"seed": 1}, "texts": ["one", "two"], **metadata})
    rows, found = await exported(write_lines(tmp_path / DUMP, line), per_problem=2)
    assert len(rows) == 2 - number and +found.left_out == {reason: number}
