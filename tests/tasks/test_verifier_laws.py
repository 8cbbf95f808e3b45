"""A better answer never scores less, and only a right one scores 1.0."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reasoning_gym.logic.propositional_logic import Expression

from rgenv.tasks.logic.propositional_logic import is_inferred, parse, truth_table, variable_tables
from rgenv.tasks.verifying import credit_above, credit_above_half
from rgenv.worker.problem_maker import verify

SHARES = st.floats(0.0, 1.0)


def scored(task: str, answer: str, entry: dict[str, Any]) -> float:
    """Return our score, with a library that gives every answer 0.0."""
    return verify(task, answer, entry, lambda text: 0.0)


@given(SHARES, SHARES, st.floats(0.0, 0.99))
def test_rescaling_keeps_the_order(one: float, other: float, blind: float) -> None:
    """Credit grows with the share, from 0.0 at a blind answer's share to 1.0 at all."""
    low, high = sorted((one, other))
    assert 0.0 <= credit_above(blind, low) <= credit_above(blind, high) <= 1.0
    assert credit_above(blind, 1.0) == 1.0 and credit_above(blind, blind) == 0.0
    assert credit_above_half(0.5) == 0.0


SOLUTION = [[2, 1, 4, 3], [4, 3, 1, 2], [1, 2, 3, 4], [3, 4, 2, 1]]
PUZZLE = [[2, 0, 0, 3], [0, 0, 1, 0], [1, 0, 3, 0], [3, 0, 2, 1]]
BOARDS = {"puzzle": PUZZLE, "solution": SOLUTION}
SOLVED = "\n".join(" ".join(map(str, row)) for row in SOLUTION)
WORDS = "the old man and a sea"
LIFE, NEXT = [[0, 1, 0], [0, 1, 0], [0, 1, 0]], [[0, 0, 0], [1, 1, 1], [0, 0, 0]]


@pytest.mark.parametrize(
    ("task", "right", "wrong", "about"),
    [
        *(
            (task, SOLVED, ["3" + SOLVED[1:], f"{SOLVED}\nor so"], {"metadata": BOARDS})
            for task in ("sudoku", "mini_sudoku", "futoshiki")
        ),
        (
            "game_of_life",
            json.dumps(NEXT),
            [json.dumps(blind) for blind in ([[0] * 3] * 3, [[1] * 3] * 3, LIFE)],
            {"question": f"Board:\n{json.dumps(LIFE)}."},
        ),
        ("sentence_reordering", WORDS, [f"{WORDS} blah", f"1{WORDS}"], {}),
        (
            "word_sorting",
            WORDS.replace(" ", ", "),
            [f"{WORDS}, blah".replace(" ", ", ")],
            {"metadata": {"sorted_words": WORDS.split()}},
        ),
        (
            "letter_jumble",
            WORDS,
            ["the b c d e f", f"{WORDS} blah"],
            {"metadata": {"scrambled_words": ["the", *"bcdef"]}},
        ),
        ("spell_backward", "abcabc", ["abcabca"], {}),
        ("figlet_font", "abcabc", ["abcabca"], {}),
        ("emoji_mystery", "abcabc", ["abcabca"], {}),
    ],
)
def test_what_takes_no_solving_earns_nothing(
    task: str, right: str, wrong: list[str], about: dict[str, Any]
) -> None:
    """Given cells that were changed, added words or letters, and copies of the question."""
    entry = {"answer": right, "question": "", "metadata": {}, **about}
    assert [scored(task, text, entry) for text in (right, *wrong)] == [1.0, *[0.0] * len(wrong)]


FORMULAS = st.recursive(
    st.sampled_from("PQR"),
    lambda inner: st.one_of(
        inner.map("¬({})".format),
        st.tuples(inner, st.sampled_from("∧∨→↔"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
    ),
    max_leaves=6,
)
TABLES = variable_tables(list("PQR"))
PREMISES = st.lists(FORMULAS, min_size=1, max_size=4)


@given(PREMISES, st.lists(st.sampled_from("PQR"), min_size=1, unique=True), st.data())
def test_a_clause_is_inferred_in_any_writing(
    premises: list[str], names: list[str], data: st.DataObject
) -> None:
    """The order of its literals and its connectives do not matter, but what follows from what."""
    known = [truth_table(parse(premise), TABLES) for premise in premises]
    literals = [data.draw(st.sampled_from(["", "¬"])) + name for name in names]
    split = data.draw(st.integers(1, len(literals)))
    denied = [f"¬{literal}".replace("¬¬", "") for literal in literals]
    writings = [" ∨ ".join(literals), " ∨ ".join(literals[::-1]), f"¬({' ∧ '.join(denied)})"]
    if split < len(literals):
        writings.append(f"({' ∧ '.join(denied[:split])}) → ({' ∨ '.join(literals[split:])})")
        writings.append(" → (".join([*denied[:-1], literals[-1]]) + ")" * (len(literals) - 1))
    (table,) = {truth_table(parse(text), TABLES) for text in writings}
    against = [row for row in range(8) if not table >> row & 1]
    cases = [[bool(premise >> row & 1) for premise in known] for row in range(8)]
    right = (
        any(map(all, cases))
        and not any(all(cases[row]) for row in against)
        and all(any(cases[row][i] for row in against) for i in range(len(known)))
    )
    assert {is_inferred(parse(text), known, TABLES) for text in writings} == {right}


@pytest.mark.parametrize(
    "text", ["P ∧ Q", "P ↔ Q", "P ∨ P", "P ∨ ¬P", "(P ∧ Q) ∨ R", "P → (Q ∧ R)", "¬(P → Q)"]
)
def test_what_is_not_one_clause_is_not_inferred(text: str) -> None:
    known = [truth_table(parse(each), TABLES) for each in ("P ∨ Q", "Q → P", "Q ∨ R", "R → Q")]
    assert is_inferred(parse("P"), known, TABLES) and is_inferred(parse("Q"), known, TABLES)
    assert not is_inferred(parse(text), known, TABLES)


@given(FORMULAS)
@example("P → Q → R")
@example("¬P ∧ Q ∨ R")
@example("P ↔ Q ∧ R → P")
@example("P∨Q∧¬R")
def test_formulas_are_parsed_as_in_the_library(text: str) -> None:
    theirs = Expression.from_string(text)
    for row in range(8):
        values = {name: bool(row >> place & 1) for place, name in enumerate("PQR")}
        assert bool(truth_table(parse(text), TABLES) >> row & 1) == theirs.evaluate(values)
