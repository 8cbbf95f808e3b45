"""Work on boards and graphs: cells, values that are possible, moves, and rounds of a search."""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from rgenv.tasks.boards import flood
from rgenv.tasks.cognition.color_cube_rotation import SOURCES
from rgenv.tasks.entry import Entry

Board = Sequence[Sequence[int]]


def candidates(puzzle: Board, box: int = 1) -> int:
    """Count the values that row, column and box leave open, over all empty cells.

    Args:
        puzzle: a square board of the numbers 1 to its size, with 0 for an empty cell.
        box: the side of the boxes that hold each number once; 1 for none.
    """
    size, count = len(puzzle), 0
    for r in range(size):
        for c in range(size):
            if not puzzle[r][c]:
                top, left = r // box * box, c // box * box
                seen = {*puzzle[r], *(row[c] for row in puzzle)}
                seen |= {v for row in puzzle[top : top + box] for v in row[left : left + box]}
                count += size - len(seen - {0})
    return count


def sudoku(entry: Entry) -> float:
    """Count the values that are possible at first."""
    return float(candidates(entry["metadata"]["puzzle"], box=3))


def futoshiki(entry: Entry) -> float:
    """Count the values that rows and columns leave possible at first."""
    return float(candidates(entry["metadata"]["puzzle"]))


def kakurasu(entry: Entry) -> float:
    """Count the ways to fill each row and each column."""
    metadata = entry["metadata"]
    return float(
        sum(subsets(metadata["n_cols"], total) for total in metadata["row_sums"])
        + sum(subsets(metadata["n_rows"], total) for total in metadata["col_sums"])
    )


def subsets(size: int, total: int) -> int:
    """Count the sets of different numbers from 1 to `size` that have this sum."""
    ways = Counter({0: 1})
    for number in range(1, size + 1):
        for part, count in list(ways.items()):
            ways[part + number] += count
    return ways[total]


def survo(entry: Entry) -> float:
    """Count the numbers that are possible at first, over all empty cells."""
    puzzle, numbers = entry["metadata"]["puzzle"], set(entry["metadata"]["candidate_numbers"])
    empty = sum(row.count(0) for row in puzzle)
    return float(empty * len(numbers))


def n_queens(entry: Entry) -> float:
    """Count the squares that a search row by row tries until it has a solution, in doublings.

    The searches on one size of board differ a hundredfold.
    """
    puzzle = entry["metadata"]["puzzle"]
    size = len(puzzle)
    given = {r: row.index("Q") for r, row in enumerate(puzzle) if "Q" in row}
    free = [r for r in range(size) if r not in given]
    tried = 0

    def place(queens: dict[int, int], rows: list[int]) -> bool:
        nonlocal tried
        if not rows:
            return True
        row = rows[0]
        for column in range(size):
            tried += 1
            safe = all(
                column != other and abs(column - other) != abs(row - r)
                for r, other in queens.items()
            )
            if safe and place({**queens, row: column}, rows[1:]):
                return True
        return False

    place(given, free)
    return math.log2(1 + tried)


Cells = frozenset[tuple[int, int]]
"""The living cells of a board."""

_MAX_STEPS = 4
"""Steps after which most patterns that die are dead. A few boards go on for hundreds of steps,
which nobody counts by hand, and which would be most of a mean."""


def binary_matrix(entry: Entry) -> float:
    """Return the sum of all distances: the steps of a search from the zeros."""
    return float(sum(map(sum, entry["metadata"]["solution"])))


def game_of_life(entry: Entry) -> float:
    """Return the cells with a living neighbour, summed over all steps."""
    rows = ast.literal_eval(entry["question"].split("\n\n")[-1].rstrip("."))
    cells, size = _living(rows), (len(rows), len(rows[0]))
    work = 0
    for _ in range(entry["metadata"]["simulation_steps"]):
        neighbours = _neighbours(cells, size)
        work += len(neighbours)
        cells = _next(cells, neighbours)
    return float(work)


def game_of_life_halting(entry: Entry) -> float:
    """Return the cells with a living neighbour, summed until the board dies, or for four steps."""
    board = entry["question"].split("Initial board:\n")[1]
    rows = [[int(cell) for cell in re.findall(r"[01]", line)] for line in board.splitlines()]
    cells, size = _living(rows), (len(rows), len(rows[0]))
    work = 0
    for _ in range(_MAX_STEPS):
        neighbours = _neighbours(cells, size)
        work += len(neighbours)
        cells = _next(cells, neighbours)
    return float(work)


