"""reasoning_gym_environment.py: what `evaluate` asks, whom, and what it leaves behind."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from demo.policy import Policy
from demo.policy_server import start as start_policy_server
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig, main
from rgenv.errors import AnotherEvaluation, NothingAnswers
from rgenv.evaluation.sample_log import read
from rgenv.pool.pool import WorkerPool
from rgenv.worker.protocol import FROM_CHECKOUT
from tests.conftest import MakeEnv
from tests.support.fakes import fake_config

SMALL = {"task_names": ["gcd", "lcm"], "num_eval_tasks": 0, "num_eval_samples_per_task": 3}


class Server:
    """Answers 1 to everything; fails from the request `fails_from` on."""

    def __init__(self, fails_from: int = 10**6) -> None:
        self.asked, self.fails_from = 0, fails_from

    def __call__(self, _prompt: str, n: int) -> list[tuple[str, str]]:
        self.asked += 1
        if self.asked > self.fails_from:
            raise ConnectionError("away")
        return [("<think>so</think><answer>1</answer>", "stop")] * n


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rgenv.evaluation.runner.PAUSES", (0.0, 0.0))
    monkeypatch.setattr("rgenv.evaluation.runner.GIVE_UP_AFTER", 3)


async def test_the_set_has_the_tasks_and_levels_asked_for(make_env: MakeEnv) -> None:
    """Each task at each level, so many items, none twice; training tasks are another matter."""
    env = await make_env(
        task_names=["maze"],
        eval_tasks="gcd,algebra",
        exclude_tasks=["sokoban"],
        num_eval_tasks=0,
        eval_levels="none,0,0.5",
        num_eval_samples_per_task=2,
    )
    by_task = {item.task for item in env.eval_items}
    assert "gcd" in by_task and "simple_equations" in by_task and "maze" not in by_task
    gcd = [item for item in env.eval_items if item.task == "gcd"]
    assert [item.level for item in gcd] == [None, None, 0.0, 0.0, 0.5, 0.5]
    assert len({item.question for item in gcd}) == 6
    assert env.task_names == ["maze"]
    same_at_all_levels = await make_env(
        task_names=["acre"], eval_levels="none,0", num_eval_samples_per_task=2
    )
    assert len({item.question for item in same_at_all_levels.eval_items}) == 4


async def test_evaluate_takes_all_and_serve_a_choice(make_env: MakeEnv) -> None:
    """The quick set of `serve` is part of the whole one."""
    tasks = {"task_names": ["arithmetic"], "num_eval_tasks": 3, "num_eval_samples_per_task": 1}
    quick = await make_env(**tasks)
    assert len(quick.eval_items) == 3
    quick._evaluating = True
    whole = await quick._make_eval_items()
    assert len(whole) == len(quick.task_names) > 3
    assert all(item in whole for item in quick.eval_items)


async def test_training_never_meets_the_set_at_any_level(make_env: MakeEnv) -> None:
    """Prompts of all evaluation levels are kept back."""
    env = await make_env(
        task_names=["coin_flip"],
        eval_levels=["none", 0.0],
        num_eval_samples_per_task=4,
        complexity_mode="random",
        random_level_range=(0, 0),
    )
    kept = {item.question for item in env.eval_items}
    assert len(kept) == 8
    assert kept.isdisjoint({(await env.get_next_item()).question for _ in range(60)})


async def test_the_set_is_made_once(make_env: MakeEnv, tmp_path: Path) -> None:
    """The next start finds it on disk, equal to the last item; another seed is another set."""
    options = {**SMALL, "eval_cache_dir": str(tmp_path / "cache")}
    first = await make_env(**options)
    files = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert [name.split("-")[0] for name in files] == ["gcd", "lcm"]

    second = await make_env(**options)
    made: list[str] = []
    real = second._try_make
    second._eval_batches.clear()

    async def counted(task: str, seed: int, level: float | None) -> Any:
        made.append(task)
        return await real(task, seed, level)

    second._try_make = counted
    assert await second._make_eval_items() == first.eval_items and made == []
    other = await make_env(**{**options, "eval_seed": 5})
    assert other.eval_items != first.eval_items
    assert len(list((tmp_path / "cache").iterdir())) == 4


async def test_a_broken_evaluation_goes_on_where_it_stopped(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """The same numbers as in one go, and nothing is asked twice."""
    out = {**SMALL, "data_dir_to_save_evals": str(tmp_path / "a" / "run")}
    server = Server(fails_from=2)
    env = await make_env(server, **out)
    env.server.servers[0].config.num_requests_for_eval = 1
    with pytest.raises(NothingAnswers):
        await env.evaluate()
    assert sum("score" in s for s in read(tmp_path / "a" / "run" / "samples.jsonl")) == 2
    again = Server()
    env = await make_env(again, **out)
    await env.evaluate()
    assert again.asked == 4
    unbroken = await make_env(Server(), **SMALL, data_dir_to_save_evals=str(tmp_path / "b" / "run"))
    await unbroken.evaluate()
    assert env.eval_metrics == unbroken.eval_metrics
    assert env.eval_samples == unbroken.eval_samples
    assert (tmp_path / "a" / "run" / "report.html").stat().st_size > 5_000
    await env.evaluate()
    assert again.asked == 4


async def test_answers_of_another_model_are_not_mixed_in(make_env: MakeEnv, tmp_path: Path) -> None:
    """The error names the folder and the way out; `force` starts over."""
    out = {**SMALL, "data_dir_to_save_evals": str(tmp_path / "run")}
    await (await make_env(Server(), **out)).evaluate()
    server = Server()
    with pytest.raises(AnotherEvaluation, match=r"temperature was 0\.1, is 0\.5"):
        await (await make_env(server, **out, eval_temperature=0.5)).evaluate()
    assert server.asked == 0
    await (await make_env(server, **out, eval_temperature=0.5, force=True)).evaluate()
    assert server.asked == 6


async def test_sampling_reaches_the_server(make_env: MakeEnv) -> None:
    """Temperature, nucleus and the room for the answer; twice max_token_length unless set."""
    for options, tokens in (({}, 2 * 4096), ({"eval_max_tokens": 900}, 900)):
        env = await make_env(Server(), **SMALL, eval_temperature=0.7, eval_top_p=0.8, **options)
        await env.evaluate()
        request = env.server.servers[0].requests[0]
        assert (request["temperature"], request["top_p"]) == (0.7, 0.8)
        room = tokens - len(request["input_ids"])
        assert request["max_tokens"] == room


async def test_several_completions_an_item_give_pass_at_k(make_env: MakeEnv) -> None:
    """Each is a sample of its own."""
    env = await make_env(Server(), **SMALL, eval_samples_per_item=4)
    await env.evaluate()
    assert len(env.eval_samples) == 24
    metrics = dict(env.eval_metrics)
    assert 0 <= metrics["eval/pass@1"] <= metrics["eval/pass@4"] <= 1


async def test_a_chat_server_needs_no_tokenizer(tokenizer: Any, tmp_path: Path) -> None:
    """OpenAI's format over HTTP, with the lengths that the server tells."""
    policy = await start_policy_server(Policy(seed=1, error_rate=0.0), tokenizer)
    config = ReasoningGymEnvConfig(
        tokenizer_name="nobody/has-this",
        use_wandb=False,
        wandb_name="x",
        max_token_length=1024,
        task_names=["gcd", "chain_sum"],
        num_eval_samples_per_task=4,
        data_dir_to_save_evals=str(tmp_path / "run"),
    )
    servers = fake_config(
        server_type="openai", base_url=f"http://127.0.0.1:{policy.port}/v1", health_check=True
    )
    env = ReasoningGymEnv(config, servers)
    try:
        assert env.tokenizer is None
        await env.setup()
        await env.evaluate()
    finally:
        await env.close()
        await policy.close()
    metrics = dict(env.eval_metrics)
    assert metrics["eval/errors"] == 0 and metrics["eval/accuracy"] >= 0.75
    assert all(sample["completion_tokens"] > 5 for sample in env.eval_samples)


