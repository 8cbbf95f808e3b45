"""The stand-in policy: right by its rules, and wrong at the chosen rates."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.policy import BROKEN, GUESS, Policy, user_message, wrong_answer

GCD = "Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD"
FLAWLESS = {"error_rate": 0.0, "format_error_rate": 0.0, "overlong_rate": 0.0}


class TestCompletions:
    def test_flawless(self) -> None:
        """At error rates of 0 every completion is a thought and the right answer."""
        for text, reason in Policy(**FLAWLESS).complete(GCD, 20, 100):
            assert text.startswith("<think>\n") and text.endswith("\n</think>\n<answer>6</answer>")
            assert text.count("<answer>") == 1 and reason == "stop"

    def test_the_unknown_is_a_guess(self) -> None:
        """A question without a rule gets a well-formed guess."""
        [completion] = Policy(**FLAWLESS).complete("Who are you?", 1, 100)
        assert f"<answer>{GUESS}</answer>" in completion.text

    def test_always_wrong(self) -> None:
        """At an error rate of 1 no completion has the right answer."""
        for text, _ in Policy(**FLAWLESS | {"error_rate": 1.0}).complete(GCD, 50, 100):
            assert "<answer>6</answer>" not in text

    def test_always_broken(self) -> None:
        """At a format error rate of 1 each of the broken formats is used, and no other."""
        policy = Policy(**FLAWLESS | {"format_error_rate": 1.0})
        shapes = {
            (text.count("<answer>"), text.count("</think>"), text.endswith("</think>"))
            for text, _ in policy.complete(GCD, 100, 100)
        }
        assert shapes == {(0, 0, False), (2, 1, False), (1, 0, False), (1, 1, True)}
        assert len(shapes) == len(BROKEN)

    @pytest.mark.parametrize("max_tokens", [1, 7, 100, 5000])
    def test_always_overlong(self, max_tokens: int) -> None:
        """An overlong completion has more words than max_tokens and no answer."""
        policy = Policy(**FLAWLESS | {"overlong_rate": 1.0})
        for text, reason in policy.complete(GCD, 3, max_tokens):
            assert len(text.split()) > max_tokens and reason == "length" and "answer>" not in text

    def test_rates_are_kept(self) -> None:
        """Over many completions the share of each mistake is close to its rate."""
        policy = Policy(seed=1, error_rate=0.3, format_error_rate=0.1, overlong_rate=0.1)
        found = policy.complete(GCD, 4000, 10)
        overlong = sum(reason == "length" for _, reason in found) / 4000
        right = sum(text.endswith("</think>\n<answer>6</answer>") for text, _ in found) / 4000
        assert overlong == pytest.approx(0.1, abs=0.02)
        assert right == pytest.approx(0.9 * 0.9 * 0.7, abs=0.04)

    @pytest.mark.parametrize("rate", [-0.1, 1.1, float("nan")])
    def test_a_rate_is_a_share(self, rate: float) -> None:
        """A rate outside 0 to 1 is an error that names it."""
        with pytest.raises(ValueError, match="overlong_rate"):
            Policy(overlong_rate=rate)


class TestDeterminism:
    def test_same_seed_same_texts(self) -> None:
        """Two policies with one seed agree call by call; other prompts between change nothing."""
        one, two = Policy(seed=5), Policy(seed=5)
        two.complete("something else", 4, 100)
        for _ in range(3):
            assert one.complete(GCD, 4, 100) == two.complete(GCD, 4, 100)

    def test_another_call_another_text(self) -> None:
        """A second call, or another seed, gives other completions."""
        policy = Policy(seed=5)
        first, second = policy.complete(GCD, 8, 100), policy.complete(GCD, 8, 100)
        assert first != second
        assert Policy(seed=6).complete(GCD, 8, 100) != first


class TestTexts:
    def test_user_message_between_markers(self) -> None:
        """The question is the last user turn of a chat prompt, with its newlines."""
        prompt = (
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nold<|im_end|>\n"
            "<|im_start|>user\nQ\nQ<|im_end|>\n<|im_start|>assistant\n"
        )
        assert user_message(prompt) == "Q\nQ"
        assert user_message("no markers") == "no markers"

    @given(right=st.text(), rng=st.randoms())
    def test_a_wrong_answer_is_wrong(self, right: str, rng: random.Random) -> None:
        """A wrong answer differs from the right one."""
        assert wrong_answer(right, rng) != right

    @pytest.mark.parametrize(("right", "wrong"), [("True", "False"), ("a b", "b a"), ("ab", "abb")])
    def test_a_wrong_answer_looks_like_an_answer(self, right: str, wrong: str) -> None:
        """Truth values are negated, words reversed, single words get a letter doubled."""
        assert wrong_answer(right, random.Random(0)) == wrong
