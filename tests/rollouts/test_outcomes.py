"""rgenv/rollouts/outcomes.py: what the metrics count of a group, and their rates."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.outcomes import Outcomes, format_of, rates, total_rates
from rgenv.types import KINDS


def outcomes(
    rewards: Sequence[float],
    *,
    scores: Sequence[float] | None = None,
    cut: Sequence[int] = (),
    tokens: Sequence[int] | None = None,
    kinds: Sequence[str] | None = None,
    mask: bool = True,
) -> Outcomes:
    """A group; `cut` has the indices of its truncated completions."""
    truncated = [index in cut for index in range(len(rewards))]
    return Outcomes(
        scores=list(rewards if scores is None else scores),
        rewards=list(rewards),
        kinds=list(kinds or ["scored"] * len(rewards)),
        truncated=truncated,
        masked=[each and mask for each in truncated],
        tokens=list(tokens or [1] * len(rewards)),
    )


@given(st.sampled_from(KINDS), st.booleans())
def test_each_completion_has_one_format(kind: str, cut: bool) -> None:
    """The four shares of formats add up to 1."""
    group = outcomes([0.0, 1.0], kinds=[kind, "scored"], cut=[0] if cut else [])
    shares = (
        rates([group])["format_rate"],
        *(total_rates([group])[f"format_{name}_rate"] for name in ("cut", "rejected", "broken")),
    )
    assert sum(shares) == pytest.approx(1.0)


def test_a_cut_completion_with_an_answer_kept_the_format() -> None:
    """What counts is whether the verifier could read an answer."""
    assert format_of("scored", truncated=True) == "kept"
    assert format_of("timeout", truncated=False) == "kept"
    assert format_of("too_large", truncated=True) == "rejected"


def test_each_problem_has_the_same_weight() -> None:
    """Accuracy is a mean over groups of their means, also where they differ in size."""
    groups = [outcomes([1.0]), outcomes([0.0, 0.0, 0.0])]
    assert rates(groups)["accuracy"] == 0.5
