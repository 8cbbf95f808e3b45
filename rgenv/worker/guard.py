"""What a verifier is never handed: text that would be executed, or that would take for ever.

reasoning-gym's verifiers call ``eval`` and sympy's ``parse_expr`` on answers, and some loop as
often as an answer says. `GUARDED` names the functions that are replaced, module by module, and
`LIMITS` what is refused before a task's verifier sees it; there is nothing else. One exchange::

    >>> install()
    >>> board = reasoning_gym.create_dataset("n_queens", seed=0, size=1)
    >>> board.score_answer("__import__('os').system('reboot')", board[0])
    0.0
    >>> take_rejection()
    'Call where a literal is expected'
    >>> rejection("rush_hour", "A+999999999")
    'moves that add up to 999999999 steps'

Honest answers, right or wrong, keep their scores to the last bit, and so does prose. Not covered:
what is slow for an honest answer too, and whatever the verifiers of a later release bring. The
process around all of this is killed in time (`rgenv.worker.sandbox`, `rgenv.pool.pool`); a text refused here
costs no process.
"""

from __future__ import annotations

import functools
import importlib
import re
import types
from collections.abc import Callable, Mapping
from typing import Any

import sympy
from zss.compare import AnnotatedTree

from rgenv.worker.safe_parse import (
    ARITHMETIC,
    CALCULUS,
    POLYNOMIAL,
    Grammar,
    Rejected,
    bracket_depth,
    formula,
    literal,
)

Rule = Callable[[str], str | None]
"""A text to the reason for refusing it, or None."""

MAX_TREE_CELLS = 500_000
MAX_LABEL_CELLS = 5_000_000
"""Half a second each. Honest answers to 99 of 100 codeio problems stay below a tenth of it."""

POINTS = tuple(sympy.Rational(*place).evalf(200) for place in ((29, 97), (71, 89)))
SPREAD = sympy.Rational(13, 211).evalf(200)
"""Where a difference is looked at: anywhere between 0 and 1, in general position."""

_reason: str | None = None


def take_rejection() -> str | None:
    """Why a replaced function turned text away since the last call, and forget it.

    Verifiers swallow exceptions, so this is the only sure way to know.
    """
    global _reason
    reason, _reason = _reason, None
    return reason


def rejection(task: str, answer: str) -> str | None:
    """Why `answer` is not to be shown to the verifier of `task`, or None. Costs microseconds."""
    reasons = (rule(answer) for rule in LIMITS.get(task, ()))
    return next((reason for reason in reasons if reason is not None), None)


def install() -> None:
    """Put the replacements of `GUARDED` in place; calling it again changes nothing.

    Raises:
        RuntimeError: reasoning-gym is not laid out as `GUARDED` says, so nothing is safe.
    """
    for name, replacements in GUARDED.items():
        try:
            module = importlib.import_module(f"reasoning_gym.{name}")
            for target, replacement in replacements.items():
                _replace(module, target, _recorded(replacement))
        except (ImportError, AttributeError) as error:
            raise RuntimeError(
                f"the guard does not fit this reasoning-gym ({error}): install release 0.1.25"
            ) from error


def _replace(module: types.ModuleType, target: str, replacement: Callable[..., Any]) -> None:
    """Replace a name of `module`; given ``library.name``, that of a library as `module` sees it."""
    library, dot, name = target.rpartition(".")
    if not dot:
        if name != "eval":  # a builtin, which a global of the same name hides
            getattr(module, name)
        setattr(module, name, replacement)
        return
    seen = getattr(module, library)
    getattr(seen, name)
    if not isinstance(seen, _Facade):
        seen = _Facade(seen)
        setattr(module, library, seen)
    setattr(seen, name, replacement)


class _Facade(types.ModuleType):
    """A library as one module sees it: its own, but for the names set here."""

    def __init__(self, library: Any) -> None:
        super().__init__(library.__name__)
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)


