"""Boards, cards and buttons, played again."""

from typing import Any

import pytest
from reasoning_gym import create_dataset

from rgenv.tasks.algorithmic import game_of_life_halting
from rgenv.tasks.cognition import color_cube_rotation
from rgenv.tasks.games import knight_swap, mahjong_puzzle, tsumego
from rgenv.tasks.graphs import quantum_lock


@pytest.mark.parametrize(
    ("cards", "rounds", "result"),
    [
        ("PPAAAAAAAAAAA", ["PA"], "Peng"),
        ("OOPQAAAAAAAAA", ["OA"], "Peng"),
        ("NPQQAAAAAAAAA", ["OA"], "Chi"),
        ("QRAAAAAAAAAAA", ["PA"], "Chi"),
        ("QRAAAAAAAAAAA", ["ZQ", "PA"], "Pass"),
        ("ZAMMMMMMMMMMM", ["BM"], "Pass"),
    ],
)
def test_the_last_round_decides_a_hand(cards: str, rounds: list[str], result: str) -> None:
    """Peng precedes Chi, Chi needs two neighbours, and removed cards do not count."""
    steps = "\n".join(f"Round: Add a {r[0]} card and remove an {r[1]} card." for r in rounds)
    entry = {"question": f"given the initial cards {cards}, what is\n{steps}", "answer": "?"}
    corrected = mahjong_puzzle.provable(entry)
    assert corrected is not None and corrected["answer"] == result


def board(*rows: str) -> str:
    lines = [f"{len(rows) - n:2d} {' '.join(row)}" for n, row in enumerate(rows)]
    return "```\n" + "\n".join(["   " + " ".join("ABCDEFGHI"[: len(rows[0])]), *lines]) + "\n```"


@pytest.mark.parametrize(
    ("rows", "answer", "kept"),
    [
        ((".X..", "XO..", ".X..", "...."), "C3", True),
        ((".X..", "XO..", ".X..", "...."), "C1", False),
        ((".X..", "XOO.", ".X..", "...."), "D3", False),
        ((".X.X", "XO.O", ".X.X", "...."), "C3", True),
        (("XO.O", "....", "....", "...."), "C4", False),
        ((".XX...", "XO.OX.", ".X.X..", "......", "......", "......"), "C5", True),
    ],
)
def test_only_a_move_that_captures_is_kept(rows: tuple[str, ...], answer: str, kept: bool) -> None:
    """A question that does not ask for most stones is kept if its move captures any."""
    assert (tsumego.provable({"question": board(*rows), "answer": answer}) is not None) == kept


def knights(answer: str, *, white: str, black: str, squares: str) -> dict[str, Any]:
    pieces = {s: "w" if s in white else "B" if s in black else None for s in squares.split()}
    return {"question": "", "answer": answer, "metadata": {"pieces": pieces, "start_turn": "w"}}


def test_a_wrong_no_about_knights_is_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A "No" is kept only if a search finds that no moves on the squares shown lead to the swap."""
    ring = "A1 A2 A3 B1 B3 C1 C2 C3"
    possible = knights("No", white="A1", black="C2", squares=ring)
    assert knight_swap.correct(possible) is None
    stuck = knights("No", white="A1", black="B3", squares="A1 B3")
    assert knight_swap.correct(stuck) is stuck
    assert knight_swap.correct({**possible, "answer": '["w,A1,B3"]'}) is not None
    row = knights("No", white="B3", black="A1", squares="A1 B3 C5")
    assert knight_swap.correct(row) is row
    monkeypatch.setattr(knight_swap, "MAX_POSITIONS", 1)
    assert knight_swap.correct(row) is None


def test_the_direction_of_a_half_turn_is_added() -> None:
    """A question with a half turn gets a sentence that says its direction; others get none."""
    question = "A cube has:\n- a red top side\n\nThe {0} comes up.\n\nWhat is now the color?"
    plain = {"question": question.format("left"), "metadata": {"rotations": ["left"]}}
    assert color_cube_rotation.provable(plain) is plain
    turned = {"question": question.format("bottom"), "metadata": {"rotations": ["bottom"]}}
    result = color_cube_rotation.provable(turned)
    assert result is not None and result["question"].count(color_cube_rotation.HALF_TURN) == 1
    assert result["question"].endswith("\n\nWhat is now the color?")


def test_a_board_that_is_not_fully_shown_is_discarded() -> None:
    """A board in which numpy replaced the middle with "..." is discarded."""
    sizes = {"grid_size_x": 40, "grid_size_y": 40, "num_oscillators": 4}
    entry = create_dataset("game_of_life_halting", size=1, seed=1, **sizes)[0]
    assert "..." in entry["question"] and len(entry["metadata"]["placed_patterns"]) > 1
    assert game_of_life_halting.correct(entry) is None


def test_a_lock_with_two_readings_is_discarded() -> None:
    """None if pressing a disabled button would shorten the sequence by toggling the light."""
    add = {"type": "add", "value": 8, "active_state": "green"}
    step = {"type": "add", "value": 1, "active_state": "red"}
    back = {"type": "subtract", "value": 1, "active_state": "any"}
    meta = {"initial_value": 0, "initial_state": "red", "buttons": [add, step, back]}
    short = {"metadata": {**meta, "target_value": 8, "solution_path": ["C", "A", "B"]}}
    assert quantum_lock.correct(short) is None
    certain = {"metadata": {**meta, "target_value": 9, "solution_path": ["B", "A"]}}
    assert quantum_lock.correct(certain) is certain
