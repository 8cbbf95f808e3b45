"""reasoning_gym_environment.py: the class, driven as Atropos drives it, over a fake server."""

import asyncio
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from reasoning_gym_environment import (
    ReasoningGymEnv,
    ReasoningGymEnvConfig,
    StartupError,
    _mapping,
)
from rgenv.dataset.stream import EVAL_SEEDS
from rgenv.errors import UnknownTask
from rgenv.types import Verdict
from tests.conftest import MakeEnv
from tests.support.fakes import fake_config

THINK = "<think>t</think>"


def always(text: str, reason: str = "stop") -> Any:
    return lambda _prompt, n: [(text, reason)] * n


class Solver:
    """Replies with the right answer of the item under way where `pattern` says y."""

    def __init__(self, pattern: str = "yyyy", ending: str = "stop") -> None:
        self.pattern, self.ending = pattern, ending
        self.answer = ""

    def __call__(self, _prompt: str, n: int) -> list[tuple[str, str]]:
        texts = [self.answer if mark == "y" else "wrong" for mark in self.pattern]
        return [(f"{THINK}<answer>{text}</answer>", self.ending) for text in texts][:n]


async def collect(env: ReasoningGymEnv, solver: Solver, seed: int = 7) -> Any:
    item = await env.make_item("gcd", seed)
    solver.answer = str(item.answer)
    group, backlog = await env.collect_trajectories(item)
    assert backlog == []
    return item, group