def _recorded(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, with what it rejects kept for `take_rejection`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        global _reason
        try:
            return function(*args, **kwargs)
        except Rejected as error:
            _reason = str(error)
            raise

    return call


def _parser(grammar: Grammar) -> Callable[..., Any]:
    def parse_expr(s: str, local_dict: Mapping[str, Any] | None = None) -> Any:
        return formula(s, grammar, local_dict)

    return parse_expr


def _simplify(difference: Any) -> Any:
    """``sympy.simplify``, for verifiers that compare it to 0 and nothing else.

    Only what may be 0 is worth sympy's time, which has no bound: where the numbers say that it is
    not, it is given back as it is.
    """
    if difference.has(sympy.Integral):
        raise Rejected("an integral that is not solved")
    return difference if _surely_not_zero(difference) else sympy.simplify(difference)


def _surely_not_zero(difference: Any) -> bool:
    """Infinities stay, and so do derivatives that sympy could not take, of Abs for one."""
    if difference.has(sympy.Derivative, sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
        return True
    symbols = sorted(difference.free_symbols, key=str)
    try:
        return all(
            _is_not_zero(difference, {s: point + SPREAD * i for i, s in enumerate(symbols)})
            for point in POINTS
        )
    except (ArithmeticError, TypeError, ValueError, NotImplementedError):
        return False  # not known


def _is_not_zero(difference: Any, values: Mapping[Any, Any]) -> bool:
    """Whether two precisions agree on a number: of a zero, each gives a rounding error of its own.

    With decimals in the formula, sympy's own rounding may make a zero of what is not quite one.
    """
    rough, fine = (difference.evalf(15, subs=values, maxn=digits) for digits in (100, 150))
    size = abs(fine).evalf(15)
    if not size or abs(rough - fine).evalf(15) > size / 10**6:
        return False
    if not difference.has(sympy.Float):
        return True
    terms = [term.evalf(15, subs=values) for term in sympy.Add.make_args(difference)]
    return bool(size > sum(abs(term).evalf(15) for term in terms) / 10**6)


def _tree_distance(first: Any, second: Any, label_dist: Callable[[str, str], float]) -> float:
    """``zss.simple_distance``, without the list of edits that it keeps for every pair of nodes.

    That list makes it take a minute where this takes a second; the number is the same. Children
    come before their parent; a pair of subtrees is measured once all pairs inside it are.
    """
    _refuse_large(len(_labels(first)), len(_labels(second)), MAX_TREE_CELLS, "nodes")
    _refuse_large(
        sum(map(len, _labels(first))), sum(map(len, _labels(second))), MAX_LABEL_CELLS, "characters"
    )
    a, b = (AnnotatedTree(tree, lambda node: node.children) for tree in (first, second))
    _refuse_large(_cells(a), _cells(b), MAX_TREE_CELLS, "cells")
    cost = functools.cache(lambda x, y: float(label_dist(x, y)))
    trees: dict[tuple[int, int], float] = {}
    for i in a.keyroots:
        for j in b.keyroots:
            _measure(_Forest(a, i), _Forest(b, j), cost, trees)
    return trees[len(a.nodes) - 1, len(b.nodes) - 1]


class _Forest:
    """The nodes of one subtree in post-order: its labels, and where each one's own subtree begins.

    Places are counted in the whole tree from `start`, and from 1 in this forest.
    """

    def __init__(self, tree: Any, root: int) -> None:
        self.start = tree.lmds[root]
        self.labels = [node.label for node in tree.nodes[self.start : root + 1]]
        self.begins = [begin - self.start for begin in tree.lmds[self.start : root + 1]]


def _measure(
    a: _Forest,
    b: _Forest,
    cost: Callable[[str, str], float],
    trees: dict[tuple[int, int], float],
) -> None:
    """Fill in `trees` for all subtrees that begin where these two begin."""
    inserted = [cost("", label) for label in b.labels]
    above = [0.0]
    for value in inserted:
        above.append(above[-1] + value)
    table = [above]
    for x, label in enumerate(a.labels):
        removed = cost(label, "")
        row = [above[0] + removed]
        for y, other in enumerate(b.labels):
            pair = a.start + x, b.start + y
            whole = a.begins[x] == b.begins[y] == 0
            if whole:
                last = above[y] + cost(label, other)
            else:
                last = table[a.begins[x]][b.begins[y]] + trees[pair]
            row.append(min(above[y + 1] + removed, row[y] + inserted[y], last))
            if whole:
                trees[pair] = row[-1]
        table.append(row)
        above = row


def _labels(tree: Any) -> list[str]:
    return [tree.label, *(label for child in tree.children for label in _labels(child))]


def _cells(tree: Any) -> int:
    """Rows that all tables of a tree have together: one subtree for each of its key roots."""
    return sum(root - tree.lmds[root] + 1 for root in tree.keyroots)


def _refuse_large(first: int, second: int, limit: int, unit: str) -> None:
    if first * second > limit:
        raise Rejected(f"JSON trees of {first} and {second} {unit}")


_calculus = {"sympy.parse_expr": _parser(CALCULUS), "sympy.simplify": _simplify}

GUARDED: Mapping[str, Mapping[str, Callable[..., Any]]] = types.MappingProxyType(
    {
        "algebra.intermediate_integration": _calculus,
        "algebra.polynomial_multiplication": {"sp.parse_expr": _parser(POLYNOMIAL)},
        "algebra.simple_integration": _calculus,
        "algorithmic.binary_matrix": {"eval": literal},
        "algorithmic.number_sorting": {
            "eval": literal
        },  # of its own answer; a literal all the same
        "algorithmic.spiral_matrix": {"eval": literal},
        "algorithmic.string_insertion": {"eval": literal},
        "code.codeio": {"zss.simple_distance": _tree_distance},
        "games.countdown": {"parse_expr": _parser(ARITHMETIC)},
        "games.n_queens": {"eval": literal},
        "games.puzzle24": {"parse_expr": _parser(ARITHMETIC)},
    }
)
"""Module of reasoning-gym -> what is replaced in it. ``library.name``: as that module sees it."""


def _digits(limit: int) -> Rule:
    """Numbers that overflow a float or take long to convert."""
    run = re.compile(rf"[\d_]{{{limit},}}")

    def rule(answer: str) -> str | None:
        found = run.search(answer)
        return f"a number of {len(found[0])} digits" if found else None

    return rule


def _decimal_exponent(limit: int) -> Rule:
    """``Fraction("1e999999999")`` writes all those digits out."""
    exponent = re.compile(r"[eE][-+]?([\d_]+)")

    def rule(answer: str) -> str | None:
        sizes = (_whole(match[1]) for match in exponent.finditer(answer))
        return "too large a decimal exponent" if any(size > limit for size in sizes) else None

    return rule


def _whole(digits: str) -> int:
    """A bounded reading of `digits`, for comparison with limits far below a billion."""
    plain = digits.replace("_", "").lstrip("0")
    return int(plain or "0") if len(plain) < 10 else 10**9


def _count(what: str, limit: int) -> Rule:
    def rule(answer: str) -> str | None:
        found = answer.count(what)
        return f"{found} times {what}" if found > limit else None

    return rule


def _depth(limit: int) -> Rule:
    """The JSON of a deep answer, and its tree, are read by functions that call themselves."""

    def rule(answer: str) -> str | None:
        return "brackets nested too deep" if bracket_depth(answer) > limit else None

    return rule


def _length(limit: int) -> Rule:
    def rule(answer: str) -> str | None:
        return f"{len(answer)} characters" if len(answer) > limit else None

    return rule


_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.){500}', re.DOTALL)


def _long_action(answer: str) -> str | None:
    """boxnet matches an action with a pattern whose time grows with the square of its length."""
    return "an action of over 500 characters" if _JSON_STRING.search(answer) else None


_TURN = re.compile(r"(\D*)(\d*)")
_MOVE = re.compile(r"[LRDUBFXYZMES]w?'?")


def _turns(answer: str) -> str | None:
    """rubiks_cube writes ``R9`` out as nine turns, whatever the number, but turns only if all of
    them are moves."""
    tokens = [turn for turn in map(_TURN.fullmatch, answer.split()) if turn]
    turns = sum(_whole(turn[2] or "1") for turn in tokens)
    if turns > 2_000 and (turns > 50_000 or all(_MOVE.fullmatch(turn[1]) for turn in tokens)):
        return f"{turns} turns"
    return None


_STEPS = re.compile(r"[A-Z][+-](\d+)")


def _steps(answer: str) -> str | None:
    """rush_hour moves a car one step at a time, walls or no walls."""
    steps = sum(_whole(match[1]) for match in _STEPS.finditer(answer))
    return f"moves that add up to {steps} steps" if steps > 20_000 else None


_CONNECTIVE = re.compile("[∧∨→↔¬]")


def _truth_table(answer: str) -> str | None:
    """propositional_logic tries every assignment to whatever stands between connectives."""
    atoms = {atom.strip(" ()\n\t") for atom in _CONNECTIVE.split(answer)} - {""}
    strange = sum(not (len(atom) == 1 and atom.isupper()) for atom in atoms)
    if len(atoms) > 12 or strange > 4:
        return f"a truth table of {len(atoms)} variables"
    return None


def _connectives(answer: str) -> str | None:
    """Each connective and each bracket is one more pass over the text, and one more call deep."""
    number = len(_CONNECTIVE.findall(answer))
    return f"{number} connectives" if number > 100 else None


LIMITS: Mapping[str, tuple[Rule, ...]] = types.MappingProxyType(
    {
        "boxnet": (_long_action,),
        "calendar_arithmetic": (_digits(300),),
        "codeio": (_depth(60), _digits(4_000)),
        "coin_flip": (_digits(300), _decimal_exponent(300)),
        "prime_factorization": (_count("×", 1_000), _digits(300)),
        "propositional_logic": (_length(2_000), _depth(40), _connectives, _truth_table),
        "rubiks_cube": (_turns,),
        "rush_hour": (_steps,),
        "time_intervals": (_digits(300),),
    }
)
"""Task -> what is refused before its verifier is asked. Right answers stay at a tenth of it or
less, but for the variables of propositional_logic, of which they have at most ten."""
