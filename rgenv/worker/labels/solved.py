"""Problems that are solved before the first move: they are not served.

Example::

    sokoban(entry)    # None if every box stands on a goal
"""

from __future__ import annotations

from magiccube.cube import Cube

from rgenv.tasks.entry import Entry

BOX_BESIDE_GOALS = "@"


def sokoban(entry: Entry) -> Entry | None:
    """Return the entry; None if no box is left to push."""
    return entry if BOX_BESIDE_GOALS in entry["metadata"]["gamestr"] else None


def rubiks_cube(entry: Entry) -> Entry | None:
    """Return the entry; None if the turns of the scramble undo each other."""
    cube = Cube(entry["metadata"]["cube_size"])
    cube.rotate(entry["metadata"]["scramble_moves"])
    return None if cube.is_done() else entry


def polynomial_multiplication(entry: Entry) -> Entry | None:
    """Return the entry; None if there is no product of brackets to expand."""
    return entry if "(" in entry["metadata"]["polynomial_expr"] else None