async def test_in_serve_every_step_has_its_folder(make_env: MakeEnv, tmp_path: Path) -> None:
    """So that pages of different steps stand beside each other, each compared with the last."""
    env = await make_env(Server(), **SMALL, data_dir_to_save_evals=str(tmp_path / "evals"))
    env._registered = True
    for step in (5, 10):
        env.curr_step = step
        await env.evaluate()
    pages = {path.parent.name: path for path in tmp_path.glob("evals/*/report.html")}
    assert sorted(pages) == ["step-000005", "step-000010"]
    assert "step-000005" in pages["step-000010"].read_text()
    assert env.config.data_dir_to_save_evals == str(tmp_path / "evals")


async def test_a_failing_evaluation_does_not_end_training(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """It is an error in the log."""
    env = await make_env(Server(fails_from=0), **SMALL)
    await env._evaluate_beside_training()
    assert "evaluation at step 0 failed" in caplog.text


async def test_the_rollout_table_tells_task_level_and_answers(make_env: MakeEnv) -> None:
    """Completion, score, the answer given, the one expected, task and level."""
    env = await make_env(Server(), task_names=["gcd"], use_wandb=True)
    item = await env.make_item("gcd", 7, 0.5)
    group, _ = await env.collect_trajectories(item)
    await env.add_rollouts_for_wandb(group, item)
    [[row, *_]] = env.rollouts_for_wandb
    assert row[1:] == (group["scores"][0], "1", item.answer, "gcd", "0.5")
    assert "<answer>1</answer>" in row[0]


def test_force_is_a_flag_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`evaluate --force` means --env.force true."""
    seen: list[bool] = []

    async def look(env: ReasoningGymEnv) -> None:
        seen.append(env.config.force)

    monkeypatch.setattr(ReasoningGymEnv, "_run_evaluate", look)
    monkeypatch.setattr("sys.argv", ["x"])
    common = [
        "evaluate",
        "--openai.server_type",
        "openai",
        "--env.tokenizer_name",
        str(tmp_path),
        "--openai.base_url",
        "http://127.0.0.1:9/v1",
    ]
    assert main([*common, "--force"]) == 0 and main(common) == 0
    assert seen == [True, False]


async def test_an_evaluation_that_stops_training_keeps_its_items(make_env: MakeEnv) -> None:
    """With eval_handling STOP_TRAIN workers are cancelled, and what they had is asked again."""
    env = await make_env(Server(), **SMALL, eval_handling="STOP_TRAIN")
    item = await env.get_next_item()
    working = asyncio.create_task(asyncio.sleep(60))
    env.workers, env.running_items = {working}, {"x": {"item": item}}
    env._start_evaluation()
    await env.eval_runner
    assert working.cancelled() and env.backlog == [item]
    assert not env.workers and not env.running_items


async def test_one_evaluation_at_a_time(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """A second one that comes too early is left out, and the log says so."""
    env = await make_env(Server(), **SMALL)
    env._start_evaluation()
    first = env.eval_runner
    env._start_evaluation()
    assert env.eval_runner is first and "still running" in caplog.text
    await first
    env._start_evaluation()
    assert env.eval_runner is not first
    await env.eval_runner


async def test_items_of_a_checkout_are_not_kept(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Anybody may have changed it since; those of a release are found again."""
    cache = {"eval_cache_dir": str(tmp_path), **SMALL}
    monkeypatch.setattr(WorkerPool, "version", FROM_CHECKOUT)
    await make_env(**cache)
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(WorkerPool, "version", "0.1.25")
    await make_env(**cache)
    assert len(list(tmp_path.iterdir())) == len(SMALL["task_names"])
