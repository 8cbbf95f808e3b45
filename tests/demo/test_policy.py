"""The stand-in policy: right by its rules, wrong at the rates it was told, and honest."""

import random
import subprocess
import sys
import time

import pytest
import reasoning_gym
from hypothesis import given
from hypothesis import strategies as st
from reasoning_gym.factory import DATASETS

from demo.policy import BROKEN, GUESS, Policy, perturb, user_message
from demo.rules import SOLVED_TASKS, answer
from demo.rules.arithmetic import evaluate
from demo.rules.table import RULES
from tests.support.paths import ROOT

SEEDS = range(25)
UNANSWERABLE = {("simple_equations", 13)}  # it asks to solve "0 = 0"
GCD = "Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD"
FLAWLESS = {"error_rate": 0.0, "format_error_rate": 0.0, "overlong_rate": 0.0}


def category(task: str) -> str:
    return DATASETS[task][0].__module__.split(".")[1]


class TestRules:
    @pytest.mark.parametrize("task", SOLVED_TASKS)
    def test_the_verifier_agrees(self, task: str) -> None:
        """Every answer to a task that the rules solve is worth 1.0 to the task's own verifier."""
        for seed in SEEDS:
            if (task, seed) in UNANSWERABLE:
                continue
            dataset = reasoning_gym.create_dataset(task, size=1, seed=seed)
            given_answer = answer(dataset[0]["question"])
            assert dataset.score_answer(given_answer, dataset[0]) == 1.0, (seed, given_answer)

    def test_enough_tasks_of_enough_kinds(self) -> None:
        """The rules cover at least fourteen tasks in at least six categories."""
        assert len(SOLVED_TASKS) >= 14
        assert len({category(task) for task in SOLVED_TASKS}) >= 6

    @pytest.mark.parametrize("task", sorted(set(DATASETS) - {"composite"}))
    def test_no_rule_takes_another_tasks_question(self, task: str) -> None:
        """A question is recognised by the rule of its own task or by none."""
        question = reasoning_gym.create_dataset(task, size=1, seed=3)[0]["question"]
        recognised = [rule.task for rule in RULES if rule.pattern.search(question)][:1]
        assert recognised == ([task] if task in SOLVED_TASKS else [])

    @given(text=st.text())
    def test_any_text_is_harmless(self, text: str) -> None:
        """A text that no rule knows gives None, never an exception."""
        assert answer(text) is None

    @pytest.mark.parametrize(
        "question",
        [
            "Simplify the fraction 1/0 to its lowest terms",
            "Find the value of x in the equation: x = = 2",
            "Calculate 1 / 0.",
            "Calculate " + "(" * 5000 + ".",
            "Find the prime factorization of 1" + "0" * 5000 + ".",
            "convert the base-99 number 12 to base-3",
            "there are between 1 and 99999999999 (inclusive) : how many prime numbers there are "
            "between 1 and 99999999999 (inclusive)",
            "how many legs are there in total if you have 3 unicorns?",
            "This is a BF (Brainf*ck) program\n\n+[]\n",
            "This is a BF (Brainf*ck) program\n\n][\n",
            "Solve the following task:\n|1 2|2 1/3 1 =",
        ],
    )
    def test_nonsense_is_not_answered(self, question: str) -> None:
        """A question of a known look that makes no sense gets None, soon and without a crash."""
        assert answer(question) is None

    @pytest.mark.parametrize(
        "piece", ["1 ", "1 0\n", "a\n", "Calculate . ", "a is b. ", "|1 2", " "]
    )
    def test_long_texts_take_no_time(self, piece: str) -> None:
        """Patterns are linear: a text of 100,000 signs is turned down in a moment."""
        text = piece * (100_000 // len(piece))
        begin = time.perf_counter()
        assert answer(text) is None
        assert time.perf_counter() - begin < 2

    @pytest.mark.parametrize("text", ["__import__('os')", "x", "1 if 1 else 2", "2**9", "'a'*3"])
    def test_expressions_are_arithmetic_only(self, text: str) -> None:
        """The evaluator knows + - * / and numbers; it runs nothing else."""
        with pytest.raises(ValueError):
            evaluate(text)

    def test_the_policy_never_sees_the_library(self) -> None:
        """Neither the policy nor its server imports reasoning-gym: it has no oracle to ask."""
        code = "import demo.policy_server, sys; assert 'reasoning_gym' not in sys.modules"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=60)


