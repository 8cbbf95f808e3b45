"""rgenv/worker/guard.py: verifiers score honest answers as ever and never meet a hostile one.

Run as a program, this file is the child process in which reasoning-gym scores what the tests ask.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rgenv.worker import guard, levels

EXECUTED = [
    "binary_matrix",
    "n_queens",
    "spiral_matrix",
    "string_insertion",
    "countdown",
    "puzzle24",
    "polynomial_multiplication",
    "simple_integration",
    "intermediate_integration",
]
LISTS = EXECUTED[:4]
TOUCHED = sorted({name.rpartition(".")[2] for name in guard.GUARDED} | set(guard.LIMITS))
from tests.support.paths import ROOT

Item = tuple[str, int, float | None]


# What the child does.


def make(task: str, seed: int, level: float | None = None) -> tuple[Any, Any]:
    """A data set and its entry, the same in every process."""
    import numpy
    import reasoning_gym

    random.seed(seed)
    numpy.random.seed(seed)
    config = {} if level is None else levels.level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    return dataset, dataset[0]


def solution(task: str, entry: Any) -> str:
    """An answer that is right, or at least of the right shape where none is given."""
    metadata = entry["metadata"]
    given = {
        "propositional_logic": lambda: metadata["example_answer"],
        "rubiks_cube": lambda: metadata["example_correct_answer"],
        "graph_color": lambda: json.dumps(metadata["possible_answer"]),
        "rush_hour": lambda: "A+1 B-1 C+2 A-1 H+3",
        "boxnet": lambda: '[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}]',
    }
    return given[task]() if task in given else entry["answer"]


ALGEBRA = ["2(3 + 4)", "3*(4 + 5)", "x**2 + x + C", "3 + 4", "24 == 24", "0.1[6] + 2 % 3"]


def honest_answers(task: str, right: str) -> list[str]:
    """The right answer, wrong ones of its shape, other ways to write it, and prose."""
    rows = [[int(c) if c.isdigit() else c for c in row.split()] for row in right.split("\n")]
    words = right.split()
    return [
        right,
        right + "1",
        right[:-1],
        re.sub(r"\d", lambda digit: str((int(digit[0]) + 1) % 10), right, count=1),
        " ".join(words[::-1]),
        repr(rows),
        repr([cell for row in rows for cell in row]),
        repr([[str(cell) for cell in row] for row in rows]),
        repr(list(right)) if len(right) < 500 else "[]",
        right.replace("**", "^"),
        f"{right} = 24",
        f"The answer is {right[:500]}.",
        "I don't know",
        "",
        *([] if task in LISTS else ALGEBRA),  # a product is no list that anyone would answer
    ]


def scored(dataset: Any, entry: Any, task: str, text: str) -> Any:
    """A score, or the name of what the guard or the verifier raised."""
    guard.take_rejection()
    try:
        score = dataset.score_answer(text, entry) if not guard.rejection(task, text) else "refused"
    except Exception as error:  # whatever foreign code raises is what is compared
        score = type(error).__name__
    return guard.take_rejection() or score


def score_honest(items: list[Item]) -> dict[str, list[Any]]:
    """Item -> the scores of all its honest answers, in both forms."""
    scores = {}
    for task, seed, level in items:
        dataset, entry = make(task, seed, level)
        right = solution(task, entry)
        if task == "codeio" and len(right) > 200:
            continue  # without the guard, a wrong answer to such a one takes minutes
        texts = [form.format(text) for text in honest_answers(task, right) for form in FORMS]
        scores[f"{task} {seed} {level}"] = [scored(dataset, entry, task, text) for text in texts]
    return scores


FORMS = ["{}", "<answer>{}</answer>"]


def score_hostile(cases: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """For each task and text: score, seconds, and why it was turned away."""
    results = []
    made = functools.cache(make)
    for task, text in cases:
        dataset, entry = made(task, 0)
        guard.take_rejection()
        started = time.perf_counter()
        reason, score = guard.rejection(task, text), 0.0
        if reason is None:
            with contextlib.suppress(guard.Rejected):  # not every verifier swallows it
                score = dataset.score_answer(text, entry)
            reason = guard.take_rejection()
        results.append({"score": score, "seconds": time.perf_counter() - started, "reason": reason})
    return results


def child(what: str, request: Path, reply: Path) -> None:
    """Do what the file `request` asks, with the guard or without, and write down the results."""
    if what != "plain":
        guard.install()
    work = score_hostile if what == "hostile" else score_honest
    reply.write_text(json.dumps(work(json.loads(request.read_text())), default=float))


def start_child(what: str, request: Any, folder: Path) -> subprocess.Popen[bytes]:
    """Start this file as a program."""
    (folder / "request").write_text(json.dumps(request))
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", __file__, what, "request", f"{what}.json"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"},
        stdout=subprocess.DEVNULL,
    )


def end_child(process: subprocess.Popen[bytes], what: str, folder: Path, timeout: float) -> Any:
    """Its results; a child that does not end in time is a failure."""
    try:
        assert process.wait(timeout) == 0
    finally:
        process.kill()
    return json.loads((folder / f"{what}.json").read_text())


# Honest answers.


def compare(items: list[Item], folder: Path, timeout: float) -> dict[str, list[Any]]:
    """The guarded scores of all honest answers, once they are known to be the unguarded ones."""
    children = {what: start_child(what, items, folder) for what in ("plain", "guarded")}
    plain, guarded = (
        end_child(process, what, folder, timeout) for what, process in children.items()
    )
    different = {
        name: [pair for pair in zip(plain[name], guarded[name], strict=True) if pair[0] != pair[1]]
        for name in plain
        if plain[name] != guarded[name]
    }
    assert different == {}
    return guarded


NO_ORACLE = ("boxnet", "rush_hour", "jugs", "rubiks_cube")
"""No right answer is given; for jugs and large cubes, not always."""


def check_right_answers(guarded: dict[str, list[Any]]) -> None:
    wrong = [
        name
        for name, scores in guarded.items()
        if scores[0] != 1.0 and name.split()[0] not in NO_ORACLE
    ]
    assert wrong == []


SEEDS = {**dict.fromkeys(EXECUTED, 50), "puzzle24": 15, "intermediate_integration": 15}


@pytest.mark.slow
def test_honest_answers_score_as_without_the_guard(tmp_path: Path) -> None:
    """Right, wrong, reworded and tagged answers to what the guard touches keep their scores; what
    is slow is sampled less here than in the soak."""
    items: list[Item] = [
        (task, seed, level)
        for task in TOUCHED
        for level, seeds in ((None, SEEDS.get(task, 10)), (0.0, 1), (0.5, 1), (1.0, 1))
        for seed in range(seeds)
    ]
    check_right_answers(compare(items, tmp_path, timeout=110))


@pytest.mark.soak
def test_honest_answers_to_every_task_score_as_without_the_guard(tmp_path: Path) -> None:
    """The same for all tasks, 50 seeds of each and five levels."""
    from rgenv.tasks import KNOWN_TASKS

    items: list[Item] = [
        (task, seed, level)
        for task in sorted(set(KNOWN_TASKS) - {"composite"})
        for level, seeds in ((None, 50), *((level / 4, 3) for level in range(5)))
        for seed in range(seeds)
    ]
    check_right_answers(compare(items, tmp_path, timeout=3_000))


# Hostile answers.

PAYLOADS = [
    "__import__('pathlib').Path('{m}').touch()",
    "open('{m}', 'a').close()",
    "[[open('{m}', 'w')]]",
    "[open('{m}', 'w') for _ in 'a']",
    "(lambda: open('{m}', 'w'))()",
    "f\"{{open('{m}', 'w')}}\"",
    "24 + 0*open('{m}', 'w').write('x')",
    "x**2 + open('{m}', 'w').fileno()",
    'exec(\'open("{m}", "w")\')',
    "{{'a': eval('open(\"{m}\", \"w\")')}}",
    'sympify(\'open("{m}", "w")\')',
    "Lambda(x, open('{m}', 'w'))(1)",
    "x.__init__.__globals__['__builtins__']['open']('{m}', 'w')",
    "Symbol(open('{m}', 'w'))",
    "Integral(open('{m}', 'w'), x)",
    "__import__('os')._exit(3)",
    "exec('raise SystemExit')",
    "exit()",
]
QUIET = [
    '\'open("{m}", "w")\'',  # what sympy reads from a text may be a text, which diff reads again
    "[open('{m}', 'w') for Symbol in 'a']",
    "The answer is __import__('pathlib').Path('{m}').touch()",
]
BOMBS = {
    **{task: ["8**8**8**8", "[1]*10**11", "sum(range(10**11))", "[" * 9_000] for task in LISTS},
    **{
        task: [
            "8**8**8**8",
            "7777777!",
            "binomial(10**9, 10**8)",
            "1e777777777",
            "nextprime(10**4000)",
            "expand((x + y + z + t)**250)",
            "1+" * 5_000 + "1",
            "(" * 9_000 + "1" + ")" * 9_000,
        ]
        for task in EXECUTED[len(LISTS) :]
    },
    "boxnet": ['[{"Agent[0.5, 0.5]": "move(' + ", " * 15_000 + '"}]'],
    "calendar_arithmetic": ["7" * 4_000],
    "codeio": [
        '{"a": ' * 5_000 + "1" + "}" * 5_000,
        '{"a": [' + "1, " * 9_000 + "1]}",
        '{"a": "' + "b" * 30_000 + '"}',
        "{" + ", ".join(f'"k{n}": {n}' for n in range(2_000)) + "}",
        '{"a": ' + "7" * 4_300 + "}",
    ],
    "coin_flip": ["1e777777777", "1e-777777777", "1e+77777777", "7" * 4_000],
    "prime_factorization": ["777777777×" * 3_000 + "7", "2×" * 10_000 + "2", "7" * 4_000],
    "propositional_logic": [
        " ∨ ".join(f"p{n}" for n in range(30)),
        "a ∧ b ∧ c ∧ d ∧ e",
        "P ∧ " * 2_000 + "P",
        "P → " * 480 + "P",
        "¬" * 1_500 + "P",
        "(" * 900 + "P" + ")" * 900,
        "p" * 30_000,
    ],
    "rubiks_cube": ["R77777777", "R " * 15_000, "R9 U9 " * 5_000, "7777777777"],
    "rush_hour": ["B-777777777", "A+999 B-999 " * 2_000, "A+" + "9" * 4_000],
    "time_intervals": ["7" * 4_000, "7" * 4_000 + " days, 10:00"],
}
Results = dict[tuple[str, str], dict[str, Any]]


@pytest.fixture(scope="module")
def marker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that the payloads make when they run."""
    return tmp_path_factory.mktemp("marker") / "ran"


