"""Measure which evaluation problems come up in training: word for word, and in canonical forms.

    python benchmarks/held_out.py --tasks lcm n_queens --draws 2000 --problems 20

For each task and level, problems are drawn as a training run draws them, and as evaluation sets of
several evaluation seeds do. The canonical forms are written apart from those in
rgenv/tasks: they know no task, only whether a task is about boards, strings or neither.
`share` has the share of evaluation problems whose form is that of a training problem.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import Json
from benchmarks.served import options_of, print_report
from rgenv.dataset.stream import Stream, evaluation_seeds
from rgenv.worker import levels, selection
from rgenv.worker.faster import install
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker

EVALUATION_SEEDS = (1, 42, 123)


def plain(question: str) -> object:
    """Small letters and single spaces."""
    return " ".join(question.lower().split())


def sorted_numbers(question: str) -> object:
    """The text without its numbers, and the numbers in order."""
    found = re.findall(r"-?\d+(?:\.\d+)?", question)
    return re.sub(r"-?\d+(?:\.\d+)?", "#", str(plain(question))), sorted(map(float, found))


def renamed(question: str) -> object:
    """Names are numbered in the order in which they appear, and so are later mentions."""
    names: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return "<" + "i" * names.setdefault(match[0], len(names)) + ">"

    return plain(re.sub(r"\b[A-Z][\w-]*\b", number, question))


def renamed_and_sorted(question: str) -> object:
    """Both of the last two."""
    return sorted_numbers(str(renamed(question)))


def sorted_lines(question: str) -> object:
    """Lines and sentences in order, without their numbers at the beginning."""
    parts = re.split(r"\n|(?<=[.?!]) ", question)
    return sorted(re.sub(r"^\W*\d+[.:]", "", part).strip().lower() for part in parts)


def sorted_words(question: str) -> object:
    """Words in order."""
    return sorted(re.findall(r"[\w']+", question.lower()))


def turned_boards(question: str) -> object:
    """Boards under rotations and mirrors, with their symbols numbered, and the other lines."""
    rest, boards = _boards(question)
    return plain(rest), [min(_variants(board)) for board in boards]


def last_board(question: str) -> object:
    """The last board alone, under rotations and mirrors, with its symbols numbered."""
    _, boards = _boards(question)
    return min(_variants(boards[-1])) if boards else plain(question)


def relabelled_tail(question: str) -> object:
    """The text up to the last colon, then each letter or digit by the order of appearance."""
    head, _, tail = question.strip().rpartition(":")
    return plain(head), _numbered(character for character in tail if character.isalnum())


def _boards(question: str) -> tuple[str, list[list[list[str]]]]:
    rest: list[str] = []
    boards: list[list[list[str]]] = []
    board: list[list[str]] = []
    for line in [*question.splitlines(), "end of the text"]:
        symbols = re.sub(r"[\[\],|]|(?<=\])\.$", " ", line).split()
        if len(line) > 3 and " " not in line and line[-1] != ":" and not re.search(r"\d,", line):
            symbols = list(line)
        whole = bool(symbols) and all(len(one) == 1 or one.isdigit() for one in symbols)
        if board and (not whole or len(board[-1]) != len(symbols)):
            boards.append(board)
            board = []
        if whole:
            board.append(symbols)
        else:
            rest.append(line)
    return "\n".join(rest), boards


def _variants(board: list[list[str]]) -> Iterator[list[Any]]:
    for _ in range(4):
        board = [list(row) for row in zip(*board[::-1], strict=True)]
        for one in (board, board[::-1]):
            yield [len(one), *_numbered(cell for row in one for cell in row)]


def _numbered(symbols: Any) -> list[int]:
    places: dict[str, int] = {}
    return [places.setdefault(symbol, len(places)) for symbol in symbols]


BOARDS = """arc_1d arc_agi binary_matrix game_of_life game_of_life_halting largest_island
    manipulate_matrix maze mini_sudoku modulo_grid n_queens pool_matrix rearc rotate_matrix
    rotten_oranges rush_hour shortest_path sokoban spiral_matrix sudoku tsumego""".split()
STRINGS = """binary_alternation caesar_cipher isomorphic_strings palindrome_generation
    palindrome_partitioning string_insertion string_manipulation""".split()
WORDS = """group_anagrams letter_counting letter_jumble sentence_reordering spell_backward
    word_ladder word_sequence_reversal word_sorting""".split()
ORDERED = """ab bf boxnet circuit_logic codeio cryptarithm emoji_mystery figlet_font
    futoshiki knight_swap propositional_logic rectangle_count rubiks_cube survo syllogism
    tower_of_hanoi""".split()
"""Tasks in which the order of words, lines or numbers is the problem."""


def forms_of(task: str) -> tuple[Callable[[str], object], ...]:
    """Return the canonical forms that keep the method of the answer."""
    if task in BOARDS:
        return plain, turned_boards, last_board
    if task in STRINGS:
        return plain, relabelled_tail
    if task in WORDS:
        return plain, sorted_words
    if task in ORDERED:
        return (plain,)
    return plain, sorted_numbers, renamed, renamed_and_sorted, sorted_lines, sorted_words


def measure(maker: ProblemMaker, task: str, level: float | None, options: Any) -> Json:
    """Compare one level's evaluation problems of several seeds with its training problems."""
    config = {} if level is None else levels.level_config(task, level)
    stream = Stream(seed=options.seed, tasks={task: 1.0})

    def questions(seeds: Any) -> list[str]:
        ends = time.monotonic() + options.seconds
        made = []
        for seed in seeds:
            if time.monotonic() > ends:
                break
            drawn = selection.draw(maker, task, seed, config, level)
            made.append(str(maker.make(task, drawn, config)["question"]))
        return made

    began = time.process_time()
    trained = questions(stream.seed(n, 0, task) for n in range(options.draws))
    middle = time.process_time()
    asked = questions(
        seed
        for eval_seed in EVALUATION_SEEDS
        for seed in evaluation_seeds(task, options.problems, eval_seed=eval_seed)
    )
    ended = time.process_time()
    shares = {}
    for form in forms_of(task):
        known = {repr(form(question)) for question in trained}
        shares[form.__name__] = sum(repr(form(question)) in known for question in asked) / len(
            asked
        )
    verbatim = len(set(asked) & set(trained)) / len(asked)
    return {
        "training": len(trained),
        "evaluation": len(asked),
        "different": len(set(asked)),
        "ms_training": round(1000 * (middle - began) / len(trained), 1),
        "ms_evaluation": round(1000 * (ended - middle) / len(asked), 1),
        "verbatim": round(verbatim, 4),
        "share": {name: round(share, 4) for name, share in shares.items() if share},
    }


if __name__ == "__main__":
    guard.install()
    install()
    command = options_of(__doc__, problems=50, first_seed=42)
    command.add_argument("--draws", type=int, default=20_000, help="training draws of each level")
    print_report(command.parse_args(), measure)
