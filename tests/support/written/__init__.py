"""How answers of each kind are written, and changed so that they are wrong."""

from tests.support.written import (
    algebra,
    algorithmic,
    arithmetic,
    code,
    cognition,
    games,
    geometry,
    graphs,
    kinds,
    logic,
    probability,
)
from tests.support.written.base import right_forms, wrong_forms

__all__ = ["right_forms", "wrong_forms"]

REGISTERED = (
    algebra,
    algorithmic,
    arithmetic,
    code,
    cognition,
    games,
    geometry,
    graphs,
    kinds,
    logic,
    probability,
)
"""The files that say what is particular to a kind."""