class TestCompletions:
    def test_flawless(self) -> None:
        """Without mistakes every completion is a thought and one right answer."""
        for text, reason in Policy(**FLAWLESS).complete(GCD, 20, 100):
            assert text.startswith("<think>\n") and text.endswith("\n</think>\n<answer>6</answer>")
            assert text.count("<answer>") == 1 and reason == "stop"

    def test_the_unknown_is_a_guess(self) -> None:
        """What no rule knows gets a well-formed completion that admits it."""
        [completion] = Policy(**FLAWLESS).complete("Who are you?", 1, 100)
        assert f"<answer>{GUESS}</answer>" in completion.text

    def test_always_wrong(self) -> None:
        """With an error rate of one no completion holds the right answer."""
        for text, _ in Policy(**FLAWLESS | {"error_rate": 1.0}).complete(GCD, 50, 100):
            assert "<answer>6</answer>" not in text

    def test_always_broken(self) -> None:
        """With a format error rate of one every way to break the format turns up, and no other."""
        policy = Policy(**FLAWLESS | {"format_error_rate": 1.0})
        shapes = {
            (text.count("<answer>"), text.count("</think>"), text.endswith("</think>"))
            for text, _ in policy.complete(GCD, 100, 100)
        }
        assert shapes == {(0, 0, False), (2, 1, False), (1, 0, False), (1, 1, True)}
        assert len(shapes) == len(BROKEN)

    @pytest.mark.parametrize("max_tokens", [1, 7, 100, 5000])
    def test_always_overlong(self, max_tokens: int) -> None:
        """An overlong completion has more words than tokens are allowed, and says so."""
        policy = Policy(**FLAWLESS | {"overlong_rate": 1.0})
        for text, reason in policy.complete(GCD, 3, max_tokens):
            assert len(text.split()) > max_tokens and reason == "length" and "answer>" not in text

    def test_rates_are_kept(self) -> None:
        """Over many completions the share of each mistake is near the chosen rate."""
        policy = Policy(seed=1, error_rate=0.3, format_error_rate=0.1, overlong_rate=0.1)
        found = policy.complete(GCD, 4000, 10)
        overlong = sum(reason == "length" for _, reason in found) / 4000
        right = sum(text.endswith("</think>\n<answer>6</answer>") for text, _ in found) / 4000
        assert overlong == pytest.approx(0.1, abs=0.02)
        assert right == pytest.approx(0.9 * 0.9 * 0.7, abs=0.04)

    @pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
    def test_a_rate_is_a_share(self, rate: float) -> None:
        """A rate outside 0 to 1 is refused by name."""
        with pytest.raises(ValueError, match="overlong_rate"):
            Policy(overlong_rate=rate)


class TestDeterminism:
    def test_same_seed_same_texts(self) -> None:
        """Two policies with one seed agree call by call, whatever other prompts came between."""
        one, two = Policy(seed=5), Policy(seed=5)
        two.complete("something else", 4, 100)
        for _ in range(3):
            assert one.complete(GCD, 4, 100) == two.complete(GCD, 4, 100)

    def test_another_call_another_text(self) -> None:
        """Asked again, the policy draws again; another seed draws differently."""
        policy = Policy(seed=5)
        first, second = policy.complete(GCD, 8, 100), policy.complete(GCD, 8, 100)
        assert first != second
        assert Policy(seed=6).complete(GCD, 8, 100) != first


class TestTexts:
    def test_user_message_between_markers(self) -> None:
        """The question is the last user turn of a chat prompt, newlines included."""
        prompt = (
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nold<|im_end|>\n"
            "<|im_start|>user\nQ\nQ<|im_end|>\n<|im_start|>assistant\n"
        )
        assert user_message(prompt) == "Q\nQ"
        assert user_message("no markers") == "no markers"

    @given(right=st.text(), rng=st.randoms())
    def test_perturbed_is_different(self, right: str, rng: random.Random) -> None:
        """A perturbed answer is never the right one."""
        assert perturb(right, rng) != right

    @pytest.mark.parametrize(("right", "wrong"), [("True", "False"), ("a b", "b a"), ("ab", "abb")])
    def test_perturbed_keeps_its_look(self, right: str, wrong: str) -> None:
        """Wrong answers look like answers: the opposite, other words, one letter doubled."""
        assert perturb(right, random.Random(0)) == wrong
