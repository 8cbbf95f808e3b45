"""Work in geometry and chance: operations of a calculation by hand.

Example::

    coin_flip(entry)    # 10.0 for "exactly 4 heads in 9 fair coin flips"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

_OPERATIONS = {"angle_measure": 16.0, "orthocenter": 21.0, "incircle_radius": 27.0}
"""Operations on reals: two vectors, their product and their lengths; two lines and where they meet;
three lengths and the area."""


def advanced_geometry(entry: Entry) -> float:
    """Return the operations on reals that the wanted figure takes."""
    return _OPERATIONS[entry["metadata"]["task_type"]]


def simple_geometry(entry: Entry) -> float:
    """Return the number of angles to add or subtract."""
    return float(entry["metadata"]["n_sides"])


def coin_flip(entry: Entry) -> float:
    """Return the products and quotients of the binomial coefficients, plus their sum.

    "At least k" needs the coefficients from k on, or those below k, each from the one before.
    """
    trials, heads = (int(entry["metadata"][key]) for key in ("num_trials", "k_heads"))
    if entry["metadata"]["problem_type"] == "exact":
        return 1.0 + 2 * min(heads, trials - heads)
    return 1.0 + 3 * min(heads, trials - heads + 1)


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "advanced_geometry": advanced_geometry,
    "coin_flip": coin_flip,
    "simple_geometry": simple_geometry,
}
