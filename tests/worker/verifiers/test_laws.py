"""rgenv/worker/verifiers: a better answer never earns less, and only a right one earns everything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.worker.verifiers import verify
from rgenv.worker.verifiers.logic import inferred, parsed, table, variable_tables
from rgenv.worker.verifiers.shared import above, beyond_half


def generous(_answer: str) -> float:
    """A library that gives full marks to anything."""
    return 1.0


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        ("sokoban", "LRU", "LR" * 10 + "U"),
        ("quantum_lock", "A → B", "A → B → "),
        ("time_intervals", "00:00:04.840", "0:000:04.840"),
        ("time_intervals", "123:45:00", "123:045:00"),
    ],
)
def test_what_the_library_lets_pass_does_not(task: str, right: str, wrong: str) -> None:
    """Wandering about until it is solved, half a sequence, and times that nobody writes."""
    entry = {"answer": right, "metadata": {}}
    assert verify(task, right, entry, generous) == 1.0
    assert verify(task, wrong, entry, generous) == 0.0


def test_signs_of_a_futoshiki_stay_where_they_are() -> None:
    """A right board without them is unusual; with them elsewhere it is another puzzle."""
    board = "1 < 2\n    \n2   1"
    entry = {
        "answer": board,
        "metadata": {"puzzle": [[0, 2], [2, 0]], "solution": [[1, 2], [2, 1]]},
    }
    scores = [
        verify("futoshiki", text, entry, generous)
        for text in (board, "1 2\n2 1", "< 1 2\n2 1", "1 < 2\n1 2")
    ]
    assert scores == [1.0, 0.9, 0.0, 0.0]


PATIENT = settings(deadline=None)
"""The library takes seconds to import."""
SHARES = st.floats(0.0, 1.0)


def judged(task: str, answer: str, entry: dict[str, Any]) -> float:
    return verify(task, answer, entry, lambda text: 0.0)


@PATIENT
@given(SHARES, SHARES, st.floats(0.0, 0.99))
def test_rescaling_keeps_the_order(one: float, other: float, blind: float) -> None:
    """More is never worth less, all is worth all, and what a blind answer has is worth nothing."""
    low, high = sorted((one, other))
    assert 0.0 <= above(blind, low) <= above(blind, high) <= 1.0
    assert above(blind, 1.0) == 1.0 and above(blind, blind) == 0.0
    assert beyond_half(0.5) == 0.0


SOLUTION = [[2, 1, 4, 3], [4, 3, 1, 2], [1, 2, 3, 4], [3, 4, 2, 1]]
PUZZLE = [[2, 0, 0, 3], [0, 0, 1, 0], [1, 0, 3, 0], [3, 0, 2, 1]]
BLANKS = [(x, y) for x in range(4) for y in range(4) if not PUZZLE[x][y]]


def board(right: set[tuple[int, int]], sign: str = " ") -> str:
    return "\n".join(
        sign.join(
            str(SOLUTION[x][y] if PUZZLE[x][y] or (x, y) in right else SOLUTION[x][y] % 4 + 1)
            for y in range(4)
        )
        for x in range(4)
    )


@pytest.mark.parametrize("task", ["sudoku", "mini_sudoku", "futoshiki"])
@PATIENT
@given(st.sets(st.sampled_from(BLANKS)), st.sampled_from(BLANKS))
def test_one_more_right_blank_never_earns_less(
    task: str, right: set[tuple[int, int]], more: tuple[int, int]
) -> None:
    """Boards gain with each blank that is filled in rightly, and lose all with a changed given."""
    metadata = {"puzzle": PUZZLE, "solution": SOLUTION}
    entry = {"answer": board(set(BLANKS)), "question": "", "metadata": metadata}
    score = judged(task, board(right), entry)
    assert score <= judged(task, board(right | {more}), entry)
    assert (score == 1.0) == (right == set(BLANKS))
    assert len(right) > len(BLANKS) / 2 or score == 0.0
    assert judged(task, "3" + board(right)[1:], entry) == 0.0
    assert judged(task, f"{board(right)}\nor so", entry) == 0.0


def test_a_right_board_in_another_format_earns_less() -> None:
    """Commas between the numbers cost a tenth, as they do in the library."""
    metadata = {"puzzle": PUZZLE, "solution": SOLUTION}
    entry = {"answer": board(set(BLANKS)), "question": "", "metadata": metadata}
    assert judged("sudoku", board(set(BLANKS), ", "), entry) == pytest.approx(0.9)


CELLS = st.lists(st.integers(0, 1), min_size=9, max_size=9)


def life(cells: list[int]) -> str:
    return json.dumps([cells[:3], cells[3:6], cells[6:]])


@PATIENT
@given(CELLS, CELLS, CELLS, st.integers(0, 8))
def test_one_more_right_cell_of_life_never_earns_less(
    first: list[int], right: list[int], given_cells: list[int], place: int
) -> None:
    """Boards gain with each right cell; empty, full and copied ones earn nothing."""
    entry = {"answer": life(right), "question": f"Board:\n{life(first)}.", "metadata": {}}
    score = judged("game_of_life", life(given_cells), entry)
    better = [*given_cells[:place], right[place], *given_cells[place + 1 :]]
    assert score <= judged("game_of_life", life(better), entry)
    assert (score == 1.0) == (given_cells == right)
    for blind in ([0] * 9, [1] * 9, first):
        assert judged("game_of_life", life(blind), entry) == float(blind == right)


WORDS = ["the", "old", "man", "and", "a", "sea"]


@pytest.mark.parametrize(("task", "sign"), [("sentence_reordering", " "), ("word_sorting", ", ")])
@PATIENT
@given(st.permutations(WORDS), st.integers(0, 5))
def test_one_more_word_in_place_never_earns_less(
    task: str, sign: str, words: list[str], place: int
) -> None:
    """Orders gain with each word in its place; other words than the given ones earn nothing."""
    entry = {"answer": sign.join(WORDS), "question": "", "metadata": {"sorted_words": WORDS}}
    score = judged(task, sign.join(words), entry)
    better = list(words)
    other = better.index(WORDS[place])
    better[place], better[other] = better[other], better[place]
    assert score <= judged(task, sign.join(better), entry)
    assert (score == 1.0) == (list(words) == WORDS)
    for text in (f"{sign.join(words)}{sign}blah", f"1{sign.join(words)}"):
        assert judged(task, text, entry) == 0.0


@PATIENT
@given(st.sets(st.integers(0, 5)), st.integers(0, 5))
def test_one_more_word_unscrambled_never_earns_less(right: set[int], more: int) -> None:
    """Sentences gain with each word but those that were given whole."""

    def text(places: set[int]) -> str:
        return " ".join(word if i in places else "x" for i, word in enumerate(WORDS))

    metadata = {"scrambled_words": ["the", *"bcdef"]}
    entry = {"answer": " ".join(WORDS), "question": "", "metadata": metadata}
    score = judged("letter_jumble", text(right), entry)
    assert score <= judged("letter_jumble", text(right | {more}), entry)
    assert (score == 1.0) == (len(right) == 6)
    assert judged("letter_jumble", "the b c d e f", entry) == 0.0
    assert judged("letter_jumble", f"{text(right)} blah", entry) == 0.0


@pytest.mark.parametrize("task", ["spell_backward", "figlet_font", "emoji_mystery"])
@PATIENT
@given(st.text("abc", min_size=1), st.integers(0, 30), st.text("abc"))
def test_one_more_letter_in_place_never_earns_less(
    task: str, right: str, place: int, other: str
) -> None:
    """Words gain with each letter in its place, and only whole ones earn everything."""
    entry = {"answer": right, "question": "", "metadata": {}}
    place %= len(right)
    given_word = (other + "x" * len(right))[: len(right)]
    better = given_word[:place] + right[place] + given_word[place + 1 :]
    score = judged(task, given_word, entry)
    assert score <= judged(task, better, entry)
    assert (score == 1.0) == (given_word == right)
    assert judged(task, right + "a", entry) == 0.0


@PATIENT
@given(st.integers(-50, 50), st.integers(-200, 200), st.integers(0, 100))
def test_a_closer_count_never_earns_less(right: int, error: int, more: int) -> None:
    """Counts of days lose with every day, and only the right one earns everything."""
    entry = {"answer": str(right), "question": "", "metadata": {"task": "count_days"}}
    score = judged("calendar_arithmetic", str(right + error), entry)
    further = error + more if error >= 0 else error - more
    assert judged("calendar_arithmetic", str(right + further), entry) <= score
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


@PATIENT
@given(st.lists(FORMULAS, min_size=1, max_size=4), FORMULAS, st.sampled_from("∧∨→↔"))
def test_what_premises_say_themselves_is_not_inferred(
    premises: list[str], other: str, sign: str
) -> None:
    """Premises, tautologies, and premises joined or weakened are no conclusions."""
    known = [table(parsed(premise), TABLES) for premise in premises]
    first, last = premises[0], premises[-1]
    blind = [first, f"({first} {sign} {last})", f"({first} ∨ {other})", f"({other} → {first})"]
    blind += [f"(({first} ∧ {last}) ∨ {other})", f"¬(¬{first} ∨ ¬{last})", f"{other} ∨ ¬{other}"]
    assert not any(inferred(parsed(text), known, TABLES) for text in blind)


@PATIENT
@given(st.lists(FORMULAS, min_size=1, max_size=4), FORMULAS)
def test_what_is_inferred_follows(premises: list[str], text: str) -> None:
    """A conclusion holds wherever all premises do."""
    known = [table(parsed(premise), TABLES) for premise in premises]
    if inferred(parsed(text), known, TABLES):
        for row in range(8):
            if all(premise >> row & 1 for premise in known):
                assert table(parsed(text), TABLES) >> row & 1


@PATIENT
@given(FORMULAS)
def test_formulas_are_read_as_the_library_reads_them(text: str) -> None:
    """Every assignment gives the value that the library's own expression has."""
    from reasoning_gym.logic.propositional_logic import Expression

    theirs = Expression.from_string(text)
    for row in range(8):
        values = {name: bool(row >> place & 1) for place, name in enumerate("PQR")}
        assert bool(table(parsed(text), TABLES) >> row & 1) == theirs.evaluate(values)


@pytest.mark.parametrize("text", ["P → Q → R", "¬P ∧ Q ∨ R", "P ↔ Q ∧ R → P", "¬¬P", "P∨Q∧¬R"])
def test_connectives_bind_as_in_the_library(text: str) -> None:
    """Without brackets, too."""
    from reasoning_gym.logic.propositional_logic import Expression

    theirs = Expression.from_string(text)
    for row in range(8):
        values = {name: bool(row >> place & 1) for place, name in enumerate("PQR")}
        assert bool(table(parsed(text), TABLES) >> row & 1) == theirs.evaluate(values)
