"""Any input that gives the output is right, and hostile ones do nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from rgenv.tasks import programs
from rgenv.tasks.programs import repeats_output, source
from rgenv.worker.scoring import verify

QUESTION = """
You are given a question.

Given the following output:

{output}

Can you predict a feasible input without writing any code? Please reason.

Tip: Here is a reference code snippet for this question. You can refer to this code to guide your \
reasoning but not copy spans of code directly.

{code}
"""
Make = Callable[..., dict[str, Any]]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch) -> Make:
    """Return a function that makes an entry from code and its generator of inputs."""

    def entry(code: str, generator: str, **own: Any) -> dict[str, Any]:
        names: dict[str, Any] = {}
        exec(code, names)  # code of this test
        output = names["main_solution"](**own)
        monkeypatch.setattr(programs, "generator_of", {code: generator}.get)
        return {
            "question": QUESTION.format(output=output, code=code),
            "answer": json.dumps(own),
            "metadata": {"input_data": own, "output_data": output},
        }

    programs._samples.cache_clear()
    return entry


def score(entry: dict[str, Any], text: str) -> float:
    return verify("codeio", text, entry, lambda answer: 0.0)


SQUARES = "def main_solution(n, words):\n    return {'r': n * n, 'k': sorted(words)}"
GENERATOR = """
def generate_inputs(rng):
    return {"n": rng.randint(1, 9), "words": [rng.choice("abc") for _ in range(rng.randint(1, 5))]}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"n": 3, "words": ["b", "a"]}', 1.0),
        ('{"n":3,"words":["a","b"]}', 1.0),
        ('{"n": -3, "words": ["a", "b"]}', 1.0),
        ("{'words': ('a', 'b'), 'n': 3.0}", 1.0),
        ('```json\n{"n": 3, "words": ["a", "b"]}\n```', 1.0),
        ('{"n": 4, "words": ["b", "a"]}', 0.0),
        ('{"n": 3, "words": ["b", "a", "a"]}', 0.0),
        ('{"n": 3, "words": "ab"}', 0.0),
        ('{"n": "3", "words": ["a", "b"]}', 0.0),
        ('{"n": 3, "words": ["a", "b"], "x": 1}', 0.0),
        ('{"words": ["a", "b"]}', 0.0),
        ('{"n": 3, "n": 3, "words": ["a", "b"]}', 0.0),
        ('It is {"n": 3, "words": ["a", "b"]}', 0.0),
        ('{"n": 3, "words": ["a", "b"]} {"n": 3, "words": ["a", "b"]}', 0.0),
        ('[3, ["a", "b"]]', 0.0),
        ('{"r": 9, "k": ["a", "b"]}', 0.0),
    ],
)
def test_any_input_that_gives_the_output_is_right(make: Make, text: str, expected: float) -> None:
    """The program decides, for values of the types and keys that its generator makes."""
    entry = make(SQUARES, GENERATOR, n=3, words=["b", "a"])
    assert score(entry, text) == expected


def test_an_output_is_compared_by_value() -> None:
    """Spaces, quotes, orders of keys and noise of floats make no difference; values do."""
    entry = {
        "question": "Can you predict the output without writing any code?",
        "answer": '{"a": [1, 2.5], "b": null, "c": 3.141592653589793, "d": true}',
        "metadata": {},
    }
    right = '{"b":null,"a":[1.0,2.50],"c":3.14159265,"d":true}'
    assert score(entry, right) == 1.0
    assert score(entry, "{'a': (1, 2.5), 'b': None, 'c': 3.141592653589793, 'd': True}") == 1.0
    for old, new in (("2.50", "2.5001"), ("true", "1"), ("3.14159265", "3.1416"), ("null", "0")):
        assert score(entry, right.replace(old, new)) == 0.0
    text = {**entry, "answer": '"two words"'}
    assert score(text, "two words") == score(text, '"two words"') == 1.0
    assert score(text, "two  words") == score(text, "words") == 0.0


def test_an_item_repeats_its_output_or_is_unreproducible(make: Make) -> None:
    """A program that counts calls or changes its input does not return the same output again."""
    constant = "def generate_inputs(rng):\n    return {'xs': [1]}"
    same = make("def main_solution(xs):\n    return xs + [2]", constant, xs=[1])
    assert repeats_output(same)
    changed = make("def main_solution(xs):\n    xs.append(2)\n    return len(xs)", constant, xs=[1])
    assert changed["metadata"]["input_data"] == {"xs": [1, 2]}
    assert not repeats_output(changed)
    drawn = make(
        "import random\ndef main_solution(xs):\n    return random.random()", constant, xs=[1]
    )
    assert not repeats_output(drawn)
    assert not repeats_output({**same, "question": "no program"})


def test_listed_programs_are_not_asked(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program of the list is unreproducible, even if it repeats its output here."""
    code = "def main_solution(n):\n    return n"
    entry = make(code, "", n=1)
    monkeypatch.setattr(source, "_unreproducible", lambda: {source.digest(code)})
    assert not repeats_output(entry)
