"""Predict the output of a function, or an input of it."""

import ast
import copy
import gzip
import json
import random
import re
import warnings
from functools import cache
from pathlib import Path
from typing import Any

from reasoning_gym.data import get_data_file_path
from reasoning_gym.factory import ProceduralDataset

from rgenv.tasks import Answer, Entry, Levels, LibraryVerifier, Task, exact, part_of
from rgenv.tasks.answers.values import are_equal, read_value
from rgenv.tasks.limits import max_depth, max_digits
from rgenv.tasks.symmetries import sorted_words
from rgenv.tasks.tree_distance import tree_distance


class ProgramValue(Answer):
    """A JSON value, which the verifier parses."""


MAX_ANSWER = 2_000
"""Characters of a reference answer."""
_UNREPRODUCIBLE = frozenset(
    map(
        int,
        """
    3 7 33 39 48 52 70 74 87 89 101 105 116 119 151 153 157 161 180 181 207 208 218 229 242 247
    270 294 318 324 327 332 333 334 349 365 384 408 412 427 435 436 446 447 472 482 489 490 492
    501 505 506 522 529 555 556 565 575 581 587 590 596 597 607 614 625 626 634 642 644 645 654
    656 663 683 697 704 710 712 729 733 736 738 781 787 788 798 809 820 830 880 887 904 917 921
    926 946 965 980 1018 1024 1029 1032 1050 1066 1076 1094 1105 1117 1125 1132 1139 1148 1154
    1156 1158 1192 1198 1227 1230 1245 1248 1249 1252 1254 1256 1259 1268 1271 1275 1286 1290 1308
    1315 1320 1333 1345 1347 1373 1382 1384 1388 1394 1413 1439 1440 1443 1445 1447 1458 1466 1470
    1474 1481 1492 1503 1514 1538 1564 1567 1572 1578 1585 1589 1627 1628 1642 1644 1653 1689 1691
    1696 1712 1717 1733 1744 1749 1762 1763 1778 1786 1792 1804 1810 1824 1826 1836 1837 1851 1867
    1885 1888 1899 1904 1924 1940 1944 1953 1954 1966 1973 1986 1994 2017 2020 2031 2037 2047 2056
    2076 2084 2122 2127 2128 2131 2132 2134 2142 2154 2161 2182 2191 2203 2204 2210 2211 2226 2228
    2249 2260 2265 2284 2298 2300 2308 2312 2324 2326 2328 2352 2376 2387 2399 2416 2424 2425 2454
    2463 2466 2467 2470 2473 2474 2489 2493 2503 2853 2909
        """.split(),
    )
)
"""Rows of the library's programs that draw random numbers, ask for the date or depend on the order
of a set. benchmarks/programs.py of commit ececb0bc found them: it runs each in three processes."""


_OPENING = re.compile(
    r"(?<!\.)\b(eval|exec|compile|open|getattr|__import__)\(|\b(os|sys|pickle|subprocess|importlib)\b"
)
"""What may execute or open an input."""


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if its program does not return the output for the input shown.

    None, too, if its answer is too long to write, or if it asks for an input: others may give the
    same output. The library shows inputs that the program changed, outputs that nobody can predict,
    and empty objects for a program that failed.
    """
    if _asks_for_input(entry) or len(entry["answer"]) > MAX_ANSWER:
        return None
    given, output = (entry["metadata"][name] for name in ("input_data", "output_data"))
    row, generator = _generators().get(_code(entry), (-1, ""))
    if row < 0 or row in _UNREPRODUCIBLE or given == output == {}:  # no program but the library's
        return None
    if "seed" not in entry:  # the input and the output are what others wrote
        if _OPENING.search(_code(entry)):
            return None
        output = read_value(str(entry["answer"]))  # a table drops keys of the mapping without value
    names = {"Random": random.Random}  # the library runs its program with this name, too
    exec(f"{_code(entry)}\n\n{generator}", names)
    again = names["main_solution"](**copy.deepcopy(given))
    return entry if are_equal(again, output) else None


def _asks_for_input(entry: Entry) -> bool:
    return "\n\nCan you predict a feasible input without writing any code?" in entry["question"]


def _code(entry: Entry) -> str:
    _, _, code = str(entry["question"]).partition("but not copy spans of code directly.\n\n")
    return code.removesuffix("\n")


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the value of the reference answer.

    A float of an output may be rounded, to six significant digits or more. A string may stand
    without quotes. The library compares text, and gives 0.5 or more for the right keys, which the
    question lists.
    """
    if exact(answer, entry, library):
        return 1.0
    right, is_output = read_value(str(entry["answer"])), not _asks_for_input(entry)
    is_bare = is_output and isinstance(right, str) and answer.strip() == right.strip() != ""
    return float(is_bare or are_equal(read_value(answer), right, rounded=is_output))


def family(entry: Entry) -> object:
    """Keep the words of the program; ignore inputs and outputs."""
    return sorted_words(part_of(r"Tip: Here is a reference code snippet(.*)", entry))


def work(entry: Entry) -> float:
    """Return the operations in the program's text, those in loops counted three times a loop."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escape sequences in the program
        return float(_weight(ast.parse(_code(entry))))


_WORK = (ast.Call, ast.BinOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.Assign, ast.AugAssign)
_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _weight(node: ast.AST) -> int:
    inner = sum(map(_weight, ast.iter_child_nodes(node)))
    return isinstance(node, _WORK) + inner * (3 if isinstance(node, _LOOPS) else 1)


@cache
def programs() -> list[dict[str, Any]]:
    """Return the library's programs with their generators. The first call takes 0.1 s."""
    packed = Path(get_data_file_path("codeio.jsonl.gz")).read_bytes()
    rows = gzip.decompress(packed).decode().strip().replace("\n", ",")
    found: list[dict[str, Any]] = json.loads(f"[{rows}]")
    return found


@cache
def _generators() -> dict[str, tuple[int, str]]:
    """Return the row of each program, and the source of the generator of its inputs."""
    return {one["code_sample"]: (row, one["input_generator"]) for row, one in enumerate(programs())}


def init(self: Any, config: Any) -> None:
    """Prepare a data set as the library does, with programs that are read once."""
    ProceduralDataset.__init__(self, config, config.seed, config.size)
    wanted = config.difficulty
    chosen = [one for one in programs() if wanted is None or one.get("difficulty", -1) == wanted]
    assert chosen, "No data found for the specified difficulty level"
    type(self)._jsonl_data = chosen


TASK = Task(
    answer=ProgramValue(),
    also_right="an output with floats rounded to six significant digits or more",
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
