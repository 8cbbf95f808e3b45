"""The parts of the learning example: tokenizer, sampler, GRPO, warm-up, checkpoints."""

import copy
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from transformers import AutoTokenizer

from demo.policy import Policy
from examples.learn import grpo, programs
from examples.learn.curve import plot, table, tasks_of
from examples.learn.model import logprobs, new_model, padded
from examples.learn.sampler import Request, sample
from examples.learn.tokenizer import WORDING, build_tokenizer
from examples.learn.trainer import Learner, append, read_rows, saved
from examples.learn.warmup import read_rollouts, supervised
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.answer_format import build_messages, extract_answer

torch.set_num_threads(1)  # tiny tensors are not worth two
VOCABULARY, END = 50, 3


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tokenizer of the example."""
    return AutoTokenizer.from_pretrained(build_tokenizer(tmp_path_factory.mktemp("letters")))


@pytest.fixture
def model() -> Any:
    """A tiny model whose distributions are far from flat."""
    model = new_model("tiny", vocabulary=VOCABULARY, seed=1)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3)
    return model


def prompt_of(tokenizer: Any, question: str) -> str:
    return tokenizer.apply_chat_template(
        build_messages(question), tokenize=False, add_generation_prompt=True
    )


class TestTokenizer:
    @pytest.mark.parametrize("task", programs.TASK_WEIGHTS)
    async def test_the_wording_of_a_task_is_still_that_of_the_library(
        self, task: str, letters: Any, pool: WorkerPool
    ) -> None:
        """Every piece of wording is in the questions; prompts are short and survive."""
        config = programs.TASK_CONFIGS.get(task)
        for level in (0.0, 0.3, 1.0):
            problem = await pool.make(task, 7, level=level, config=config)
            prompt = prompt_of(letters, problem.question)
            tokens = letters.encode(prompt)
            assert letters.decode(tokens) == prompt
            assert all(piece in problem.question for piece in WORDING[task])
            assert len(tokens) < programs.MAX_TOKENS / 2

    def test_an_answer_is_read_letter_by_letter(self, letters: Any) -> None:
        """Tags and the sentences around them are one token, letters and digits are one each."""
        assert len(letters.encode("<answer>sun 42</answer>")) == len("sun 42") + 2
        text = Policy(1, 0, 0, 0).complete(prompt_of(letters, "?"), 1, 99)[0].text
        tokens = letters.encode(text)
        assert letters.decode(tokens, skip_special_tokens=True) == text
        assert len(tokens) < 10 + len(extract_answer(text) or "") + 3


class TestSampler:
    def test_log_probabilities_are_those_of_a_plain_forward_pass(self, model: Any) -> None:
        """Padding, cache, repetition and rows that leave change no log probability."""
        wanted = [
            Request(tuple(range(5, 5 + length)), limit, temperature)
            for length in (2, 9, 30)
            for limit in (1, 6, 25)
            for temperature in (1.0, 0.5)
        ] * 2
        torch.manual_seed(0)
        for request, one in zip(wanted, sample(model, wanted, END), strict=True):
            tokens = padded([[*request.prompt, *one.tokens]])
            plain = logprobs(model, tokens, request.temperature)[0, len(request.prompt) - 1 :]
            assert plain.tolist() == pytest.approx(one.logprobs, abs=1e-5)

    def test_it_ends_with_the_end_token_or_at_the_limit(self, model: Any) -> None:
        """A completion holds the end token only as its last, and no more tokens than allowed."""
        torch.manual_seed(0)
        wanted = [Request((7, 8), limit) for limit in (1, 40) for _ in range(50)]
        found = sample(model, wanted, END)
        assert {one.ended for one in found} == {True, False}
        for request, one in zip(wanted, found, strict=True):
            assert END not in one.tokens[:-1]
            assert one.ended == (one.tokens[-1] == END)
            assert one.ended or len(one.tokens) == request.limit

    def test_it_draws_as_often_as_the_model_says(self, model: Any) -> None:
        """Over many draws every token comes as often as its probability, within five deviations."""
        torch.manual_seed(0)
        draws = 4000
        with torch.no_grad():
            expected = model(input_ids=padded([[9, 4]])).logits[0, -1].softmax(-1)
        found = sample(model, [Request((9, 4), 1)] * draws, END)
        counts = Counter(one.tokens[0] for one in found)
        for token, share in enumerate(expected.tolist()):
            deviation = math.sqrt(draws * share * (1 - share))
            assert abs(counts[token] - draws * share) < 5 * deviation + 1

    def test_temperature_zero_takes_the_likeliest(self, model: Any) -> None:
        """Greedy completions are all the same, and their first token is the most probable one."""
        with torch.no_grad():
            best = model(input_ids=padded([[9, 4]])).logits[0, -1].argmax().item()
        found = sample(model, [Request((9, 4), 8, temperature=0.0)] * 3, END)
        assert found[0].tokens == found[1].tokens == found[2].tokens
        assert found[0].tokens[0] == best


def group_of(model: Any, scores: list[float], **changes: Any) -> dict[str, Any]:
    """A group in the wire format, sampled from the model."""
    torch.manual_seed(len(scores))
    prompt = [5, 6, 7]
    found = sample(model, [Request(tuple(prompt), 6)] * len(scores), END)
    return {
        "tokens": [prompt + one.tokens for one in found],
        "masks": [[-100] * 3 + one.tokens for one in found],
        "scores": scores,
        "inference_logprobs": [[1.0] * 3 + one.logprobs for one in found],
        "overrides": [{} for _ in found],
        "group_overrides": {"task": "gcd", "level": 0.3, "kinds": ["scored"] * len(scores)},
    } | changes


def gradient(model: Any, group: dict[str, Any]) -> tuple[Any, grpo.StepStats]:
    model.zero_grad()
    stats = grpo.accumulate(model, grpo.rows_of([group]))
    return torch.cat([weight.grad.flatten() for weight in model.parameters()]), stats


class TestGrpo:
    def test_advantages_are_scores_over_their_group(self) -> None:
        """Less the mean, over the spread; all zero where scores do not differ."""
        assert grpo.advantages([1.0, 0.0, 0.0, 1.0], None) == [1.0, -1.0, -1.0, 1.0]
        assert grpo.advantages([0.4, 0.4], [{}, {}]) == [0.0, 0.0]

    def test_a_marked_rollout_has_no_advantage(self) -> None:
        """set_advantage_to_zero silences one rollout and leaves the others' advantages alone."""
        marks = [{}, {"set_advantage_to_zero": True}]
        assert grpo.advantages([1.0, 0.0], marks) == [1.0, 0.0]

    def test_a_step_makes_what_was_rewarded_likelier(self, model: Any) -> None:
        """After a step along the gradient the better rollout has gained on the worse one."""
        group = group_of(model, [1.0, 0.0])
        rows = grpo.rows_of([group])

        def lead() -> float:
            with torch.no_grad():
                found = [logprobs(model, padded([row.tokens]))[0, 2:].sum() for row in rows]
            return (found[0] - found[1]).item()

        before = lead()
        grpo.accumulate(model, rows)
        torch.optim.SGD(model.parameters(), lr=0.01).step()
        assert lead() > before

    def test_only_completion_tokens_count(self, model: Any) -> None:
        """What is served for the prompt changes nothing; what is served for the completion does."""
        group = group_of(model, [1.0, 0.0, 0.0, 0.0])
        plain, stats = gradient(model, group)
        assert stats.tokens == sum(len(tokens) - 3 for tokens in group["tokens"])
        prompt, completion = copy.deepcopy(group), copy.deepcopy(group)
        for row in prompt["inference_logprobs"]:
            row[:3] = [-9.0] * 3
        for row in completion["inference_logprobs"]:
            row[3] -= 0.1
        assert torch.equal(gradient(model, prompt)[0], plain)
        assert not torch.allclose(gradient(model, completion)[0], plain)

    def test_fresh_rollouts_have_no_drift(self, model: Any) -> None:
        """For the weights that sampled, the trainer's log probabilities are the served ones."""
        stats = gradient(model, group_of(model, [1.0, 0.0]))[1]
        assert stats.drift < 1e-5 and stats.clipped == 0.0

    def test_what_went_far_already_is_clipped(self, model: Any) -> None:
        """A better rollout that is much likelier than when it was sampled pulls no further."""
        group = group_of(model, [1.0, 0.0], overrides=[{}, {"set_advantage_to_zero": True}])
        group["inference_logprobs"] = [
            [value - 1.0 for value in row] for row in group["inference_logprobs"]
        ]
        found, stats = gradient(model, group)
        assert not found.any() and stats.clipped == 1.0

    def test_padding_changes_nothing(self, model: Any) -> None:
        """The gradient of two groups together is that of each, weighed by its tokens."""
        first, second = group_of(model, [1.0, 0.0]), group_of(model, [0.0, 0.0, 1.0])
        second["tokens"][0] = second["tokens"][0][:4]
        second["masks"][0], second["inference_logprobs"][0] = (
            second[name][0][:4] for name in ("masks", "inference_logprobs")
        )
        lengths = [sum(len(row) - 3 for row in group["tokens"]) for group in (first, second)]
        alone = [gradient(model, group)[0] for group in (first, second)]
        model.zero_grad()
        grpo.accumulate(model, grpo.rows_of([first, second]))
        both = torch.cat([weight.grad.flatten() for weight in model.parameters()])
        weighed = sum(part * length for part, length in zip(alone, lengths, strict=True))
        assert torch.allclose(both, weighed / sum(lengths), atol=1e-5)

    def test_shuffled_rewards_are_the_same_rewards(self, model: Any) -> None:
        """The control deals a group's own scores to its rollouts: the same every time it is run."""
        scores = [1.0, *[0.0] * 7]
        group = group_of(model, scores)
        deals = [
            [row.advantage > 0 for row in grpo.rows_of([group], f"seed {n}")] for n in range(50)
        ]
        assert all(sum(deal) == 1 for deal in deals)
        assert len({deal.index(True) for deal in deals}) == len(scores)
        assert deals[3] == [row.advantage > 0 for row in grpo.rows_of([group], "seed 3")]


