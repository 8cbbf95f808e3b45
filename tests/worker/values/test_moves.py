"""rgenv/worker/values/moves: moves in any form of a list."""

from __future__ import annotations

import pytest

from rgenv.worker.values.moves import KINDS


@pytest.mark.parametrize(
    ("task", "text", "form"),
    [
        ("jugs", "['fill a', 'pour A → B']", '["fill A", "pour A->B"]'),
        ("jugs", "1. Fill A\n2. Pour A to B.", '["fill A", "pour A->B"]'),
        ("knight_swap", "NO", "No"),
        ("knight_swap", "['w,a1,B3', 'B, C1, A2']", '["w,A1,B3", "B,C1,A2"]'),
        ("knight_swap", "- w: A1→B3\n- B: C1→A2", '["w,A1,B3", "B,C1,A2"]'),
        ("quantum_lock", "a->b->c", "A → B → C"),
        ("quantum_lock", "ABC", "A → B → C"),
        ("rubiks_cube", "R, U’, x, U2'", "R U' X U' U'"),
        ("rubiks_cube", "RU'R'", "R U' R'"),
        ("rush_hour", "AA+1, B−2; C+03".replace(";", ","), "A+1 B-2 C+3"),
        ("shortest_path", "Right → DOWN", "right down"),
        ("shortest_path", "INFEASIBLE", "infeasible"),
        ("sokoban", "l, u, r", "LUR"),
        ("sokoban", "LU RD", "LURD"),
        ("tower_of_hanoi", "move disk 1 from peg 3 to peg 2.", "Move disk 1 from Peg 3 to Peg 2"),
        ("tsumego", "(c, 4)", "C4"),
    ],
)
def test_moves_are_written_as_the_library_does(task: str, text: str, form: str) -> None:
    """Case, separators, numbers and bullets do not change the moves."""
    assert KINDS[task](text, {}) == form


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("jugs", "fill A, then pour A->B"),
        ("jugs", '["fill A", "empty A if you like"]'),
        ("knight_swap", "No, because"),
        ("knight_swap", "w,A1"),
        ("quantum_lock", "A → B → "),
        ("quantum_lock", "Maybe B"),
        ("rubiks_cube", "R U r2d2"),
        ("rubiks_cube", "R9"),
        ("rush_hour", "A+1 and B-2"),
        ("rush_hour", "AB+1"),
        ("shortest_path", "right, then down"),
        ("shortest_path", "not infeasible"),
        ("sokoban", "so be it: LURD"),
        ("tower_of_hanoi", "1Move disk 1 from Peg 3 to Peg 2"),
        ("tower_of_hanoi", "Move disk 1 from Peg 3 to Peg 2 and back"),
        ("tsumego", "C4 or D5"),
    ],
)
def test_other_texts_are_no_moves(task: str, text: str) -> None:
    """Prose, unfinished sequences and alternatives are refused."""
    assert not KINDS[task](text, {})