def rows(folder: Path, label: str = "rollouts") -> list[dict]:
    files = sorted(folder.glob(f"reasoning_gym_environment_{label}_*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


# Items


async def test_all_tasks_of_the_registry_are_served(make_env: MakeEnv) -> None:
    """Without a choice, every task but composite, which needs data sets of its own."""
    env = await make_env()
    assert len(env.task_names) == 105 and "composite" not in env.task_names


async def test_the_stream_repeats_with_its_seed_and_never_meets_evaluation(
    make_env: MakeEnv,
) -> None:
    """Same seed, same items; training and evaluation seeds lie in different halves."""
    envs = [await make_env(task_names=["gcd", "lcm"], seed=s) for s in (5, 5, 6)]
    items = [[await env.get_next_item() for _ in range(6)] for env in envs]
    assert items[0] == items[1] != items[2]
    assert all(item.seed < EVAL_SEEDS for item in items[0])
    assert all(item.seed >= EVAL_SEEDS for env in envs for item in env.eval_items)


async def test_the_stream_depends_neither_on_speed_nor_on_what_else_is_done(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """Items made ahead, logging, evaluation and groups in between change no item."""
    choice = {"task_names": ["tower_of_hanoi", "coin_flip", "gcd"], "complexity_mode": "random"}
    plain = await make_env(always("x"), items_ahead=1, **choice)
    busy = await make_env(always("x"), items_ahead=9, debug_logging=True, **choice)
    for _ in range(40):
        item = await busy.get_next_item()
        assert item == await plain.get_next_item()
        if item.seed % 4 == 0:
            await busy.collect_trajectories(item)
        if item.seed % 8 == 0:
            await busy.evaluate()


async def test_the_evaluation_set_is_fixed_by_eval_seed_alone(make_env: MakeEnv) -> None:
    """Neither seed nor replica changes it; eval_seed does, items and tasks."""
    tasks = {
        "task_names": ["arithmetic"],
        "exclude_tasks": ["gsm_symbolic"],
        "num_eval_tasks": 3,
        "num_eval_samples_per_task": 2,
    }
    first = await make_env(**tasks)
    same = await make_env(**tasks, seed=77, replica_id=1, num_replicas=4)
    other = await make_env(**tasks, eval_seed=124)
    assert len(first.eval_items) == 6
    assert first.eval_items == same.eval_items
    assert {i.question for i in first.eval_items}.isdisjoint(i.question for i in other.eval_items)


async def test_task_parameters_reach_the_problem(make_env: MakeEnv) -> None:
    """task_configs are reasoning-gym's keyword parameters, and travel with the item."""
    env = await make_env(
        task_names=["chain_sum"],
        task_configs={"chain_sum": {"min_terms": 9, "max_terms": 9}},
    )
    item = await env.get_next_item()
    assert len(re.findall(r"\d+", item.question.split("\n")[-1])) == 9
    assert item.config == {"min_terms": 9, "max_terms": 9}


async def test_composite_is_served_when_configured(make_env: MakeEnv) -> None:
    """A mixture of tasks is a task like any other once it is told its data sets."""
    parts = {"composite": {"datasets": [{"name": "gcd"}, {"name": "lcm", "weight": 2.0}]}}
    env = await make_env(task_names=["composite"], task_configs=parts)
    item = await env.get_next_item()
    assert await env.score_completions(item, [f"<answer>{item.answer}</answer>"]) == [1.0]


async def test_levels_change_the_problem(make_env: MakeEnv) -> None:
    """A level becomes task parameters; None keeps the defaults."""
    env = await make_env(task_names=["chain_sum"])
    plain, easy, hard = [await env.make_item("chain_sum", 7, lv) for lv in (None, 0.0, 1.0)]
    assert plain.config == {} and plain.level is None
    assert easy.level == 0.0 and len(easy.question) < len(hard.question)


async def test_random_levels_are_part_of_the_stream(make_env: MakeEnv) -> None:
    """In random mode item n has its level, the same on every start."""
    envs = [await make_env(task_names=["gcd"], complexity_mode="random") for _ in range(2)]
    levels = [[(await env.get_next_item()).level for _ in range(5)] for env in envs]
    assert levels[0] == levels[1] and len(set(levels[0])) == 5


async def test_an_item_that_cannot_be_made_is_skipped_and_counted(make_env: MakeEnv) -> None:
    """The stream goes on with the next one; None would end `process`."""
    env = await make_env(
        task_names=["gcd", "chain_sum"], task_configs={"gcd": {"min_numbers": -1}}, num_eval_tasks=1
    )
    items = [await env.get_next_item() for _ in range(5)]
    assert {item.task for item in items} == {"chain_sum"}
    assert env.metrics.take()["train/not_made/error"] >= 1


async def test_an_item_nobody_can_win_is_not_served(make_env: MakeEnv) -> None:
    """`ab` sometimes has an empty answer, and an empty answer scores 0."""
    env = await make_env(task_names=["ab"], task_configs={"ab": {"length": 4}})
    items = [await env.get_next_item() for _ in range(60)]
    assert all(item.answer for item in items)
    assert env.metrics.take()["train/not_made/unwinnable"] >= 1


# Groups


async def test_a_group_is_what_the_trainer_needs(make_env: MakeEnv, tokenizer: Any) -> None:
    """group_size rows that agree in length, JSON-able, with floats, own messages and metadata."""
    solver = Solver("ynny")
    env = await make_env(solver, task_names=["gcd"])
    item, group = await collect(env, solver)
    assert group["scores"] == [1.0, 0.0, 0.0, 1.0]
    assert all(type(score) is float for score in group["scores"])
    for tokens, masks, logprobs, messages in zip(
        group["tokens"], group["masks"], group["inference_logprobs"], group["messages"], strict=True
    ):
        assert len(tokens) == len(masks) == len(logprobs)
        completion = tokenizer.decode([t for t in masks if t != -100])
        assert messages[-1] == {"role": "assistant", "content": completion}
        assert messages[1]["content"] == item.question
    assert len(group["overrides"]) == 4
    assert group["group_overrides"]["task"] == "gcd" and group["group_overrides"]["seed"] == 7
    assert group["group_overrides"]["kinds"] == ["scored"] * 4
    json.dumps(group, allow_nan=False)


async def test_equal_scores_are_for_atropos_to_judge(make_env: MakeEnv) -> None:
    """All-correct and all-wrong groups come back whole, so `process` can keep them."""
    solver = Solver("yyyy")
    env = await make_env(solver, task_names=["gcd"])
    _, group = await collect(env, solver)
    assert group["scores"] == [1.0] * 4
    solver.pattern = "nnnn"
    _, group = await collect(env, solver)
    assert len(group["scores"]) == 4


async def test_truncated_completions_stay_without_advantage(make_env: MakeEnv) -> None:
    """A completion cut by length is masked by an override, not dropped; the option turns it off."""
    solver = Solver("ynyn", ending="length")
    env = await make_env(solver, task_names=["gcd"])
    _, group = await collect(env, solver)
    assert group["overrides"] == [{"set_advantage_to_zero": True}] * 4
    env.config.mask_too_long_completions = False
    _, group = await collect(env, solver)
    assert group["overrides"] == [{}] * 4


async def test_terse_answers_keep_their_group(make_env: MakeEnv) -> None:
    """Completions of a few tokens are as good as long ones."""
    env = await make_env(always("<answer>1</answer>"), task_names=["gcd"])
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert len(group["tokens"]) == 4


async def test_length_costs_only_all_correct_groups_and_not_the_prompt(
    make_env: MakeEnv, tokenizer: Any
) -> None:
    """The penalty counts completion tokens against the completion budget."""
    filler = " ".join(["word"] * 300)
    texts: dict[str, str] = {}

    def reply(_prompt: str, n: int) -> list[tuple[str, str]]:
        right = f"<answer>{texts['answer']}</answer>"
        return [(right, "stop"), (f"<think>{filler}</think>{right}", "stop")][:n]

    env = await make_env(reply, task_names=["gcd"], group_size=2)
    item = await env.make_item("gcd", 7)
    texts["answer"] = str(item.answer)
    long = len(tokenizer.encode(reply("", 2)[1][0]))
    prompt = tokenizer.apply_chat_template(
        [dict(m) for m in (await env._generate(item))[0].messages[:2]],
        add_generation_prompt=True,
        tokenize=False,
    )
    budget = int(long / 0.9)
    env.config.max_token_length = budget + len(tokenizer.encode(prompt))
    group, _ = await env.collect_trajectories(item)
    assert group["scores"][0] == 1.0
    assert group["scores"][1] == pytest.approx((budget - long) / (budget * 0.25), abs=1e-6)


async def test_messages_travel_only_when_asked_for(make_env: MakeEnv) -> None:
    """include_messages decides what is sent; the group itself always has its conversations."""
    env = await make_env(always("x"), task_names=["gcd"])
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert "messages" not in await env.postprocess_histories(group)
    env.config.include_messages = True
    assert "messages" in await env.postprocess_histories(group)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (lambda _p, n: [("x", "stop")] * (n // 2 - 1), "1 of 4 completions"),
        (lambda _p, _n: [], "0 of 4 completions"),
        (lambda _p, _n: 1 / 0, "ZeroDivisionError"),
    ],
)
async def test_a_server_that_misbehaves_costs_the_group_only(
    make_env: MakeEnv,
    caplog: pytest.LogCaptureFixture,
    reply: Any,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Too few completions and errors are a counted failure with its reason in the log."""
    monkeypatch.setattr("asyncio.sleep", _no_sleep)  # retries of the server layer back off
    env = await make_env(reply, task_names=["gcd"])
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group is None
    assert reason in caplog.text
    assert env.metrics.take()["train/failed_groups"] == 1


_sleep = asyncio.sleep


async def _no_sleep(seconds: float, *_: Any) -> None:
    await _sleep(min(seconds, 0.01))


async def test_missing_completions_are_asked_for_once_more(make_env: MakeEnv) -> None:
    """A server that gives three of four at first still fills the group."""
    env = await make_env(lambda _p, n: [("x", "stop")] * (3 if n == 4 else n), task_names=["gcd"])
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert len(group["tokens"]) == 4


async def test_log_probabilities_that_are_no_numbers_are_not_sent(make_env: MakeEnv) -> None:
    """NaN would make the rollout API lose the whole batch."""
    env = await make_env(always("x"), task_names=["gcd"])
    env.server.servers[0].logprob = float("nan")
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group is None


async def test_empty_and_unreadable_completions_score_zero(
    make_env: MakeEnv, tokenizer: Any
) -> None:
    """Nothing at all, and bytes that are no UTF-8, are broken format like any other."""
    env = await make_env(always(""), task_names=["gcd"])
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group["scores"] == [0.0] * 4
    server = env.server.servers[0]

    async def raw_bytes(**kwargs: Any) -> Any:
        ids = [tokenizer.convert_tokens_to_ids("Ã")] * 3
        return kwargs["input_ids"], [ids] * 4, [[-0.1] * 3] * 4, ["stop"] * 4

    server._tokens_and_logprobs_completion_wrapper = raw_bytes
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group["scores"] == [0.0] * 4


async def test_a_prompt_without_room_is_said_and_skipped(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """The message names the option to raise."""
    env = await make_env(always("x"), task_names=["gcd"], max_token_length=20)
    group, _ = await env.collect_trajectories(await env.get_next_item())
    assert group is None and "--env.max_token_length" in caplog.text


async def test_a_template_that_opens_the_thinking_closes_with_the_model(
    make_env: MakeEnv, tokenizer: Any
) -> None:
    """When the prompt ends with <think>, text without </think> is thinking and scores 0."""
    solver = Solver("yyyy")
    env = await make_env(solver, task_names=["gcd"])
    template = tokenizer.chat_template
    env.tokenizer.chat_template = template + "{% if add_generation_prompt %}<think>\n{% endif %}"
    item = await env.make_item("gcd", 7)
    solver.answer = str(item.answer)
    right = f"<answer>{item.answer}</answer>"
    texts = iter([right, f"so</think>{right}", f"{right}</think>", f"x</think>{right} ok"])
    type(env.server.servers[0]).reply = staticmethod(
        lambda _p, n: [(next(texts), "stop") for _ in range(n)]
    )
    group, _ = await env.collect_trajectories(item)
    assert group["scores"] == [0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("words", [5, 2000])
async def test_the_server_gets_the_tokens_of_the_prompt(make_env: MakeEnv, words: int) -> None:
    """Short or long, those of our own tokenizer."""
    config = {"letter_counting": {"min_words": words, "max_words": words}}
    env = await make_env(
        always("<answer>4</answer>"),
        task_names=["letter_counting"],
        task_configs=config,
        max_token_length=2**16,
    )
    await env.collect_trajectories(await env.make_item("letter_counting", 7))
    [request] = env.server.servers[0].requests
    assert request["input_ids"] == env.tokenizer.encode(request["prompt"])
    assert len(request["input_ids"]) > words


async def test_a_long_group_leaves_the_loop_its_turns(make_env: MakeEnv) -> None:
    """Others get a turn after each completion that is read."""
    env = await make_env(always("<answer>4</answer>"), task_names=["gcd"])
    turns, seen = 0, []
    read = env._rollout

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    env._rollout = lambda *parts: (seen.append(turns), read(*parts))[1]
    task = asyncio.create_task(others())
    await env.collect_trajectories(await env.make_item("gcd", 7))
    task.cancel()
    assert len(set(seen)) == len(seen) == 4


async def test_score_completions_takes_whole_texts(make_env: MakeEnv) -> None:
    """The public scoring call extracts, scores, and books nothing."""
    env = await make_env(task_names=["gcd"])
    item = await env.make_item("gcd", 7)
    right = f"<answer>{item.answer}</answer>"
    texts = [right, str(item.answer), THINK + right, right * 2, "<answer></answer>"]
    assert await env.score_completions(item, texts) == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert env.metrics.take() == {}


# Dumps


async def test_good_groups_and_failed_groups_go_to_their_files(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """Above the threshold or all zero; what is between is not kept; closing names the files."""
    solver = Solver()
    env = await make_env(solver, task_names=["gcd"], dump_rollouts=True, dump_failed_rollouts=True)
    for pattern in ("yyyy", "ynnn", "nnnn"):
        solver.pattern = pattern
        item, _ = await collect(env, solver)
    await env.close()
    good, failed = rows(tmp_path / "dumps"), rows(tmp_path / "dumps", "FAILED_rollouts")
    assert [[r["score"] for r in row["rollouts"]] for row in good] == [[1] * 4, [1, 0, 0, 0]]
    assert [[r["score"] for r in row["rollouts"]] for row in failed] == [[0] * 4]
    assert good[0]["item_id"] == "gcd"
    assert good[0]["metadata"]["answer"] == item.answer
    assert good[0]["metadata"]["extracted"] == [item.answer] * 4
    for rollout in good[1]["rollouts"]:
        right = str(item.answer) in rollout["conversation"][-1]["content"]
        assert rollout["score"] == float(right)


async def test_nothing_is_dumped_unless_asked(make_env: MakeEnv, tmp_path: Path) -> None:
    """Both dumps are off by default."""
    solver = Solver()
    env = await make_env(solver, task_names=["gcd"])
    await collect(env, solver)
    await env.close()
    assert not (tmp_path / "dumps").exists()


async def test_a_folder_that_cannot_be_written_does_not_stop_training(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """The group goes to the trainer; that it waits, and later that it is lost, is a metric."""
    (tmp_path / "dumps").write_text("in the way")
    solver = Solver()
    env = await make_env(solver, task_names=["gcd"], dump_rollouts=True)
    logged: dict[str, Any] = {}
    env.perf_stats = lambda metrics: logged.update(metrics) or metrics
    _, group = await collect(env, solver)
    assert len(group["scores"]) == 4
    await env.wandb_log()
    assert (logged["train/dumps_waiting"], logged["train/dumps_not_written"]) == (1, 0)
    await env.close()
    await env.wandb_log()
    assert (logged["train/dumps_waiting"], logged["train/dumps_not_written"]) == (0, 1)


# Curriculum, metrics, logging, evaluation, checkpoints


async def test_the_curriculum_hears_only_what_the_model_did(make_env: MakeEnv) -> None:
    """Right answers at the present level raise it; truncated ones say nothing."""
    solver = Solver("yyyy", ending="length")
    env = await make_env(solver, task_names=["gcd"], complexity_mode="curriculum")

    async def groups(count: int) -> float:
        for seed in range(count):
            item = await env.make_item("gcd", seed, env.difficulty.current("gcd"))
            solver.answer = str(item.answer)
            await env.collect_trajectories(item)
        return env.difficulty.current("gcd")

    start = env.difficulty.current("gcd")
    assert await groups(12) == start
    solver.ending = "stop"
    assert await groups(12) > start


async def test_the_curriculum_does_not_hear_failures_of_the_verifier(make_env: MakeEnv) -> None:
    """Timeouts, crashes and errors say nothing about the model, so no level moves."""
    env = await make_env(
        always("<answer>1</answer>"), complexity_mode="curriculum", task_names=["gcd"]
    )
    start = env.difficulty.current("gcd")

    async def fail(_problem: Any, answers: Any) -> list[Verdict]:
        return [Verdict(0.0, kind) for kind in ("timeout", "crashed", "error", "timeout")]

    env.pool.score = fail
    for seed in range(12):
        await env.collect_trajectories(await env.make_item("gcd", seed, start))
    assert env.difficulty.current("gcd") == start


async def test_metrics_tell_what_happened(make_env: MakeEnv) -> None:
    """wandb_log takes counts, rates and verdict kinds once, under the known names."""
    solver = Solver("ynny")
    env = await make_env(solver, task_names=["gcd"])
    logged: dict[str, Any] = {}
    env.perf_stats = lambda metrics: logged.update(metrics) or metrics
    await collect(env, solver)
    await env.wandb_log({"extra": 1})
    assert logged["train/percent_correct"] == 0.5
    assert logged["verdicts/scored"] == 4
    assert logged["extra"] == 1
    logged.clear()
    await env.wandb_log()
    assert "train/percent_correct" not in logged


async def test_the_log_tells_groups_and_violations(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    """Group scores at info level, the first of each kind of trouble by name, details in debug."""
    env = await make_env(always("no tags"), task_names=["gcd"])
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            await env.collect_trajectories(await env.get_next_item())
    assert caplog.text.count("group average score: 0.0000 (all failed)") == 2
    assert caplog.text.count("First 'no_answer' of gcd (no answer tags)") == 1
    assert "Format violation" not in caplog.text
    env.config.debug_logging = True
    env._set_log_levels()
    await env.collect_trajectories(await env.get_next_item())
    assert caplog.text.count("Format violation (no answer tags)") == 4
    assert all(not logging.getLogger(name).handlers for name in ("ReasoningGymEnv", "rgenv"))


async def test_evaluation_survives_items_that_fail(make_env: MakeEnv, tmp_path: Path) -> None:
    """Errors are counted, the others averaged, and every sample is written."""
    calls = iter(range(100))

    def reply(_prompt: str, n: int) -> Any:
        return 1 / 0 if next(calls) < 3 else [("<answer>1</answer>", "stop")] * n

    out = tmp_path / "eval"
    env = await make_env(
        reply,
        task_names=["gcd", "lcm"],
        num_eval_tasks=0,
        num_eval_samples_per_task=3,
        data_dir_to_save_evals=str(out),
    )
    await env.evaluate()
    metrics = dict(env.eval_metrics)
    samples = [json.loads(line) for line in (out / "samples.jsonl").read_text().splitlines()]
    assert len(samples) == 6
    assert sum("error" in sample for sample in samples) == metrics["eval/errors"] <= 1
    scored = [sample for sample in samples if "score" in sample]
    assert metrics["eval/percent_correct"] == sum(s["correct"] for s in scored) / len(scored)
    assert json.loads((out / "metrics.json").read_text())["results"]["all"] == metrics


async def followers(env: ReasoningGymEnv, count: int) -> list[tuple]:
    items = [await env.get_next_item() for _ in range(count)]
    return [(item.task, item.seed, item.level, item.question) for item in items]


@pytest.mark.parametrize("mode", [None, "random", "curriculum"])
async def test_a_checkpoint_continues_the_stream(
    make_env: MakeEnv, tmp_path: Path, mode: str | None
) -> None:
    """Item by item as if nothing had happened: prompts that repeat, levels, curriculum."""
    choice = {"task_names": ["gcd", "tower_of_hanoi", "coin_flip"], "complexity_mode": mode}
    solver = Solver("yyyy")
    first = await make_env(solver, **choice)
    for _ in range(30):
        item = await first.get_next_item()
        solver.answer = str(item.answer)
        await first.collect_trajectories(item)
    _register(first, tmp_path, step=4)
    first.save_checkpoint(4)
    second = await make_env(**choice)
    _register(second, tmp_path, step=6)
    second.load_checkpoint()
    assert second.difficulty.state_dict() == first.difficulty.state_dict()
    assert await followers(second, 25) == await followers(first, 25)


async def test_what_was_under_way_is_made_again_and_nothing_is_skipped(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """Running items, the backlog and groups being collected come first after a resume."""
    first = await make_env(task_names=["gcd", "lcm"])
    items = [await first.get_next_item() for _ in range(4)]
    first.running_items = {"a": {"item": items[1]}}
    first.backlog = [items[2]]
    first._collecting = {1: items[3]}
    _register(first, tmp_path, step=4)
    first.save_checkpoint(4)
    second = await make_env(task_names=["gcd", "lcm"])
    _register(second, tmp_path, step=4)
    second.load_checkpoint()
    again = [await second.get_next_item() for _ in range(3)]
    assert set(map(repr, again)) == set(map(repr, items[1:]))
    assert await followers(second, 10) == await followers(first, 10)


async def test_items_drawn_at_once_are_different(make_env: MakeEnv) -> None:
    """Callers that don't wait for each other get one item each, those of a resume included."""
    env = await make_env(task_names=["gcd", "lcm"])
    env._again.extend(("gcd", seed, None) for seed in range(3))
    items = await asyncio.gather(*(env.get_next_item() for _ in range(12)))
    assert len({(item.task, item.seed) for item in items}) == 12
    assert {0, 1, 2} < {item.seed for item in items}


async def test_replicas_of_a_run_keep_their_own_checkpoints(
    make_env: MakeEnv, tmp_path: Path
) -> None:
    """By replica, not by the order in which they happened to register."""
    for replica in (0, 1):
        env = await make_env(task_names=["gcd"], replica_id=replica, num_replicas=2)
        _register(env, tmp_path, step=4)
        env.save_checkpoint(4)
    folders = {path.parent.name for path in tmp_path.rglob("step-4.json")}
    assert folders == {"test_replica0of2", "test_replica1of2"}


async def test_replicas_share_no_prompt(make_env: MakeEnv) -> None:
    """Four replicas of a run ask different problems of a task with many."""
    envs = [
        await make_env(task_names=["chain_sum"], replica_id=r, num_replicas=4) for r in range(4)
    ]
    prompts = [(await env.get_next_item()).question for env in envs for _ in range(25)]
    assert len(set(prompts)) == 100


SMALL_TASKS = [
    "tower_of_hanoi",
    "coin_flip",
    "string_synthesis",
    "string_splitting",
    "self_reference",
    "game_of_life_halting",
    "prime_factorization",
    "jugs",
]


async def test_small_tasks_neither_repeat_early_nor_leak_evaluation(make_env: MakeEnv) -> None:
    """Where a task has few problems, evaluation's are kept back, and the rest come once each."""
    env = await make_env(task_names=SMALL_TASKS, num_eval_tasks=0, num_eval_samples_per_task=3)
    kept_back = {item.question for item in env.eval_items}
    asked: dict[str, list[str]] = {}
    for _ in range(400):
        item = await env.get_next_item()
        asked.setdefault(item.task, []).append(item.question)
    assert len(kept_back) >= 20
    assert kept_back.isdisjoint(question for batch in asked.values() for question in batch)
    repeated = {task for task, batch in asked.items() if len(set(batch)) < len(batch)}
    assert repeated <= {"string_synthesis", "string_splitting"}, repeated


async def test_a_task_whose_every_prompt_is_kept_back_is_left_out(make_env: MakeEnv) -> None:
    """The stream goes on with the other tasks instead of leaking or ending."""
    parameters = {"chain_sum": {"min_terms": 2, "max_terms": 2, "min_digits": 1, "max_digits": 1}}
    env = await make_env(
        task_names=["chain_sum", "gcd"], task_configs=parameters, num_eval_samples_per_task=2
    )
    original = env._prompts.judge
    env._prompts.judge = lambda task, prompt: (
        "kept back" if task == "chain_sum" else original(task, prompt)
    )
    assert {(await env.get_next_item()).task for _ in range(10)} == {"gcd"}


async def test_long_questions_are_not_asked(make_env: MakeEnv, tokenizer: Any) -> None:
    """max_prompt_tokens bounds what is served; where nothing fits, that is said."""
    env = await make_env(task_names=["chain_sum", "ab"], max_prompt_tokens=150)
    items = [await env.get_next_item() for _ in range(10)]
    assert all(len(tokenizer.encode(item.question)) <= 150 for item in items)
    assert env.metrics.take()["train/not_made/question_too_long"] > 0
    hopeless = await make_env(task_names=["ab"], max_prompt_tokens=5)
    with pytest.raises(StartupError, match="max_prompt_tokens"):
        await hopeless.get_next_item()


async def test_composite_parts_take_the_level(make_env: MakeEnv) -> None:
    """A level of the mixture is the level of each of its tasks; configured parameters win."""
    parts = [{"name": "chain_sum"}, {"name": "gcd", "config": {"min_numbers": 2}}]
    env = await make_env(task_names=["composite"], task_configs={"composite": {"datasets": parts}})
    easy, hard = [await env.make_item("composite", 5, level) for level in (0.0, 1.0)]
    assert easy.config != hard.config
    assert hard.config["datasets"][1]["config"]["min_numbers"] == 2
    for item in (easy, hard):
        assert await env.score_completions(item, [f"<answer>{item.answer}</answer>"]) == [1.0]


async def test_a_damaged_checkpoint_is_named(make_env: MakeEnv, tmp_path: Path) -> None:
    """A file that is not ours ends the start with its path, instead of half a restore."""
    env = await make_env(task_names=["gcd"])
    _register(env, tmp_path, step=4)
    env.load_checkpoint()
    path = tmp_path / "env_checkpoints" / "e_0" / "step-4.json"
    path.parent.mkdir(parents=True)
    for text in (
        "{",
        '{"iter": 3}',
        '{"reasoning_gym": {"schema": 99}}',
        '{"reasoning_gym": {"schema": 1, "difficulty": {}}}',
    ):
        path.write_text(text)
        with pytest.raises(StartupError, match=re.escape(str(path))):
            env.load_checkpoint()


async def test_a_disk_that_refuses_costs_the_checkpoint_only(
    make_env: MakeEnv, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Training goes on; the log says what was not written."""
    env = await make_env(task_names=["gcd"])
    (tmp_path / "env_checkpoints").write_text("in the way")
    _register(env, tmp_path, step=4)
    env.save_checkpoint(4)
    assert "No checkpoint at step 4" in caplog.text


def test_replicas_are_found_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """SLURM's and torch's variables fill in the replica; what is configured wins."""
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "8")
    config = ReasoningGymEnvConfig()
    assert (config.replica_id, config.num_replicas) == (3, 8)
    assert ReasoningGymEnvConfig(replica_id=0, num_replicas=1).replica_id == 0


async def test_random_levels_stay_in_their_range(make_env: MakeEnv) -> None:
    """random_level_range bounds the levels that are drawn."""
    env = await make_env(task_names=["gcd"], complexity_mode="random", random_level_range="0.4,0.6")
    levels = [(await env.get_next_item()).level for _ in range(30)]
    assert 0.4 <= min(levels) < 0.45 and 0.55 < max(levels) <= 0.6


def _register(env: ReasoningGymEnv, folder: Path, step: int) -> None:
    env.checkpoint_dir, env.wandb_prepend, env.curr_step = str(folder), "e_0", step


@pytest.mark.parametrize(
    ("old", "new", "evaluated"), [(0, 3, True), (2, 3, True), (0, 10, True), (3, 5, False)]
)
async def test_a_step_that_jumps_misses_no_evaluation(
    make_env: MakeEnv, old: int, new: int, evaluated: bool
) -> None:
    """Crossing a multiple counts, also when the trainer's step lands on it or far beyond."""
    env = await make_env(task_names=["gcd"], steps_per_eval=3)
    env.evaluate = lambda: asyncio.sleep(0)
    env.curr_step, env.status_dict = old, {"current_step": new}
    await env.env_step_checks()
    assert (env.eval_runner is not None) == evaluated
    assert env.curr_step == new


async def test_process_gives_up_on_a_server_that_never_answers_well(
    make_env: MakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a bounded number of useless items there is one clear error, not an endless loop."""
    monkeypatch.setattr("asyncio.sleep", _no_sleep)
    env = await make_env(lambda _p, _n: [], task_names=["gcd"])
    env._processing = True
    with pytest.raises(StartupError, match="attempts in a row gave no group"):
        for _ in range(100):
            await env.collect_trajectories(await env.get_next_item())


# Configuration


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rollout_save_score_threshold", 1.5),
        ("num_eval_samples_per_task", 0),
        ("complexity_mode", "hard"),
        ("curriculum_target_accuracy", 1.0),
        ("task_weights", {"gcd": 0}),
        ("random_level_range", (0.6, 0.4)),
        ("replica_id", 1),
        ("scoring_workers", 0),
        ("seeed", 1),
    ],
)
def test_wrong_values_and_names_are_refused(field: str, value: Any) -> None:
    """A configuration that can't be meant is an error that names the field."""
    with pytest.raises(ValidationError, match=field):
        ReasoningGymEnvConfig(**{field: value})


def test_the_defaults_are_the_documented_ones() -> None:
    """Names and values that users' YAML files rely on."""
    config = ReasoningGymEnvConfig()
    assert (config.dump_rollouts, config.dump_failed_rollouts) == (False, False)
    assert config.rollout_save_score_threshold == 0.7
    assert (config.seed, config.eval_seed, config.num_eval_samples_per_task) == (42, 123, 5)
    assert config.complexity_mode is None and config.curriculum_target_accuracy == 0.7
    assert config.mask_too_long_completions and config.suppress_base_env_logs
    assert not config.debug_logging


def test_the_command_line_defaults_can_train() -> None:
    """A list of one vllm server with a key, a wandb name, and no minimum allocation."""
    config, [server] = ReasoningGymEnv.config_init()
    assert (server.server_type, bool(server.api_key)) == ("vllm", True)
    assert config.min_batch_allocation is None and config.wandb_name == "reasoning_gym_think"
    assert (config.group_size, config.batch_size, config.max_token_length) == (8, 1024, 8192)
    assert (config.total_steps, config.steps_per_eval, config.seed) == (250, 25, 1918)


def test_strings_lists_and_mappings_mean_the_same() -> None:
    """What YAML writes as a list or mapping, the command line writes as a string."""
    config = ReasoningGymEnvConfig(
        task_names="gcd, lcm",
        task_weights="gcd=2",
        complexity_mode="None",
        task_configs='{"gcd": {"min_numbers": 3}}',
    )
    assert config.task_names == ["gcd", "lcm"]
    assert config.task_weights == {"gcd": 2.0}
    assert config.task_configs == {"gcd": {"min_numbers": 3}}
    assert config.complexity_mode is None
    assert _mapping({"a": 1}) == {"a": 1}


async def test_unknown_tasks_are_errors_with_a_suggestion(make_env: MakeEnv) -> None:
    """In task_names, weights and configs alike."""
    for field in (
        {"task_names": ["gdc"]},
        {"task_weights": {"gdc": 1}},
        {"task_configs": {"gdc": {}}},
    ):
        with pytest.raises(UnknownTask, match="gcd"):
            await make_env(**field)


def test_a_tokenizer_that_is_nowhere_is_named() -> None:
    """The sentence names the tokenizer and the option, within the time allowed."""
    config = ReasoningGymEnvConfig(tokenizer_name="no/such-tokenizer", startup_timeout=20)
    with pytest.raises(StartupError, match=r"no/such-tokenizer.*--env\.tokenizer_name"):
        ReasoningGymEnv(config, fake_config())
