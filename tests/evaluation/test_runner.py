"""rgenv/evaluation/runner.py: every item is asked, and every answer kept."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from rgenv.errors import NothingAnswers
from rgenv.evaluation import runner
from rgenv.evaluation.runner import EvaluationRunner, Reply, summary
from rgenv.evaluation.sample_log import SampleLog, read
from rgenv.types import Problem, Verdict

ITEMS = [Problem("gcd", n, None, {}, f"Question {n}?", str(n)) for n in range(12)]


class Model:
    """Answers right but for the seeds in `wrong`; fails as often as `failing` says."""

    def __init__(self, wrong: Sequence[int] = (), failing: dict[int, int] | None = None) -> None:
        self.wrong, self.failing = wrong, dict(failing or {})
        self.asked: list[int] = []
        self.at_once = self.most_at_once = 0

    async def ask(self, item: Problem) -> Reply:
        self.asked.append(item.seed)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0.001)
        self.at_once -= 1
        if self.failing.get(item.seed, 0) > 0:
            self.failing[item.seed] -= 1
            raise ConnectionError("away")
        text = "no" if item.seed in self.wrong else str(item.answer)
        messages = [{"role": "user", "content": item.question}]
        return Reply(messages, f"<think>x</think> <answer>{text}</answer>", "stop", 9)

    async def score(self, item: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(float(answer == item.answer), "scored") for answer in answers]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAUSES", (0.0, 0.0))


async def test_every_sample_of_every_item_comes_in_order() -> None:
    """With what was asked, what was answered, what was right, and what became of it."""
    model = Model(wrong=[3])
    asker = EvaluationRunner(
        model.ask, model.score, samples_each=2, categories={"gcd": "arithmetic"}
    )
    samples = await asker.run(ITEMS)
    assert [s["id"] for s in samples] == [f"gcd/{n}/none/{k}" for n in range(12) for k in (0, 1)]
    assert [s["correct"] for s in samples[4:10]] == [True, True, False, False, True, True]
    one = samples[6]
    assert one["messages"][-1] == {
        "role": "assistant",
        "content": "<think>x</think> <answer>no</answer>",
    }
    assert one["response_after_think"] == "<answer>no</answer>"
    assert (one["model_parsed"], one["gold_answer"], one["score"]) == ("no", "3", 0.0)
    assert (one["category"], one["verdict"], one["completion_tokens"]) == (
        "arithmetic",
        "scored",
        9,
    )
    assert summary(samples) == "24 answers, 0 errors, accuracy 0.917"


async def test_so_many_are_under_way_and_no_more() -> None:
    """The servers' own limit."""
    model = Model()
    await EvaluationRunner(model.ask, model.score, at_once=3).run(ITEMS)
    assert model.most_at_once == 3


async def test_a_failing_item_is_asked_again_and_loses_no_other() -> None:
    """Two failures are ridden out, three are an error row with its reason."""
    model = Model(failing={2: 2, 5: 3})
    samples = await EvaluationRunner(model.ask, model.score).run(ITEMS)
    assert samples[2]["correct"]
    assert samples[5]["error"] == "ConnectionError: away" and "score" not in samples[5]
    assert sum("score" in sample for sample in samples) == 11


async def test_failures_between_which_others_work_are_no_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only failures in a row end the run."""
    monkeypatch.setattr(runner, "GIVE_UP_AFTER", 3)
    model = Model(failing=dict.fromkeys(range(12), 1))
    samples = await EvaluationRunner(model.ask, model.score, at_once=1).run(ITEMS)
    assert all(sample["correct"] for sample in samples) and len(model.asked) == 24


async def test_a_fault_of_the_item_itself_is_not_repeated() -> None:
    """A prompt without room will have none the next time."""

    class NoRoom(Model):
        async def ask(self, item: Problem) -> Reply:
            self.asked.append(item.seed)
            raise ValueError("no room")

    model = NoRoom()
    samples = await EvaluationRunner(model.ask, model.score).run(ITEMS[:2])
    assert model.asked == [0, 1] and all("no room" in s["error"] for s in samples)


async def test_an_endpoint_that_is_down_ends_with_what_is_done(tmp_path: Path) -> None:
    """The rest is not tried; the answers are on disk, and the next run asks only for the rest."""
    model = Model(failing={n: 99 for n in range(4, 12)})
    done = SampleLog.open(tmp_path, {})
    with pytest.raises(NothingAnswers, match="the same command goes on"):
        await EvaluationRunner(model.ask, model.score, at_once=1).run(ITEMS, done)
    done.close()
    assert [s["seed"] for s in read(tmp_path / "samples.jsonl") if "score" in s] == [0, 1, 2, 3]
    again, done = Model(), SampleLog.open(tmp_path, {})
    samples = await EvaluationRunner(again.ask, again.score).run(ITEMS, done)
    done.close()
    assert sorted(again.asked) == list(range(4, 12))
    unbroken = await EvaluationRunner(Model().ask, Model().score).run(ITEMS)
    assert samples == unbroken


async def test_a_full_disk_is_said(tmp_path: Path) -> None:
    """Answers that can't be kept are not asked for."""
    model = Model()
    done = SampleLog.open(tmp_path, {})

    def refuse(_sample: object) -> None:
        raise OSError(28, "No space left on device")

    done.add = refuse
    with pytest.raises(OSError, match="No space"):
        await EvaluationRunner(model.ask, model.score, at_once=1).run(ITEMS, done)
    assert len(model.asked) < len(ITEMS)
    done.close()
