"""reasoning_gym_environment.py: groups saved to disk."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import RolloutsLost
from rgenv.evaluation.rescore import rescore
from rgenv.pages.group_rows import Row, read_line
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem, Verdict
from tests.conftest import MakeEnv
from tests.support.dumps import Disk, dump_rows
from tests.support.environments import Solver, collect
from tests.support.pools import PoolDouble

FAILED = "FAILED_rollouts"


async def test_a_command_that_lost_groups_fails(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    solver = Solver()
    env = await make_env(solver, task_names=["gcd"], dump_rollouts=True, outage_patience=0.2)
    Disk(monkeypatch, full=True)

    with pytest.raises(RolloutsLost, match=r"dumps took no group for 0.2 s: free disk"):
        await env.run_command("embedded", lambda: collect(env, solver))
    assert "dumps took no group for 0.2 s" in caplog.messages[-1]


FAILS = {"RAISES": "error", "HANGS": "timeout", "CRASHES": "crashed"}
"""Answer -> the verdict that the hook gives it."""


class RandomFaults:
    """A server and a `score` hook that fail at random; completions show what they deserve."""

    def __init__(self, pool: WorkerPool, seed: int) -> None:
        self.pool, self.dice = pool, random.Random(seed)
        self.answer, self.number = "", 0

    def __call__(self, _prompt: str, n: int) -> list[tuple[str, str]]:
        count = n if self.dice.random() < 0.7 else self.dice.randrange(n + 1)
        right = [f"<answer>{self.answer}</answer>"]
        wrong = [f"<answer>{word}</answer>" for word in ("none", "", *FAILS)]
        wrong += ["no tags", "<answer>a</answer>" * 2]
        written = right if self.dice.random() < 0.4 else right + wrong
        reasons = self.dice.choices(["stop", "length"], k=count)
        return [(self.completion(written), reason) for reason in reasons]

    def completion(self, written: list[str]) -> str:
        self.number += 1
        thought = f"<think>{self.number}{' and' * self.dice.randrange(0, 320, 40)}</think>"
        return thought + self.dice.choice(written)

    def expected(self, text: str, answer: str) -> tuple[float, str]:
        after = text.split("</think>")[1]
        for word, kind in FAILS.items():
            if word in after:
                return 0.0, kind
        if after.count("<answer>") != 1 or "<answer></answer>" in after:
            return 0.0, "no_answer"
        return float(f"<answer>{answer}</answer>" == after), "scored"

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        verdicts = await self.pool.score(problem, answers)
        return [
            Verdict(0.0, FAILS[answer]) if answer in FAILS else verdict
            for answer, verdict in zip(answers, verdicts, strict=True)
        ]


@pytest.mark.parametrize("seed", range(4))
async def test_each_conversation_keeps_its_own_score(
    make_env: MakeEnv, pool: WorkerPool, tmp_path: Path, seed: int
) -> None:
    faults = RandomFaults(pool, seed)
    env = await make_env(
        faults,
        pool=PoolDouble(pool, score=faults.score),
        task_names=["gcd"],
        dump_rollouts=True,
        dump_failed_rollouts=True,
        rollout_save_score_threshold=0.0,
        max_token_length=800,
    )
    sent = {}
    for _ in range(12):
        item = await env.get_next_item()
        faults.answer = str(item.answer)
        group, _ = await env.collect_trajectories(item)
        if group is not None:
            sent[group["group_overrides"]["group_id"]] = group
    await env.close()
    saved = dump_rows(tmp_path / "dumps", FAILED) + dump_rows(tmp_path / "dumps")
    assert len(saved) == len(sent) > 3
    for row in saved:
        meta, group = row["metadata"], sent[row["metadata"]["group_id"]]
        for place, rollout in enumerate(row["rollouts"]):
            text = rollout["conversation"][-1]["content"]
            score, kind = faults.expected(text, meta["answer"])
            assert (meta["raw_scores"][place], meta["verdicts"][place]) == (score, kind)
            assert rollout["score"] == group["scores"][place]
            assert group["messages"][place][-1]["content"] == text
            cut = meta["finish_reasons"][place] == "length"
            masked = cut or kind in ("error", "crashed")
            assert masked or rollout["score"] <= score
            assert group["overrides"][place] == ({"set_advantage_to_zero": True} if masked else {})


async def test_a_row_names_the_format_of_its_answers(
    make_env: MakeEnv, tmp_path: Path, pool: WorkerPool
) -> None:
    solver = Solver()
    env = await make_env(
        lambda prompt, n: [(f"[T]\\boxed{{5}}[/T]\\boxed{{{solver.answer}}}", "stop")] * n,
        task_names=["gcd"],
        dump_rollouts=True,
        answer_format="boxed",
        system_prompt="none",
        question_template="{question}\nPut your answer into \\boxed{}.",
        think_tags="[T],[/T]",
        examples=1,
    )
    item, group = await collect(env, solver)
    assert await env.score_completions(item, [f"\\boxed{{{item.answer}}}"]) == [1.0]
    await env.close()
    [row] = dump_rows(tmp_path / "dumps")
    named = {"answer_format": "boxed", "think_tags": ["[T]", "[/T]"]}
    assert row["metadata"]["recipe"] == item.recipe and named.items() <= item.recipe.items()
    roles, texts = zip(*(one.values() for one in row["rollouts"][0]["conversation"]), strict=True)
    assert roles == ("user", "assistant") * 2 and texts[1].startswith("\\boxed{")
    assert texts[0].endswith("}.") and texts[0] != texts[2] == item.messages[-1]["content"]
    assert row["metadata"]["raw_scores"] == [1.0] * 4
    [file] = (tmp_path / "dumps").glob("*.jsonl")
    assert (await rescore([file], pool, calls=2)).agrees
    for line in (json.dumps(row), json.dumps(group)):
        shown = read_line(line.encode(), "")
        assert isinstance(shown, Row)
        parts = shown.texts()["completions"][0]["parts"]
        assert [kind for kind, _ in parts] == ["thinking", "text", "answer", "text"]
        assert parts[2][1] == item.answer
