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
BLANKS = [(x, y) for x in range(4) for y in range(4) if not PUZZLE[x][y]]


def board(right: set[tuple[int, int]]) -> str:
    return "\n".join(
        " ".join(
            str(SOLUTION[x][y] if PUZZLE[x][y] or (x, y) in right else SOLUTION[x][y] % 4 + 1)
            for y in range(4)
        )
        for x in range(4)
    )


@pytest.mark.parametrize("task", ["sudoku", "mini_sudoku", "futoshiki"])
@given(st.sets(st.sampled_from(BLANKS)), st.sampled_from(BLANKS))
def test_one_more_right_blank_never_scores_less(
    task: str, right: set[tuple[int, int]], more: tuple[int, int]
) -> None:
    """The score grows with each right blank, and is 0.0 if a given cell was changed."""
    metadata = {"puzzle": PUZZLE, "solution": SOLUTION}
    entry = {"answer": board(set(BLANKS)), "question": "", "metadata": metadata}
    score = scored(task, board(right), entry)
    assert score <= scored(task, board(right | {more}), entry)
    assert (score == 1.0) == (right == set(BLANKS))
    assert len(right) > len(BLANKS) / 2 or score == 0.0
    assert scored(task, "3" + board(right)[1:], entry) == 0.0
    assert scored(task, f"{board(right)}\nor so", entry) == 0.0


CELLS = st.lists(st.integers(0, 1), min_size=9, max_size=9)


def life(cells: list[int]) -> str:
    return json.dumps([cells[:3], cells[3:6], cells[6:]])


@given(CELLS, CELLS, CELLS, st.integers(0, 8))
def test_one_more_right_cell_of_life_never_scores_less(
    first: list[int], right: list[int], given_cells: list[int], place: int
) -> None:
    """The score grows with each right cell; empty, full and copied boards score 0.0."""
    entry = {"answer": life(right), "question": f"Board:\n{life(first)}.", "metadata": {}}
    score = scored("game_of_life", life(given_cells), entry)
    better = [*given_cells[:place], right[place], *given_cells[place + 1 :]]
    assert score <= scored("game_of_life", life(better), entry)
    assert (score == 1.0) == (given_cells == right)
    for blind in ([0] * 9, [1] * 9, first):
        assert scored("game_of_life", life(blind), entry) == float(blind == right)


WORDS = ["the", "old", "man", "and", "a", "sea"]


@pytest.mark.parametrize(("task", "sign"), [("sentence_reordering", " "), ("word_sorting", ", ")])
@given(st.permutations(WORDS), st.integers(0, 5))
def test_one_more_word_in_place_never_scores_less(
    task: str, sign: str, words: list[str], place: int
) -> None:
    """The score grows with each word in place, and is 0.0 if a word was added or changed."""
    entry = {"answer": sign.join(WORDS), "question": "", "metadata": {"sorted_words": WORDS}}
    score = scored(task, sign.join(words), entry)
    better = list(words)
    other = better.index(WORDS[place])
    better[place], better[other] = better[other], better[place]
    assert score <= scored(task, sign.join(better), entry)
    assert (score == 1.0) == (list(words) == WORDS)
    for text in (f"{sign.join(words)}{sign}blah", f"1{sign.join(words)}"):
        assert scored(task, text, entry) == 0.0


@given(st.sets(st.integers(0, 5)), st.integers(0, 5))
def test_one_more_word_unscrambled_never_scores_less(right: set[int], more: int) -> None:
    """The score grows with each unscrambled word; a copied sentence scores 0.0."""

    def text(places: set[int]) -> str:
        return " ".join(word if i in places else "x" for i, word in enumerate(WORDS))

    metadata = {"scrambled_words": ["the", *"bcdef"]}
    entry = {"answer": " ".join(WORDS), "question": "", "metadata": metadata}
    score = scored("letter_jumble", text(right), entry)
    assert score <= scored("letter_jumble", text(right | {more}), entry)
    assert (score == 1.0) == (len(right) == 6)
    assert scored("letter_jumble", "the b c d e f", entry) == 0.0
    assert scored("letter_jumble", f"{text(right)} blah", entry) == 0.0


@pytest.mark.parametrize("task", ["spell_backward", "figlet_font", "emoji_mystery"])
@given(st.text("abc", min_size=1), st.integers(0, 30), st.text("abc"))
def test_one_more_letter_in_place_never_scores_less(
    task: str, right: str, place: int, other: str
) -> None:
    """The score grows with each letter in place, and is 1.0 only for the right word."""
    entry = {"answer": right, "question": "", "metadata": {}}
    place %= len(right)
    given_word = (other + "x" * len(right))[: len(right)]
    better = given_word[:place] + right[place] + given_word[place + 1 :]
    score = scored(task, given_word, entry)
    assert score <= scored(task, better, entry)
    assert (score == 1.0) == (given_word == right)
    assert scored(task, right + "a", entry) == 0.0


@given(st.integers(-50, 50), st.integers(-200, 200), st.integers(0, 100))
def test_a_closer_count_never_scores_less(right: int, error: int, more: int) -> None:
    """The score falls with each day of error, and is 1.0 only for the right count."""
    entry = {"answer": str(right), "question": "", "metadata": {"task": "count_days"}}
    score = scored("calendar_arithmetic", str(right + error), entry)
    further = error + more if error >= 0 else error - more
    assert scored("calendar_arithmetic", str(right + further), entry) <= score
    assert (score == 1.0) == (error == 0)


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
    """A conjunction, an equivalence and a clause that repeats a variable are no conclusions."""
    known = [truth_table(parse(each), TABLES) for each in ("P ∨ Q", "Q → P", "Q ∨ R", "R → Q")]
    assert is_inferred(parse("P"), known, TABLES) and is_inferred(parse("Q"), known, TABLES)
    assert not is_inferred(parse(text), known, TABLES)


@given(FORMULAS)
@example("P → Q → R")
@example("¬P ∧ Q ∨ R")
@example("P ↔ Q ∧ R → P")
@example("P∨Q∧¬R")
def test_formulas_are_parsed_as_in_the_library(text: str) -> None:
    """A formula, with brackets or without, has the library's value for every assignment."""
    theirs = Expression.from_string(text)
    for row in range(8):
        values = {name: bool(row >> place & 1) for place, name in enumerate("PQR")}
        assert bool(truth_table(parse(text), TABLES) >> row & 1) == theirs.evaluate(values)