@pytest.fixture(scope="module")
def hostile(marker: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """What became of every payload and every bomb, from one child that survived them all."""
    code = [text.format(m=marker) for text in (*PAYLOADS, *QUIET)]
    cases = [(task, form.format(text)) for task in EXECUTED for text in code for form in FORMS]
    cases += [(task, text) for task, texts in BOMBS.items() for text in texts]
    folder = tmp_path_factory.mktemp("hostile")
    process = start_child("hostile", cases, folder)
    return dict(zip(cases, end_child(process, "hostile", folder, timeout=90), strict=True))


def test_nothing_is_executed(hostile: Results, marker: Path) -> None:
    """No payload leaves a trace or ends the process, and every score is a float in [0, 1]."""
    assert not marker.exists()
    for result in hostile.values():
        assert isinstance(result["score"], float) and 0.0 <= result["score"] <= 1.0


@pytest.mark.parametrize("task", EXECUTED)
def test_code_is_reported_as_rejected(hostile: Results, marker: Path, task: str) -> None:
    """The worker learns that text was turned away although the verifier swallows exceptions."""
    comprehensions = task not in LISTS  # sympy makes a syntax error of these itself
    for payload in PAYLOADS:
        if not (comprehensions and " for _ in " in payload):
            assert hostile[task, payload.format(m=marker)]["reason"], payload


@pytest.mark.parametrize("task", BOMBS)
def test_bombs_are_refused_in_well_under_a_second(hostile: Results, task: str) -> None:
    """Text that loops, grows or nests without bound costs its task next to nothing."""
    for text in BOMBS[task]:
        result = hostile[task, text]
        assert result["reason"], text[:60]
        assert result["seconds"] < 1.0, text[:60]


def test_every_limit_has_its_bombs() -> None:
    """A row of the table without a test of it would go unnoticed."""
    assert set(guard.LIMITS) <= set(BOMBS)


HONEST_LIMITS = {
    "boxnet": '[{"Agent[0.5, 0.5]": "move(box_blue, square[0.5, 1.5])"}]' * 30,
    "calendar_arithmetic": "-123456789",
    "codeio": json.dumps({"a": [[[[[list(range(50))]]]]], "b": 10**100}),
    "coin_flip": "1/340282366920938463463374607431768211456",
    "prime_factorization": " × ".join(["2"] * 60),
    "propositional_logic": "((P ∧ Q) ∨ ¬(R → S)) ↔ " * 7 + "(T ∧ (U ∨ V))",
    "rubiks_cube": "R U' F2 L " * 200,
    "rush_hour": "A+4 B-4 " * 100,
    "time_intervals": "365 days, 23:59:59",
}


@pytest.mark.parametrize("task", HONEST_LIMITS)
def test_honest_answers_stay_far_below_the_limits(task: str) -> None:
    """What is many times as large as any right answer is still shown to the verifier."""
    assert guard.rejection(task, HONEST_LIMITS[task]) is None
    assert guard.rejection(task, f"<answer>{HONEST_LIMITS[task]}</answer>") is None


def test_tasks_without_limits_refuse_nothing() -> None:
    """An unknown task, or one that is safe, has no opinion about a text."""
    assert guard.rejection("chain_sum", "9" * 30_000) is None
    assert guard.rejection("no_such_task", "") is None


# The guard's own promises, in this process.


@pytest.fixture
def installed() -> Iterator[None]:
    """Replacements in place, nothing recorded."""
    guard.install()
    guard.take_rejection()
    yield
    guard.take_rejection()


def test_install_twice_is_install_once(installed: None) -> None:
    """What is replaced is not replaced again by something that wraps it."""
    import reasoning_gym.algebra.simple_integration as module

    library = module.sympy
    guard.install()
    assert module.sympy is library
    assert library._library.__name__ == "sympy" and not hasattr(library._library, "_library")


def test_a_rejection_is_told_once(installed: None) -> None:
    """The reason is there after the verifier has swallowed the exception, and gone once taken."""
    dataset, entry = make("n_queens", 0)
    assert dataset.score_answer("print()", entry) == 0.0
    assert guard.take_rejection() == "Call where a literal is expected"
    assert guard.take_rejection() is None
    assert dataset.score_answer("I don't know", entry) == 0.0
    assert guard.take_rejection() is None


def test_libraries_are_left_alone(installed: None) -> None:
    """sympy itself is not changed: only what three modules of reasoning-gym see of it."""
    import sympy

    assert sympy.parse_expr("2*x(3)") == 2 * sympy.Function("x")(3)
    assert sympy.simplify("sin(x)**2 + cos(x)**2") == 1
    assert builtins.eval("1 + 1") == 2


def test_another_layout_of_the_library_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that has moved leaves nothing guarded, so nothing is served."""
    for moved in ("algorithmic.no_such_module", "algorithmic.ab"):
        table = {moved: {"sympy.parse_expr": guard.literal}}
        monkeypatch.setattr(guard, "GUARDED", table)
        with pytest.raises(RuntimeError, match="does not fit this reasoning-gym"):
            guard.install()


def test_a_wrong_antiderivative_never_reaches_simplify(
    installed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """simplify takes for ever on some formulas; one that is not zero as a number is not asked."""
    import sympy

    asked: list[Any] = []
    monkeypatch.setattr(sympy, "simplify", lambda formula: asked.append(formula) or formula)
    dataset, entry = make("intermediate_integration", 0)
    dataset.score_answer("sin(x)**40*cos(3*x)**30*tan(x) + sqrt(x)*log(x + 1)", entry)
    assert asked == []
    dataset.score_answer(entry["answer"], entry)
    assert len(asked) == 1


ZEROS = [
    "sin(x)**2 + cos(x)**2 - 1",
    "(x + 1)**2 - x**2 - 2*x - 1",
    "log(3*x) - log(3) - log(x)",
    "(sin(x)**2 + cos(x)**2 - 1)**2",
    "x*(cosh(x)**2 - sinh(x)**2 - 1)",
    "exp(x)*exp(-x) - 1",
    "10**40*(sin(x)**2 + cos(x)**2 - 1)",
    "0.5*sin(2*x) - sin(x)*cos(x)",
    "sqrt(1 - 9*x**2)*sqrt(1 + 3*x) - sqrt(1 - 3*x)*(1 + 3*x)",
    "0.1*(x + 1) - 0.1*x - 0.1",
    "0.1*3*(x + 1)**2 - 0.3*x**2 - 0.6*x - 0.3",
]
NOT_ZEROS = [
    "x",
    "x**100",
    "x - 1000001*x/1000000",
    "sin(x) - x",
    "1000**(-x - 400)",
    "asin(5*x) - 1",
    "sqrt(-x) - 1",
    "1/10**40 + sin(x)**2 + cos(x)**2 - 1",
    "0.3334*x**2 - x**2/3",
    "Abs(x).diff(x) - 1/x",
    "x + oo",
]


@pytest.mark.parametrize("text", [*ZEROS, *NOT_ZEROS])
def test_only_what_is_no_zero_is_taken_for_none(text: str) -> None:
    """Whatever may be zero goes to simplify, however small its neighbours; the rest does not."""
    import sympy

    assert guard._surely_not_zero(sympy.parse_expr(text)) is (text in NOT_ZEROS)


def _json_trees(seed: int) -> Iterator[Any]:
    rng = random.Random(seed)

    def grow(depth: int) -> Any:
        kind = rng.randrange(3 * (depth == 4), 6 if depth else 3)
        if kind < 3:
            return [rng.randrange(100), str(rng.random())[: rng.randrange(1, 9)], None][kind]
        size = rng.randrange(1, 5)
        if kind == 3:
            return [grow(depth - 1) for _ in range(size)]
        return {rng.choice("abcdefg") * rng.randrange(1, 4): grow(depth - 1) for _ in range(size)}

    while True:
        tree = grow(4)
        yield {"root": tree}
        yield {"root": _slightly_changed(tree, rng)}


def _slightly_changed(tree: Any, rng: random.Random) -> Any:
    if isinstance(tree, dict):
        return {key: _slightly_changed(value, rng) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_slightly_changed(value, rng) for value in tree if rng.random() < 0.9]
    return tree if rng.random() < 0.8 else "other"


def test_json_trees_are_as_far_apart_as_zss_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The distance between two answers to codeio is the library's, to the last bit."""
    import reasoning_gym.code.codeio as module
    import zss

    distances: list[tuple[float, float]] = []

    def both(first: Any, second: Any, label_dist: Any) -> float:
        ways = (guard._tree_distance, zss.simple_distance)
        ours, theirs = (float(way(first, second, label_dist=label_dist)) for way in ways)
        distances.append((ours, theirs))
        return ours

    monkeypatch.setattr(module, "zss", _Zss(zss.Node, both))
    codeio = module.CodeIODataset.__new__(module.CodeIODataset)  # similarity needs no data
    trees = _json_trees(seed=1)
    for _ in range(60):
        codeio._compute_json_similarity(next(trees), next(trees))
    assert [ours for ours, _ in distances] == [theirs for _, theirs in distances]
    assert len(set(distances)) > 30


@dataclass(frozen=True)
class _Zss:
    Node: Any
    simple_distance: Any


# The table is complete: every module of the library is read.

RUNNERS = {"builtins.eval", "builtins.exec", "builtins.compile", "builtins.__import__"}
PARSERS = {"parse_expr", "sympify", "literal_eval", "lambdify", "S", "nsimplify"}
OWN_TEXT = {
    ("code.codeio", "_generate_io_pair"): "the programs of its data set, to make a problem",
    ("arithmetic.basic_arithmetic", "eval_floordiv"): "the problem that it has just made",
    ("arithmetic.bitwise_arithmetic", "generate_problem"): "the problem that it has just made",
    ("arithmetic.bitwise_arithmetic", "verify_solution"): "the problem, from the metadata",
}
"""Where text of the library's own is run: module and function -> which text. Answers never are.

gsm_symbolic's generators are one entry: they evaluate fractions from their own lists.
"""
GENERATORS = re.compile(r"arithmetic\.gsm_symbolic\.generators_\w+")


@dataclass(frozen=True)
class Use:
    """A dangerous function, where its name occurs."""

    module: str
    function: str
    written: str


class Reader(ast.NodeVisitor):
    """Finds the dangerous names of one module, through imports and aliases, called or not."""

    def __init__(self, module: str, source: str) -> None:
        self.module, self.function = module, ""
        self.names: dict[str, str] = {name: f"builtins.{name}" for name in vars(builtins)}
        self.uses: list[Use] = []
        self.calls: dict[str, set[str]] = {}
        self.sympy: set[str] = set()
        tree = ast.parse(source)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.names[node.name] = f"{module}.{node.name}"
        for node in ast.walk(tree):
            self._import(node)
        self.visit(tree)

    def _import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name if alias.asname else alias.name.split(".")[0]
                self.names[alias.asname or top] = top
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                self.names[alias.asname or alias.name] = f"{origin}.{alias.name}"

    def _resolve(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self.names.get(node.id, "")
        if isinstance(node, ast.Attribute):
            owner = self._resolve(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        return ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Everything below is of this function, inner functions included."""
        outer, self.function = self.function, self.function or node.name
        self.generic_visit(node)
        self.function = outer

    def visit_Name(self, node: ast.Name) -> None:
        """A plain name."""
        self._look(node, node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """A dotted name."""
        self._look(node, node.attr)
        self.generic_visit(node)

    def _look(self, node: ast.expr, last: str) -> None:
        self.calls.setdefault(self.function, set()).add(last)
        full = self._resolve(node)
        origin, _, name = full.rpartition(".")
        library = origin.split(".")[0] in ("sympy", "ast")
        if full in RUNNERS or (library and name in PARSERS):
            self.uses.append(Use(self.module, self.function, ast.unparse(node)))
        if full.split(".")[0] == "sympy":
            self.sympy.add(self.function)

    def reached(self, start: str = "score_answer") -> set[str]:
        """The functions of this module that `start` may come to call."""
        seen, new = set(), {start} & self.calls.keys()
        while new:
            seen |= new
            new = set.union(*(self.calls[name] for name in new)) & self.calls.keys() - seen
        return seen


@functools.cache
def readers() -> list[Reader]:
    """All modules of the installed library."""
    spec = find_spec("reasoning_gym")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    return [
        Reader(".".join(path.relative_to(folder).with_suffix("").parts), path.read_text())
        for path in sorted(folder.rglob("*.py"))
    ]


def unguarded(uses: list[Use]) -> list[Use]:
    return [
        use
        for use in uses
        if use.written not in guard.GUARDED.get(use.module, {})
        and (use.module, use.function) not in OWN_TEXT
        and not GENERATORS.fullmatch(use.module)
    ]


def test_the_table_names_every_module_that_runs_text() -> None:
    """A release whose verifiers call eval, exec or sympy's parsers in a new place is noticed."""
    uses = [use for reader in readers() for use in reader.uses]
    assert len(readers()) > 100
    assert unguarded(uses) == []


def test_the_table_names_nothing_else() -> None:
    """What is guarded or excused is still there, so that the tables do not rot."""
    uses = [use for reader in readers() for use in reader.uses]
    written = {(use.module, use.written) for use in uses}
    parsers = {
        (module, target)
        for module, targets in guard.GUARDED.items()
        for target in targets
        if target.rpartition(".")[2] in ("eval", *PARSERS)
    }
    assert parsers <= written
    assert set(OWN_TEXT) <= {(use.module, use.function) for use in uses}


def test_sympy_meets_answers_in_guarded_modules_only() -> None:
    """Many functions of sympy read text that they are given, so a verifier that calls any is
    guarded."""
    touching = {reader.module for reader in readers() if reader.reached() & reader.sympy}
    assert touching == {
        module
        for module, targets in guard.GUARDED.items()
        if any(target.endswith("parse_expr") for target in targets)
    }


@pytest.mark.parametrize(
    "source",
    [
        "def score_answer(self, a, e): return eval(a)",
        "run = eval\ndef score_answer(self, a, e): return run(a)",
        "def score_answer(self, a, e): return list(map(eval, a))",
        "import builtins as b\ndef score_answer(self, a, e): return b.eval(a)",
        "from sympy import parse_expr as p\ndef score_answer(self, a, e): return p(a)",
        "import sympy.parsing.sympy_parser as sp\ndef help(a): return sp.parse_expr(a)",
        "from sympy.parsing import sympy_parser\ndef help(a): return sympy_parser.parse_expr(a)",
        "def score_answer(self, a, e):\n    from ast import literal_eval\n    literal_eval(a)",
        "import sympy\nclass D:\n    def score_answer(self, a, e): return sympy.S(a)",
        "def score_answer(self, a, e): exec(compile(a, '', 'exec'))",
    ],
)
def test_the_reader_sees_through_aliases(source: str) -> None:
    """The test above can fail: a call by any name in a new module is found."""
    assert unguarded(Reader("games.new", source).uses)


@pytest.mark.parametrize(
    "source",
    [
        "import re\ndef score_answer(self, a, e): return re.compile(a)",
        "def parse_expr(text): return text\ndef score_answer(self, a, e): return parse_expr(a)",
        "def score_answer(self, a, e): return self.compile(a)",
    ],
)
def test_the_reader_knows_names_apart(source: str) -> None:
    """A function of the same name that runs nothing needs no guard."""
    assert Reader("games.new", source).uses == []


if __name__ == "__main__":
    child(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