def _living(rows: list[list[int]]) -> Cells:
    return frozenset((r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell)


def _neighbours(cells: Cells, size: tuple[int, int]) -> Counter[tuple[int, int]]:
    """Return the number of living neighbours of each cell that has one, on a board that wraps."""
    height, width = size
    return Counter(
        ((r + down) % height, (c + right) % width)
        for r, c in cells
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if down or right
    )


def _next(cells: Cells, neighbours: Counter[tuple[int, int]]) -> Cells:
    return frozenset(
        cell for cell, count in neighbours.items() if count == 3 or (count == 2 and cell in cells)
    )


def boxnet(entry: Entry) -> float:
    """Count moves: each box goes to the nearest target of its colour, and then into it."""
    boxes: list[tuple[str, float, float]] = []
    targets: dict[str, list[tuple[float, float]]] = {}
    for place, things in entry["metadata"]["initial_state"].items():
        row, column = map(float, place.split("_"))
        for kind, colour in (thing.split("_") for thing in things):
            if kind == "box":
                boxes.append((colour, row, column))
            else:
                targets.setdefault(colour, []).append((row, column))
    return sum(
        1 + min(abs(row - r) + abs(column - c) for r, c in targets[colour])
        for colour, row, column in boxes
    )


def color_cube_rotation(entry: Entry) -> float:
    """Count the rotations that move the face that is asked for."""
    side, moves = entry["metadata"]["target_side"], 0
    for rotation in reversed(entry["metadata"]["rotations"]):
        before = SOURCES[rotation].get(side, side)
        moves += before != side
        side = before
    return float(moves)


def knight_swap(entry: Entry) -> float:
    """Count the moves after which a breadth-first search knows the answer.

    That is the length of a shortest solution, or of the longest shortest line of play where there
    is none.
    """
    metadata = entry["metadata"]
    board = metadata["board"]
    white = frozenset(pos for pos, piece in metadata["pieces"].items() if piece == "w")
    black = frozenset(pos for pos, piece in metadata["pieces"].items() if piece == "B")
    start = (white, black, metadata["start_turn"])
    seen, layer, depth = {start}, [start], 0
    while layer:
        following = []
        for whites, blacks, turn in layer:
            if (whites, blacks) == (black, white):
                return float(depth)
            movers = whites if turn == "w" else blacks
            for old in movers:
                for new in set(board[old]) - whites - blacks:
                    moved = (movers - {old}) | {new}
                    state = (moved, blacks, "B") if turn == "w" else (whites, moved, "w")
                    if state not in seen:
                        seen.add(state)
                        following.append(state)
        layer, depth = following, depth + bool(following)
    return float(depth)


def maze(entry: Entry) -> float:
    """Return the length of the shortest path."""
    return float(entry["answer"])


def rubiks_cube(entry: Entry) -> float:
    """Count the quarter turns of the scramble that no neighbour undoes, at most 20.

    Twenty half or quarter turns solve any cube of size 3.
    """
    turns: list[tuple[str, int]] = []
    for move in entry["metadata"]["scramble_moves"].split():
        face, amount = move[0], 3 if "'" in move else 1
        if turns and turns[-1][0] == face:
            amount = (turns.pop()[1] + amount) % 4
        if amount:
            turns.append((face, amount))
    return float(min(len(turns), 20))


def shortest_path(entry: Entry) -> float:
    """Return the length of the shortest path; without one, the steps to the farthest cell."""
    matrix = entry["metadata"]["matrix"]
    cells = {(r, c): cell for r, row in enumerate(matrix) for c, cell in enumerate(row)}
    open_cells = {cell for cell, kind in cells.items() if kind in "O#"}
    start = next(cell for cell, kind in cells.items() if kind == "*")
    goal = next(cell for cell, kind in cells.items() if kind == "#")
    distances = flood([start], open_cells)
    return float(distances.get(goal, max(distances.values())))


def sokoban(entry: Entry) -> float:
    """Count the moves of the library's solution, and the turns among them once more.

    A turn starts another push or walks round a box; a long straight push is easy.
    """
    solution = entry["answer"]
    return float(len(solution) + len(list(groupby(solution))))


def tower_of_hanoi(entry: Entry) -> float:
    """Return the fewest moves."""
    return float(entry["metadata"]["solution_length"])


def word_ladder(entry: Entry) -> float:
    """Count the words between the first and the last one."""
    return float(len(re.findall(r"\w+", entry["answer"])) - 2)


def course_schedule(entry: Entry) -> float:
    """Return the longest chain of prerequisites that a depth-first search follows."""
    needed: dict[int, list[int]] = {}
    for course, prerequisite in entry["metadata"]["prerequisites"]:
        needed.setdefault(course, []).append(prerequisite)
    depths: dict[int, int] = {}

    def depth(course: int, above: frozenset[int]) -> int:
        """Return the length of the chain below a course; a cycle ends it."""
        if course not in depths and course not in above:
            chain = above | {course}
            below = [1 + depth(other, chain) for other in needed.get(course, ())]
            depths[course] = max(below, default=0)
        return depths.get(course, 0)

    return float(max(depth(course, frozenset()) for course in entry["metadata"]["courses"]))


KINSHIP_STEPS: Mapping[str, int] = {
    **dict.fromkeys(("father", "mother", "son", "daughter", "husband", "wife"), 1),
    **dict.fromkeys(("brother", "sister", "grandfather", "grandmother", "grandson"), 2),
    **dict.fromkeys(("granddaughter", "father-in-law", "mother-in-law", "son-in-law"), 2),
    **dict.fromkeys(("daughter-in-law",), 2),
    **dict.fromkeys(("uncle", "aunt", "nephew", "niece", "brother-in-law", "sister-in-law"), 3),
    **dict.fromkeys(("great-grandfather", "great-grandmother", "great-grandson"), 3),
    **dict.fromkeys(("great-granddaughter",), 3),
    "cousin": 4,
}
"""Relation -> the links to a parent, a child or a spouse that it consists of."""


def family_relationships(entry: Entry) -> float:
    """Count the people of the story, and the links between the two that are asked about."""
    return float(entry["metadata"]["family_size"] + KINSHIP_STEPS[entry["answer"]])


def largest_island(entry: Entry) -> float:
    """Count the cells of land: a flood fill visits each of them once."""
    return float(sum(map(sum, entry["metadata"]["grid"])))


def path_star(entry: Entry) -> float:
    """Count the edges: a search from the start may follow each of them."""
    return float(entry["question"].rsplit("\n", 2)[-2].count("|"))


def rotten_oranges(entry: Entry) -> float:
    """Return the minutes until no more oranges rot."""
    matrix = entry["metadata"]["matrix"]
    cells = {(r, c): kind for r, row in enumerate(matrix) for c, kind in enumerate(row)}
    rotten = [cell for cell, kind in cells.items() if kind == 2]
    fresh = {cell for cell, kind in cells.items() if kind == 1}
    return float(max(flood(rotten, fresh).values(), default=0))
