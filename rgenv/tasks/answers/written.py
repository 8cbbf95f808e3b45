"""Right answers in other forms, and wrong answers in the same forms.

Example::

    right_forms(Number(), "1134", question)
    # {"plain": "1134", "boxed": "\\boxed{1134}", "thousands": "1,134", ...}
    wrong_forms(Number(), "1134", question, random.Random(0))
    # {"next, thousands": "1,135", "two candidates 0": "1134, or maybe 1135", ...}

A fair verifier pays for every form of the first kind and for none of the second.
"""

import random

from rgenv.tasks.answers.kind import Answer, Forms

PLAIN = "plain"
"""Name of the form in which the library writes the answer."""

WRAPPERS = {
    "full stop": "{}.",
    "CJK full stop": "{}。",
    "invisible characters": "\u200b{}\u2060\ufeff",
    "bold": "**{}**",
    "italics": "*{}*",
    "backticks": "`{}`",
    "code fence": "```\n{}\n```",
    "code fence with a language": "```text\n{}\n```",
    "boxed": "\\boxed{{}}",
    "dollars": "${}$",
    "LaTeX brackets": "\\({}\\)",
    "LaTeX display": "\\[{}\\]",
    "LaTeX bold": "\\textbf{{}}",
    "LaTeX upright": "\\mathrm{{}}",
    "double quotes": '"{}"',
    "single quotes": "'{}'",
    "white space": "\n  {}\n",
}
"""Name of a wrapper -> the wrapped text, with {} for the answer."""

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
_QUOTES = frozenset("\"'")


def right_forms(kind: Answer, reference: str, question: str) -> Forms:
    """Return a right answer, as the library writes it, in every form that a fair reader accepts.

    The form ``plain`` is `reference` itself. The question may ask for a form or a precision.
    """
    found = {PLAIN: reference}
    found |= {
        name: _wrap(text, reference) for name, text in WRAPPERS.items() if _fits(name, reference)
    }
    for inner, outer in _NESTED:
        text = _wrap(WRAPPERS[inner], reference)
        if _fits(inner, reference) and _fits(outer, text):
            found[f"{inner} in {outer}"] = _wrap(WRAPPERS[outer], text)
    for place, (name, text) in enumerate(_other_forms(kind, reference, question).items()):
        found[name] = text
        fitting = [wrapper for wrapper in WRAPPERS if _fits(wrapper, text)]
        if fitting and not text.startswith(("$", "\\(")):
            wrapper = fitting[place % len(fitting)]
            found[f"{name}, {wrapper}"] = _wrap(WRAPPERS[wrapper], text)
    return found


def _other_forms(kind: Answer, reference: str, question: str) -> Forms:
    forms = kind.forms(reference, question)
    return {name: text for name, text in forms.items() if text not in ("", reference)}


def _wrap(wrapper: str, text: str) -> str:
    before, after = wrapper.split("{}")
    return before + text + after


def _fits(wrapper: str, text: str) -> bool:
    """Return whether a reader can tell the wrapper from the text."""
    if "quotes" in wrapper:
        return not set(text) & _QUOTES
    if wrapper.endswith("full stop"):
        return text[-1:] not in {*'.,;:!?"', "'", "$", ")", "\n"}
    if wrapper in ("dollars", "LaTeX brackets", "LaTeX display"):
        return not any(sign in text for sign in ("$", "\\(", "\\["))
    if wrapper == "italics":
        return "*" not in text
    return wrapper != "backticks" or "`" not in text


def near_misses(kind: Answer, reference: str, question: str, rng: random.Random) -> Forms:
    """Return the changes of a right answer that are wrong; see `Answer.misses`."""
    return {
        name: text
        for name, text in kind.misses(reference, question, rng).items()
        if text.strip() and text != reference and not kind.may_be_right(text, question)
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
    found |= {name: _wrap(text, reference) for name, text in _PROSE.items()}
    if kind.extendable:
        return found
    for number, other in enumerate(wrong.values()):
        for name, text in _JOINED.items():
            found[f"{name} {number}"] = text.replace("{1}", other).replace("{0}", reference)
    found["twice"] = f"{reference}\n{reference}"
    others = list(_other_forms(kind, reference, question).values())[:4]
    found |= {f"two forms {n}": f"{reference} = {text}" for n, text in enumerate(others, 1)}
    found |= {f"form in brackets {n}": f"{reference} ({text})" for n, text in enumerate(others, 1)}
    return found