class TestWarmUp:
    def test_all_rollouts_are_imitated(self, tmp_path: Path) -> None:
        """Of a file of groups every rollout is read, right or wrong, with its own masks."""
        path = tmp_path / "groups.jsonl"
        rows = [
            {"tokens": [[1, 2], [1, 3]], "masks": [[-100, 2], [-100, 3]], "scores": [1.0, 0.5]},
            {"tokens": [[1, 4]], "masks": [[-100, 4]], "scores": [0.0]},
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert read_rollouts(path) == [
            ([1, 2], [-100, 2]),
            ([1, 3], [-100, 3]),
            ([1, 4], [-100, 4]),
        ]

    def test_it_learns_what_it_is_shown(self) -> None:
        """A tiny model learns two completions by heart."""
        model = new_model("tiny", vocabulary=VOCABULARY, seed=1)
        rows = [([5, 6, n, END], [-100, -100, n, END]) for n in (10, 11)]
        losses = list(supervised(model, rows, steps=200, seed=1))
        assert losses[0] > 3 and losses[-1] < 0.4  # which of the two can't be known
        torch.manual_seed(0)
        found = Counter(tuple(one.tokens) for one in sample(model, [Request((5, 6), 4)] * 50, END))
        assert {first for first, _ in found.most_common(2)} == {(10, END), (11, END)}
        assert found[10, END] + found[11, END] > 45


class TestCheckpoints:
    def test_a_resumed_learner_goes_on_as_if_nothing_had_happened(
        self, model: Any, tmp_path: Path
    ) -> None:
        """Two steps, or one step, a checkpoint and one step: the same weights."""
        groups = [group_of(model, [1.0, 0.0]), group_of(model, [0.0, 1.0, 1.0])]
        learner = Learner.begin(model, 1e-3)
        learner.update(groups[:1])
        learner.save(tmp_path)
        learner.update(groups[1:])
        again = Learner.resume(saved(tmp_path)[-1], 1e-3)
        assert again.step == 1
        again.update(groups[1:])
        for mine, theirs in zip(again.model.parameters(), model.parameters(), strict=True):
            assert torch.allclose(mine, theirs, atol=1e-6)

    def test_the_newest_two_are_kept(self, model: Any, tmp_path: Path) -> None:
        """Older checkpoints go, and no half-written one stays."""
        learner = Learner.begin(model, 1e-3)
        for learner.step in (2, 4, 10):
            learner.save(tmp_path)
        assert [path.name for path in sorted(tmp_path.iterdir())] == ["step-000004", "step-000010"]

    def test_rows_after_the_checkpoint_are_forgotten(self, tmp_path: Path) -> None:
        """Steps that will be taken again are not in the curve twice."""
        for step in (1, 2, 3):
            append(tmp_path / "steps.jsonl", {"step": step})
        assert [row["step"] for row in read_rows(tmp_path / "steps.jsonl", up_to=2)] == [1, 2]


class TestCurve:
    ROW: ClassVar[dict[str, Any]] = {"reward": 0.5, "format_rate": 1.0, "informative": 0.7}
    METRICS: ClassVar[dict[str, float]] = {
        f"eval/{task}accuracy{end}": value
        for task in ("", "gcd/", "category/arithmetic/")
        for end, value in (("", 0.5), ("_low", 0.4), ("_high", 0.625))
    } | {"eval/format_rate": 0.96}

    def test_the_table_has_a_line_for_each_task(self) -> None:
        """All tasks, each task, the format rate; categories are no tasks."""
        lines = table(self.METRICS, self.METRICS).splitlines()
        assert tasks_of(self.METRICS) == ["gcd"] and len(lines) == 4
        assert lines[1].split() == ["all", "tasks"] + ["0.500", "(0.400-0.625)"] * 2

    def test_a_task_that_is_not_in_every_batch_is_drawn(self, tmp_path: Path) -> None:
        """The picture is made of whatever levels there are."""
        rows = [self.ROW | {"step": n, "levels": {"gcd": 0.3} if n % 2 else {}} for n in range(9)]
        plot(rows, self.METRICS, self.METRICS, tmp_path / "curve.png")
        assert (tmp_path / "curve.png").stat().st_size > 5000
