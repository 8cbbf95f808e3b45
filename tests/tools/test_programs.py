"""tools/programs.py: what does not solve a problem is found, and luck is not."""

import random
import re
from collections.abc import Callable

import pytest

from tools.programs import Program, Sample, programs

N = 200


def found(samples: list[Sample]) -> dict[str, Program]:
    return {one.kind: one for one in programs(samples)}


def beyond(samples: list[Sample], kind: str) -> float:
    """Return how many more problems the best program of a kind solves than the top answer."""
    each = found(samples)
    return each[kind].solved.value - each["constant"].solved.value


def drawn(make: Callable[[random.Random], Sample]) -> list[Sample]:
    return [make(random.Random(seed)) for seed in range(N)]


def words(rng: random.Random) -> str:
    return " ".join(rng.choices(["a", "big", "cat", "dog", "eats", "fish"], k=rng.randint(8, 16)))


@pytest.mark.parametrize("labels", [["Yes", "No"], ["1", "2", "3"], [str(n) for n in range(90)]])
def test_labels_at_random_can_not_be_told(labels: list[str]) -> None:
    """Hundreds of features are tried, and the best one is not taken for more than it is."""
    samples = drawn(
        lambda rng: Sample(f"Is it so? {words(rng)} {rng.random()}", rng.choice(labels))
    )
    assert all(beyond(samples, kind) < 0.1 for kind in found(samples))


def test_a_rule_counts_if_the_verifier_accepts_it() -> None:
    """Its text may differ from the reference answer."""
    samples = [
        Sample(str(n), "1", {"a": "x", "b": "1"}, frozenset("a" if n else "ab")) for n in range(4)
    ]
    assert found(samples)["rule"].name == "a" and found(samples)["rule"].solved.value == 1.0


def detour(rng: random.Random) -> Sample:
    """A problem of which a rule is always off by one, or that can't be solved."""
    near = rng.randint(3, 30)
    closed = rng.random() < 0.4
    text = f"From {near} {words(rng)} {'x' * rng.randint(3, 9) if closed else ''}"
    return Sample(text, "-1" if closed else str(near + 1), {"near": str(near)})


def test_a_constant_added_to_a_rule_is_found() -> None:
    """Also where a feature says that another answer is right."""
    plain = [one for one in drawn(detour) if one.answer != "-1"]
    assert found(plain)["offset"].name == "near" and beyond(plain, "offset") > 0.8
    assert beyond(drawn(detour), "offset") < 0.3 and beyond(drawn(detour), "branch") > 0.5


def test_a_line_and_a_table_are_found() -> None:
    """A count that is three times the answer, and one that has an answer for each value."""

    def tripled(rng: random.Random) -> Sample:
        count = rng.randint(5, 40)
        return Sample(f"{'#' * (3 * count)} {words(rng)}", str(count))

    def coded(rng: random.Random) -> Sample:
        number = rng.randint(0, 9)
        return Sample(f"{number} {words(rng)}", "tzuvbakmqe"[number])

    assert beyond(drawn(tripled), "line") > 0.8
    assert beyond(drawn(coded), "table") > 0.8 and "line" not in found(drawn(coded))


def test_several_features_together_are_left_to_the_forest() -> None:
    """Neither of two counts says anything by itself."""

    def compared(rng: random.Random) -> Sample:
        text = "".join(rng.choices("ab", k=41))
        return Sample(f"{text} {words(rng)}", str(text.count("a") > text.count("b")))

    assert beyond(drawn(compared), "forest") > 0.3


def test_one_rewriting_is_found_and_two_are_not() -> None:
    """A letter behind a pattern: once is a habit, wherever it occurs is the task."""

    def inserted(places: int) -> Callable[[random.Random], Sample]:
        def make(rng: random.Random) -> Sample:
            parts = ["".join(rng.choices("BCDE", k=12)) for _ in range(places + 1)]
            text = rng.choice(["ABCD", "DEAB"]).join(parts)
            return Sample(f"Insert: {text}", re.sub("ABCD|DEAB", r"\g<0>X", text))

        return make

    assert beyond(drawn(inserted(1)), "rewriting") > 0.8
    assert beyond(drawn(inserted(2)), "rewriting") < 0.1
