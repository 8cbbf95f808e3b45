"""Any input that gives the output is right, and hostile ones do nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rgenv.tasks import programs
from rgenv.tasks.programs import gives_output, repeats_output, source
from rgenv.tasks.programs.running import MAX_SECONDS
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


def test_a_program_that_opens_what_it_gets_does_not_run(make: Make, tmp_path: Path) -> None:
    """Then only the item's own input is right."""
    code = "def main_solution(path):\n    return str(open(path).read())"
    file = tmp_path / "file"
    file.write_text("x")
    other = tmp_path / "other"
    other.write_text("x")
    entry = make(code, "def generate_inputs(rng):\n    return {'path': 'a'}", path=str(file))
    assert score(entry, json.dumps({"path": str(file)})) == 1.0
    assert score(entry, json.dumps({"path": str(other)})) == 0.0


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
    for old, new in (("2.50", "2.5001"), ("true", "1"), ("3.14159265", "3.14"), ("null", "0")):
        assert score(entry, right.replace(old, new)) == 0.0
    text = {**entry, "answer": '"two words"'}
    assert score(text, "two words") == score(text, '"two words"') == 1.0
    assert score(text, "two  words") == score(text, "words") == 0.0


COSTLY = {
    "loop": "def main_solution(n, s, xs):\n    while n < 10**30: n += 0\n    return 1",
    "power": "def main_solution(n, s, xs):\n    return len(str(3 ** n)) + 2 ** len(s)",
    "digits": "def main_solution(n, s, xs):\n    return sum(range(int(s) if s.isdigit() else n))",
    "grow": "def main_solution(n, s, xs):\n    return len(s * n) + len([0] * n)",
    "recursion": "def main_solution(n, s, xs):\n    return n and 1 + main_solution(n - 1, s, xs)",
    "subsets": "import itertools\ndef main_solution(n, s, xs):\n"
    "    return sum(1 for c in itertools.product(xs, repeat=n))",
    "regex": "import re\ndef main_solution(n, s, xs):\n    return bool(re.match('(a+)+$', s))",
    "copy": "import copy\ndef main_solution(n, s, xs):\n    return len(copy.deepcopy(xs)) + n",
    "keys": "def main_solution(n, s, xs):\n    return {s: n, '__class__': xs}.get('__class__')",
}
ANY = """
def generate_inputs(rng):
    return {"n": rng.randint(0, 3), "s": "a" * rng.randint(0, 4), "xs": [1] * rng.randint(0, 4)}
"""
HOSTILE = [
    {"n": 10**12, "s": "a", "xs": [1]},
    {"n": 10**4_000, "s": "a", "xs": [1]},
    {"n": -(10**9), "s": "a", "xs": [1]},
    {"n": 130, "s": "a" * 26 + "b", "xs": [1] * 18},
    {"n": 3, "s": "9" * 20, "xs": [1]},
    {"n": 3, "s": "a" * 10**6, "xs": [1]},
    {"n": 3, "s": "a", "xs": [1] * 10**6},
    {"n": 3, "s": "a", "xs": [[[1]]]},
    {"n": 3, "s": "{0.__class__.__mro__}", "xs": [1]},
    {"n": 3, "s": "%999999999d", "xs": [1]},
    {"n": 3, "s": "/dev/zero", "xs": [1]},
    {"n": 3, "s": "__import__('os').system('touch {marker}')", "xs": [1]},
    {"__class__": 1, "n": 3, "s": "a", "xs": [1]},
    {"n": {"__class__": "int"}, "s": "a", "xs": [1]},
    {"self": 1},
    {},
]
RAW = [
    '{"n": NaN, "s": "a", "xs": [1]}',
    '{"n": Infinity, "s": "a", "xs": [1]}',
    '{"n": 1e400, "s": "a", "xs": [1]}',
    '{"n": ' + "9" * 5_000 + "}",
    "[" * 5_000,
    '{"n": ' * 5_000,
    '{"n": __import__("os").system("touch {marker}"), "s": "", "xs": []}',
    '{"n": (lambda: 1)(), "s": "", "xs": []}',
    '{"n": 1' + "0" * 4_000 + "e-3999}",
    "{" + ", ".join(f'"k{i}": {i}' for i in range(2_000)) + "}",
]


@pytest.mark.parametrize("name", COSTLY)
def test_hostile_inputs_do_nothing(make: Make, tmp_path: Path, name: str) -> None:
    """None executes anything, raises, takes seconds, or is right; the own input stays right."""
    own = {"n": 2, "s": "aa", "xs": [1, 1]}
    code = COSTLY[name] if name != "loop" else COSTLY[name].replace("10**30", "n")
    entry = make(code, ANY, **own)
    entry["question"] = entry["question"].replace(code, COSTLY[name])
    entry["metadata"]["output_data"] = "nothing returns this"
    marker = tmp_path / "marker"
    for text in [*map(json.dumps, HOSTILE), *RAW]:
        began = time.process_time()
        assert not gives_output(text.replace("{marker}", str(marker)), entry)
        assert time.process_time() - began < 10 * MAX_SECONDS, text[:80]
    assert not marker.exists()
    assert score(entry, json.dumps(own)) == 1.0


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
