"""Right answers in other forms, and wrong answers in the same forms.

::

    right_forms(Number(), "1134", question)
    # {"plain": "1134", "boxed": "\\\\boxed{1134}", "thousands": "1,134", ...}
    wrong_forms(Number(), "1134", question, random.Random(0))
    # {"next, thousands": "1,135", "two candidates 0": "1134, or maybe 1135", ...}

A fair verifier pays for every form of the first kind and for none of the second. `other_forms` and
`changes` say what is particular to a kind; the other files of this folder register it.
"""

import random
from decimal import Context, localcontext
from functools import singledispatch

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.cognition.rubiks_cube import Turns
from rgenv.tasks.games.sokoban import Steps
from rgenv.validation.answers import WRAPPERS, fits, wrap

Forms = dict[str, str]
"""Name of a form, or of a change -> the text."""

PLAIN = "plain"
"""Name of the form in which the library writes the answer."""

_NESTED = (
    ("boxed", "dollars"),
    ("boxed", "LaTeX display"),
    ("boxed", "full stop"),
    ("boxed", "bold"),
    ("boxed", "boxed"),
    ("dollars", "full stop"),
    ("bold", "full stop"),
    ("full stop", "bold"),
    ("bold", "backticks"),
    ("bold", "code fence"),
    ("double quotes", "full stop"),
    ("LaTeX bold", "boxed"),
)
"""Wrappers within others: the inner and the outer one."""

_PROSE = {
    "prose before": "The answer is {}",
    "prose after": "{} is my answer",
    "prose around": "I think that it is {}, but I am not sure.",
    "not": "not {}",
}
_JOINED = {
    "two candidates": "{0}, or maybe {1}",
    "two candidates, wrong first": "{1}, or maybe {0}",
    "two lines": "{0}\n{1}",
    "two lines, wrong first": "{1}\n{0}",
    "correction": "{1}, no, {0}",
}

_EXTENDABLE = (Turns, Steps)
"""Kinds whose right answers may still be right with more after them."""


@singledispatch
def other_forms(kind: Answer, reference: str, question: str) -> Forms:
    """Return other forms of a right answer, as a fair reader of the question accepts them.

    Where a question prescribes a form, such as two factors separated by ×, no other one counts.

    Args:
        reference: a right answer, as the library writes it.
    """
    return {}


@singledispatch
def changes(kind: Answer, reference: str, question: str, rng: random.Random) -> Forms:
    """Return wrong answers in the form of a right one: a number, item, cell or move changed.

    Where a question has several right answers, a change breaks a rule of the question, or
    `may_be_right` says that it may be one of them.
    """
    return {}


@singledispatch
def may_be_right(kind: Answer, text: str, question: str) -> bool:
    """Return whether a changed answer may answer the question after all."""
    return False


def right_forms(kind: Answer, reference: str, question: str) -> Forms:
    """Return a right answer, as the library writes it, in every form that a fair reader accepts.

    The form ``plain`` is `reference` itself. The question may ask for a form or a precision.
    """
    found = {PLAIN: reference}
    found |= {name: wrap(name, reference) for name in WRAPPERS if fits(name, reference)}
    for inner, outer in _NESTED:
        text = wrap(inner, reference)
        if fits(inner, reference) and fits(outer, text):
            found[f"{inner} in {outer}"] = wrap(outer, text)
    for place, (name, text) in enumerate(_different(kind, reference, question).items()):
        found[name] = text
        fitting = [wrapper for wrapper in WRAPPERS if fits(wrapper, text)]
        if fitting and not text.startswith(("$", "\\(")):
            wrapper = fitting[place % len(fitting)]
            found[f"{name}, {wrapper}"] = wrap(wrapper, text)
    return found


def _different(kind: Answer, reference: str, question: str) -> Forms:
    with localcontext(Context()):  # the library changes that of the process
        forms = other_forms(kind, reference, question)
    return {name: text for name, text in forms.items() if text not in ("", reference)}


def near_misses(kind: Answer, reference: str, question: str, rng: random.Random) -> Forms:
    """Return the changes of a right answer that are wrong; see `changes`."""
    with localcontext(Context()):
        found = changes(kind, reference, question, rng)
    return {
        name: text
        for name, text in found.items()
        if text.strip() and text != reference and not may_be_right(kind, text, question)
    }


def wrong_forms(kind: Answer, reference: str, question: str, rng: random.Random) -> Forms:
    """Return wrong answers in the forms of right ones, and right ones among other text.

    Each has to score less than 1.0, and 0.0 where there is no partial credit: changed values in
    every form, texts that contain the right answer, several candidates, prose around it, two forms
    at once. Arguments as of `right_forms`.
    """
    wrong = near_misses(kind, reference, question, rng)
    found = {
        f"{name}, {form}": text
        for name, value in wrong.items()
        for form, text in right_forms(kind, value, question).items()
    }
    found |= {name: text.replace("{}", reference) for name, text in _PROSE.items()}
    if isinstance(kind, _EXTENDABLE):
        return found
    for number, other in enumerate(wrong.values()):
        for name, text in _JOINED.items():
            found[f"{name} {number}"] = text.replace("{1}", other).replace("{0}", reference)
    found["twice"] = f"{reference}\n{reference}"
    others = list(_different(kind, reference, question).values())[:4]
    found |= {f"two forms {n}": f"{reference} = {text}" for n, text in enumerate(others, 1)}
    found |= {f"form in brackets {n}": f"{reference} ({text})" for n, text in enumerate(others, 1)}
    return found
