"""Correction for integrals that the library leaves unsolved.

Example::

    intermediate_integration(entry)    # "sin(x) - x*cos(x) + C", not "Integral(x*sin(x), x) + C"
"""

from __future__ import annotations

import sympy

from rgenv.tasks.entry import Entry
from rgenv.worker.safe_parse import CALCULUS, formula


def intermediate_integration(entry: Entry) -> Entry | None:
    """Return the entry with a solved integral; None if sympy finds none.

    The library builds some integrands with a function of its own that is only called sin or cos.
    """
    if "Integral" not in entry["answer"]:
        return entry
    name = entry["metadata"]["variable"]
    variable = sympy.Symbol(name)
    integral = sympy.integrate(
        formula(entry["metadata"]["integrand"], CALCULUS, {name: variable}), variable
    )
    return None if integral.has(sympy.Integral) else {**entry, "answer": f"{integral} + C"}
