"""Values like the samples fit, and take their types."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.programs.shapes import Misfit, fitted, shape_of

SAMPLES: list[Any] = [
    {
        "n": n,
        "x": n / 2,
        "pair": (n, "a"),
        "rows": [[n, 1], [2, 3]][: n % 2 + 1],
        "name": "bc" * (n % 3),
        "graph": {"v" * (i + 1): [i] for i in range(n)},
        "table": {i: "t" for i in range(n)},
        "flag": bool(n % 2),
        "rest": None if n % 2 else 1,
    }
    for n in range(1, 13)
]
OWN = SAMPLES[4]


def changed(**values: Any) -> Any:
    return {**OWN, "table": {"3": "t"}, "pair": [5, "a"], **values}


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"n": 13},
        {"n": -1},
        {"n": 7.0},
        {"x": 3},
        {"name": "bcbc "},
        {"rows": [[1, 2]]},
        {"graph": {"other": [1]}},
        {"rest": None},
        {"flag": True},
    ],
)
def test_values_like_the_samples_fit(values: dict[str, Any]) -> None:
    """Somewhat larger values fit, and a number in the other notation."""
    result = fitted(changed(**values), shape_of(SAMPLES))
    assert type(result["n"]) is int and type(result["x"]) is float
    assert result["pair"] == (5, "a") and result["table"] == {3: "t"}


@pytest.mark.parametrize(
    "values",
    [
        {"n": 10**12},
        {"n": 7.5},
        {"n": True},
        {"n": "7"},
        {"n": None},
        {"x": float("nan")},
        {"x": float("inf")},
        {"x": 1e300},
        {"pair": [5]},
        {"pair": [5, "a", "b"]},
        {"rows": []},
        {"rows": [[1, 2]] * 100},
        {"rows": [[[1]]]},
        {"rows": 5},
        {"name": "b" * 100},
        {"name": "99999"},
        {"name": ["b"]},
        {"graph": {"v": "v"}},
        {"graph": {str(i): [i] for i in range(99)}},
        {"table": {"__class__": "t"}},
        {"table": {"9" * 30: "t"}},
        {"flag": 1},
        {"__class__": 1},
    ],
)
def test_other_values_do_not_fit(values: dict[str, Any]) -> None:
    """Other types, keys, nestings, fixed lengths, and sizes far beyond the samples are refused."""
    with pytest.raises(Misfit):
        fitted(changed(**values), shape_of(SAMPLES))


def test_a_missing_key_does_not_fit() -> None:
    """Every key that all samples have is needed."""
    with pytest.raises(Misfit):
        fitted({key: value for key, value in changed().items() if key != "n"}, shape_of(SAMPLES))


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=3),
        st.recursive(
            st.integers(-9, 9) | st.text("xyz", max_size=5) | st.booleans() | st.none(),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=6,
        ),
        min_size=1,
    )
)
def test_each_sample_fits_its_own_shape(sample: dict[str, Any]) -> None:
    """A value made of JSON's types is its own only sample."""
    assert fitted(sample, shape_of([sample])) == sample
