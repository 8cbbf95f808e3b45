"""rgenv/evaluation/rescore.py: an honest dump agrees, and any change to it is reported."""

import json
from pathlib import Path
from typing import Any

import pytest

from rgenv.dialogue.reading import READING
from rgenv.evaluation.rescore import MOST_SHOWN, RescoreReport, dump_files, rescore
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.recorder import RolloutDump
from tests.support import samples
from tests.support.dumps import group_row

Row = dict[str, Any]


async def honest_row(
    pool: WorkerPool, *texts: str, task: str = "chain_sum", seed: int = 7, opened: bool = False
) -> Row:
    problem = await pool.make(task, seed)
    answers = [READING.answer(f"<think>\n{text}" if opened else text) for text in texts]
    verdicts = await pool.score(problem, answers)
    raw = [verdict.score for verdict in verdicts]
    conversations = [[*problem.messages, {"role": "assistant", "content": text}] for text in texts]
    about = {"recipe": problem.recipe, "answer": problem.answer, "raw_scores": raw}
    about |= {"opening": "<think>\n" if opened else "", "verdicts": [one.kind for one in verdicts]}
    return group_row(task, conversations, raw, metadata=about)


def saved(folder: Path, *rows: Row) -> Path:
    dump = RolloutDump(folder, run_id="t", batch_size=100)
    for row in rows:
        assert dump.add(row)
    dump.close()
    [path] = folder.glob("*.jsonl")
    return path


async def rescored(pool: WorkerPool, folder: Path, *rows: Row) -> RescoreReport:
    return await rescore([saved(folder, *rows)], pool, calls=2)


MIXED = ("<answer>156</answer>", "<answer>7</answer>", "no tags", "<answer></answer>")


async def test_an_honest_dump_agrees(pool: WorkerPool, tmp_path: Path) -> None:
    old, new = [await honest_row(pool, *MIXED) for _ in range(2)]
    old["metadata"]["source"] = "0123456789abcdef"
    new["metadata"]["source"] = pool.coverage.source("chain_sum")
    clarified = await honest_row(pool, "<answer>2</answer>", task="coin_flip")
    assert "Answer with a fraction" in clarified["rollouts"][0]["conversation"][-2]["content"]
    text = "It is <answer>156</answer>, I think, but"
    opened = await honest_row(pool, text, f"{text}</think><answer>156</answer>", opened=True)
    report = await rescored(pool, tmp_path, old, new, clarified, opened)
    assert report.agrees and report.summary == (
        "4 groups, 11 rollouts: 100.00 % score as they were saved; "
        "groups from another source of reasoning-gym: chain_sum (1)"
    )


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("metadata raw_scores 1", None, "no score"),
        ("rollouts 0 conversation 1 content", "2 + 2?", "another question"),
        ("metadata recipe seed", None, "seed"),
        ("metadata recipe task", "no_such_task", "no_such_task"),
        ("rollouts 0 conversation", [], "does not end with the model"),
        ("rollouts 0 conversation -1 content", None, "does not end with the model"),
    ],
)
async def test_a_row_that_cannot_be_compared_is_an_error(
    pool: WorkerPool, tmp_path: Path, path: str, value: Any, words: str
) -> None:
    rows = [await honest_row(pool, *MIXED) for _ in range(3)]
    *way, last = (int(key) if key.lstrip("-").isdigit() else key for key in path.split())
    damaged: Any = rows[1]
    for key in way:
        damaged = damaged[key]
    damaged[last] = value
    report = await rescored(pool, tmp_path, *rows)
    [error] = report.errors
    assert words in error and ".jsonl:2: " in error
    assert not report.agrees and report.groups == 2 and not report.disagreements


async def test_a_folder_of_a_run_is_read_at_any_depth(pool: WorkerPool, tmp_path: Path) -> None:
    row = await honest_row(pool, *MIXED)
    saved(tmp_path / "run" / "rollouts", row)
    sample = samples.sample(
        "chain_sum", 7, text="<answer>156</answer>", recipe=row["metadata"]["recipe"]
    )
    conversation = row["rollouts"][0]["conversation"]
    sample |= {"question": conversation[-2]["content"], "messages": conversation}
    failed = {name: sample[name] for name in sample if name != "score"} | {"error": "no reply"}
    lines = [sample, failed, {"scores": [1.0], "masks": [[1]]}, {"step": 1, "time": 2.0}]
    (tmp_path / "run" / "samples.jsonl").write_text("\n".join(map(json.dumps, lines)))
    exported = {"messages": conversation, "score": 1.0, "recipe": json.dumps(sample["recipe"])}
    (tmp_path / "run" / "best.jsonl").write_text(json.dumps(exported))
    report = await rescore(dump_files([str(tmp_path)]), pool, calls=2)
    assert report.agrees and report.groups == 2 and "; 4 lines have no scores" in report.summary
    sample["score"] = 0.0
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample))
    assert len((await rescore([tmp_path / "samples.jsonl"], pool, calls=2)).disagreements) == 1


async def test_torn_lines_are_counted(pool: WorkerPool, tmp_path: Path) -> None:
    path = saved(tmp_path, await honest_row(pool, *MIXED))
    whole = path.read_bytes()
    path.write_bytes(b"\xff\xfe\n[1]\nnull\n" + whole + whole[:-40])
    report = await rescore([path], pool, calls=2)
    assert [error.split(": ")[0][-2:] for error in report.errors] == [":1", ":2", ":3", ":5"]
    assert report.groups == 1 and "4 lines can't be compared" in report.summary
    path.write_text("x\n" * 50)
    report = await rescore([path], pool, calls=2)
    assert (report.damaged, len(report.errors)) == (50, MOST_SHOWN)
