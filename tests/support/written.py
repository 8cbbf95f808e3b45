"""Right answers in the forms that people write, and wrong ones in the same forms.

A fair verifier pays for every form of the first kind and for none of the second. What is particular
to a problem stands in data/answers.jsonl.gz, which data/README.md describes.
"""

import gzip
import json
import re
from functools import cache
from typing import Any, NamedTuple

from rgenv.validation.answers import WRAPPERS, wrap
from tests.support.paths import DATA

Forms = dict[str, str]
"""Name of a form, or of a change -> the text."""

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


class Written(NamedTuple):
    """A problem, a right answer, and wrong ones by what was changed, each with other forms.

    `may_go_on`: a right answer may still be right with more after it.
    """

    recipe: dict[str, Any]
    right: str
    forms: Forms
    misses: dict[str, tuple[str, Forms]]
    may_go_on: bool = False

    def right_forms(self) -> Forms:
        """Return the right answer in every form that a fair reader accepts."""
        return _in_wrappers(self.right, self.forms)

    def wrong_forms(self) -> Forms:
        """Return wrong answers in the forms of right ones, and right ones among other text."""
        right = self.right
        found = {
            f"{name}, {form}": text
            for name, (miss, forms) in self.misses.items()
            for form, text in _in_wrappers(miss, forms).items()
        }
        found |= {name: text.replace("{}", right) for name, text in _PROSE.items()}
        if self.may_go_on:
            return found
        for number, (miss, _) in enumerate(self.misses.values()):
            for name, text in _JOINED.items():
                found[f"{name} {number}"] = text.replace("{1}", miss).replace("{0}", right)
        found["twice"] = f"{right}\n{right}"
        others = list(self.forms.values())[:4]
        found |= {f"two forms {n}": f"{right} = {text}" for n, text in enumerate(others, 1)}
        found |= {f"in brackets {n}": f"{right} ({text})" for n, text in enumerate(others, 1)}
        return found


def fits(wrapper: str, text: str) -> bool:
    """Return whether a reader can tell the wrapper from the text."""
    if "quotes" in wrapper:
        return not set(text) & {'"', "'"}
    if wrapper == "bold":
        return "*" not in text or any(map(str.isalnum, text))
    if wrapper.endswith("full stop"):
        has_words = bool(re.search(r"[^\W\d_]{2}|\d", text))
        return ("." not in text or has_words) and text[-1:] not in {*".,;:!?\"'$)\n"}
    if wrapper in ("dollars", "LaTeX brackets", "LaTeX display"):
        return not any(sign in text for sign in ("$", "\\(", "\\["))
    if wrapper == "italics":
        return "*" not in text
    return wrapper != "backticks" or "`" not in text


def _in_wrappers(answer: str, forms: Forms) -> Forms:
    """Return an answer and its forms, alone and in wrappers; the answer also in two."""
    found = {"plain": answer}
    found |= {name: wrap(name, answer) for name in WRAPPERS if fits(name, answer)}
    for inner, outer in _NESTED:
        text = wrap(inner, answer)
        if fits(inner, answer) and fits(outer, text):
            found[f"{inner} in {outer}"] = wrap(outer, text)
    for place, (name, text) in enumerate(forms.items()):
        found[name] = text
        fitting = [wrapper for wrapper in WRAPPERS if fits(wrapper, text)]
        if fitting and not text.startswith(("$", "\\(")):
            wrapper = fitting[place % len(fitting)]
            found[f"{name}, {wrapper}"] = wrap(wrapper, text)
    return found


@cache
def _recorded() -> list[Written]:
    with gzip.open(DATA / "answers.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [Written(**json.loads(line)) for line in lines]


def written_for(task: str) -> list[Written]:
    """Return the problems of a task whose answers are recorded, at three levels."""
    return [one for one in _recorded() if one.recipe["task"] == task]
