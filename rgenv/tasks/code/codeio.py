"""Predict the output of a function, or an input of it."""

import ast
import copy
import json
import random
import warnings
from typing import Any

from reasoning_gym.factory import ProceduralDataset

from rgenv.tasks import Entry, Forms, Levels, LibraryVerifier, Task, part_of
from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.limits import max_depth, max_digits
from rgenv.tasks.programs import gives_output, repeats_output
from rgenv.tasks.programs.equality import are_equal
from rgenv.tasks.programs.reading import MISSING, read_value
from rgenv.tasks.programs.source import asks_for_input, programs
from rgenv.tasks.symmetries import sorted_words
from rgenv.tasks.tree_distance import tree_distance
from rgenv.tasks.verifying import is_reference_answer


def _change_leaf(value: Any, rng: random.Random) -> Any:
    """Change one leaf of `value`, in place if it is in a container."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + rng.randint(1, 9) if abs(value) < 10**15 else 0
    if isinstance(value, str):
        return f"{value}q"
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value or ())))
    if keys:
        key = rng.choice(keys)
        value[key] = _change_leaf(value[key], rng)
        return value
    return ["q"]


class ProgramValue(JsonValue):
    """A JSON value, which the verifier parses."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        try:
            value = json.loads(reference)
        except ValueError:
            return {}
        changed = _change_leaf(copy.deepcopy(value), rng)
        changes = {"leaf": changed} if changed != value else {}
        if isinstance(value, list) and value:
            changes["left out"] = value[:-1]
        if isinstance(value, dict) and value:
            changes["left out"] = dict(list(value.items())[:-1])
        return {name: json.dumps(other) for name, other in changes.items()}

    def may_be_right(self, text: str, question: str) -> bool:
        """Another input may have the same output."""
        return "predict a feasible input" in question


MAX_ANSWER = 2_000
"""Characters of a reference answer."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if its program does not return the output for the input shown.

    None, too, if its answer is too long to write. The library shows inputs that the program
    changed, outputs that depend on random numbers, on the time or on the order of a set, and empty
    objects for a program that failed.
    """
    given, output = (entry["metadata"][name] for name in ("input_data", "output_data"))
    if given == {} and (asks_for_input(entry["question"]) or output == {}):
        return None
    return entry if len(entry["answer"]) <= MAX_ANSWER and repeats_output(entry) else None


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the right output, or for any input that gives the output.

    An output is compared by value. A float may be rounded, to six significant digits or more. A
    string may stand without quotes. The library compares text, and gives 0.5 or more for the right
    keys, which the question lists.
    """
    if is_reference_answer(answer, entry):
        return 1.0
    right = read_value(str(entry["answer"]), finite=False)
    given = read_value(answer, finite=False)
    if asks_for_input(str(entry["question"])):
        return float(_same(given, right, rounded=False) or gives_output(answer, entry))
    is_bare_string = isinstance(right, str) and answer.strip() == right.strip() != ""
    return float(is_bare_string or _same(given, right, rounded=True))


def _same(given: object, right: object, *, rounded: bool) -> bool:
    is_read = given is not MISSING and right is not MISSING
    return is_read and are_equal(given, right, rounded=rounded)


def family(entry: Entry) -> object:
    """Keep the words of the program; ignore inputs and outputs."""
    return sorted_words(part_of(r"Tip: Here is a reference code snippet(.*)", entry))


def work(entry: Entry) -> float:
    """Return the operations in the program's text, those in loops counted three times a loop."""
    code = entry["question"].rpartition("code directly.\n\n")[2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escape sequences in the program
        return float(_weight(ast.parse(code)))


_WORK = (ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.Assign, ast.AugAssign)
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _weight(node: ast.AST) -> int:
    inner = sum(map(_weight, ast.iter_child_nodes(node)))
    return isinstance(node, _WORK) + inner * (3 if isinstance(node, _LOOPS) else 1)


def init(self: Any, config: Any) -> None:
    """Prepare a data set as the library does, with programs that are read once."""
    ProceduralDataset.__init__(self, config, config.seed, config.size)
    wanted = config.difficulty
    chosen = [one for one in programs() if wanted is None or one.get("difficulty", -1) == wanted]
    assert chosen, "No data found for the specified difficulty level"
    type(self)._jsonl_data = chosen


TASK = Task(
    answer=ProgramValue(),
    correct=correct,
    verify=verify,
    clarify=(("predict the output", "Answer with the returned value itself."),),
    limits=(max_depth(60), max_digits(4_000)),
    guarded={"zss.simple_distance": tree_distance},
    family=family,
    work=work,
    # The only parameter selects programs by the difficulty, 6 to 9, that a model assigned to
    # them, which says nothing about length or loops. So problems are chosen by the operations
    # in their programs. A few programs and inputs are long.
    levels=Levels(
        work=[(1, 32), (18, 56), (38, 110), (70, 220), (120, 2000)],
        fixed="The parameter says nothing about the work.",
        unbound=("question_chars", "answer_chars"),
    ),
    prepared=("difficulty",),
    faster={"code.codeio:CodeIODataset:__init__": init},
)
