"""Solve a Rubik's cube that was turned."""

import re
from collections.abc import Mapping
from typing import Any

from magiccube.cube import Cube
from magiccube.solver.basic.basic_solver import BasicSolver

from rgenv.tasks import Answer, Entry, Task, all_or_nothing, moving
from rgenv.tasks.answers.lists import items, matching
from rgenv.tasks.limits import bounded_int
from rgenv.tasks.symmetries import turned_and_renamed

_TURN = re.compile(r"([LRDUBF]w?|[XYZMESxyzmes])(?:(['’′])([23]?)|([23])(['’′]?)|)")
_read_turns = matching(rf"(?:{_TURN.pattern})+")


class Turns(Answer):
    """Turns in Singmaster's notation in any form of a list, also repeated ones.

    The library ignores turns that it can't read.
    """

    name = "moves"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        written = []
        found = _TURN.findall(" ".join(items(text, _read_turns) or []))
        for face, after, times, before, mark in found:
            turn = (face if face[0].isupper() else face.upper()) + ("'" if after or mark else "")
            written += [turn] * int(times or before or 1)
        return " ".join(written) or None


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if the turns of the scramble undo each other."""
    cube = Cube(entry["metadata"]["cube_size"])
    cube.rotate(entry["metadata"]["scramble_moves"])
    return None if cube.is_done() else entry


def solve(metadata: Mapping[str, Any]) -> str:
    """Return the library's solution of a cube of size 3; otherwise undo the scramble."""
    if metadata["cube_size"] == 3:
        cube = Cube(3)
        cube.rotate(metadata["scramble_moves"])
        return " ".join(map(str, BasicSolver(cube).solve()))
    turns = reversed(metadata["scramble_moves"].split())
    return " ".join(turn.removesuffix("'") if turn.endswith("'") else f"{turn}'" for turn in turns)


class LaterSolver:
    """Stands in for the library's solver, which takes 20 ms a cube: `solve` runs it when asked."""

    def __init__(self, cube: Cube) -> None:
        pass

    def solve(self) -> list[Any]:
        return []


_CUBE_MOVE = re.compile(r"[LRDUBFXYZMES]w?'?")


def _cube_turns(answer: str) -> str | None:
    """Refuse too many turns: the library expands ``R9`` to nine turns, whatever the number.

    It applies the turns only if all of them are moves.
    """
    words = (re.fullmatch(r"(\D*)(\d*)", word) for word in answer.split())
    tokens = [token for token in words if token]
    turns = sum(bounded_int(turn[2] or "1") for turn in tokens)
    if turns > 2_000 and (turns > 50_000 or all(_CUBE_MOVE.fullmatch(turn[1]) for turn in tokens)):
        return f"{turns} turns"
    return None


def family(entry: Entry) -> object:
    """Keep the six faces; ignore rotations of the cube and of its faces, mirrors, other colours."""
    rows = [
        line.split()
        for line in entry["question"].splitlines()
        if re.fullmatch("(?: *[A-Z]\\b)+ *", line)
    ]
    size = len(rows) // 3
    faces = [rows[:size], rows[-size:]]
    faces += [[row[i : i + size] for row in rows[size:-size]] for i in range(0, 4 * size, size)]
    return sorted(map(turned_and_renamed, faces))


TASK = Task(
    answer=Turns(),
    also_right="any turns that solve the cube, of any number",
    correct=correct,
    verify=all_or_nothing,
    solve=solve,
    limits=(_cube_turns,),
    family=family,
    salt=158,
    # The solver supports only a size of 3. From 20 random turns on, a cube is not harder.
    levels=moving(scramble_steps=[(2, 3), (5, 7), (9, 12), (14, 18), (20, 26)], cube_size=[3]),
    faster={"cognition.rubiks_cube:BasicSolver": LaterSolver},
)
