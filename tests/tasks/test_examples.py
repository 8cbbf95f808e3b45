"""Answers that only one task knows: right ones that look wrong, and exploits.

A line of data/examples.jsonl has an entry of a task, and with it one of these: texts that are its
reference answer and texts that are not (`right`, `wrong`), texts and how the library writes them
(`forms`), answers and their scores (`scores`), or the answer with which the problem is served
(`served`, tests/tasks/test_corrections.py).
"""

import functools
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from rgenv.tasks.registry import record_of
from rgenv.tasks.word_lists import is_anagram, is_word
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import MadeProblem, ProblemMaker
from tests.labels import CHECKS
from tests.support.paths import DATA
from tests.support.records import KINDS

MAKER = ProblemMaker()
Entry = dict[str, Any]
Example = dict[str, Any]


def examples(aspect: str) -> list[Any]:
    """Return the examples that have an aspect, as parameters of a test."""
    lines = (DATA / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    found = [row for row in map(json.loads, lines) if aspect in row]
    for row in found:
        row["entry"] = {"answer": "", "question": "", "metadata": {}} | row["entry"]
    return [pytest.param(row, id=row["task"]) for row in found]


@pytest.fixture(scope="module", autouse=True)
def guarded() -> Iterator[None]:
    """Score behind the guard, as a worker does."""
    guard.install()
    yield
    guard.take_rejection()


@pytest.mark.parametrize("row", examples("right"))
def test_a_value_is_read_in_its_forms_only(row: Example) -> None:
    entry, kind = row["entry"], KINDS[row["task"]]

    def read(text: str) -> str:
        return "".join((kind.read(text, entry) or "").split())

    answer = "".join(entry["answer"].split())
    assert {text: read(text) for text in row["right"]} == dict.fromkeys(row["right"], answer)
    assert [text for text in row["wrong"] if read(text) == answer] == []


@pytest.mark.parametrize("row", examples("forms"))
def test_values_are_written_as_the_library_does(row: Example) -> None:
    found = {text: KINDS[row["task"]].read(text, row["entry"]) for text in row["forms"]}
    assert found == row["forms"]


@pytest.mark.parametrize("row", examples("scores"))
def test_answers_score_by_their_meaning(row: Example) -> None:
    task, entry, wanted = row["task"], row["entry"], row["scores"]
    made = MadeProblem(MAKER, task, 0, "{}", task, entry)
    scores = {answer: made.score(answer) for answer in wanted}
    assert scores == pytest.approx(wanted)


def test_a_word_is_an_anagram_if_the_library_knows_it() -> None:
    right = [("file", "life"), ("From", "form"), ("words", "sword")]
    wrong = [("fo", "of"), ("ilfe", "life"), ("lives", "life"), ("", "life")]
    assert [pair for pair in right + wrong if is_anagram(*pair)] == right
    assert [is_word(text) for text in ("ROB", "rho", "QXZ", "")] == [True, True, False, False]


# Answers to problems that are made here


@functools.cache
def made(task: str, seed: int) -> Any:
    return MAKER.make(task, seed, {}).entry


def scored(task: str, text: str, seed: int) -> float:
    """Return the score of an answer to the problem of a seed; 0.0 if the verifier refuses it."""
    try:
        return MAKER.make(task, seed, {}).score(text)
    except Exception:  # what a worker answers with no score
        return 0.0
    finally:
        guard.take_rejection()


def skeleton(entry: Entry) -> str:
    answer = entry["metadata"]["output_data"]
    return json.dumps(dict.fromkeys(answer, 0)) if isinstance(answer, dict) else "{}"


def sorted_numbers(entry: Entry) -> list[float]:
    return list(map(float, entry["metadata"]["sorted_numbers"]))


def solution(task: str, entry: Entry) -> str:
    solve = record_of(task).solve
    assert solve is not None
    return str(solve(entry["metadata"]))


Write = Callable[[Any], str] | str
"""Makes an exploit of an entry; or a text with its answer and metadata."""
EXPLOITS: list[tuple[str, Write]] = [
    ("boxnet", lambda entry: json.dumps(2 * json.loads(solution("boxnet", entry)))),
    ("codeio", skeleton),
    ("countdown", lambda e: f"({e['answer']})*(E-E)+len('{'a' * e['metadata']['target']}')"),
    ("intermediate_integration", "Integral({integrand}, {variable})"),
    ("number_sorting", lambda entry: json.dumps([float("nan")] * len(sorted_numbers(entry)))),
    ("number_sorting", lambda entry: repr([str(n + 0.9) for n in sorted_numbers(entry)])),
    ("polynomial_multiplication", "{polynomial_expr}"),
    ("polynomial_multiplication", "{answer} + 1 - 1"),
    ("polynomial_multiplication", "({answer})*1"),
    ("polynomial_multiplication", "{answer} + 2*x**0*x - 2*x"),
    ("prime_factorization", "{number}"),
    ("rush_hour", lambda entry: f"{solution('rush_hour', entry)} A+9"),
    ("tower_of_hanoi", "Move disk 1 from Peg 1 to Peg 1\n{answer}"),
]


@pytest.mark.parametrize(("task", "write"), EXPLOITS)
def test_exploits_score_next_to_nothing(task: str, write: Write) -> None:
    scores = []
    for seed in range(6):
        entry = made(task, seed)
        known = entry["metadata"] | {"answer": entry["answer"]}
        text = write.format_map(known) if isinstance(write, str) else write(entry)
        scores.append(scored(task, text, seed))
    assert sum(score for score in scores if score < 1.0) <= 0.02 * len(scores)
    assert scores.count(1.0) <= 2  # some are right by chance


def test_a_longer_way_to_build_a_tower_earns_less_than_half() -> None:
    detour = "Move disk 1 from Peg 1 to Peg 3\nMove disk 1 from Peg 3 to Peg 2"
    right = made("tower_of_hanoi", 2)["answer"]
    answer = right.replace("Move disk 1 from Peg 1 to Peg 2", detour, 1)
    assert 0 < scored("tower_of_hanoi", answer, 2) < 0.5


# Other right answers than the reference answer, by code that the verifiers don't share


def presses(entry: Entry) -> Iterable[str]:
    """Press any buttons as often as the reference answer."""
    times = min(6, len(entry["answer"].split(" → ")))
    yield from map(" → ".join, itertools.product("ABC", repeat=times))
    yield f"{entry['answer']} → A → A"


def numbers_moved(entry: Entry) -> Iterable[str]:
    """Move three of the numbers in all ways."""
    puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
    blanks = [(r, c) for r, row in enumerate(puzzle) for c, x in enumerate(row) if x == 0]
    for places in itertools.combinations(blanks, 3):
        for order in itertools.permutations(places):
            board = [list(row) for row in solution]
            for (row, column), (r, c) in zip(places, order, strict=True):
                board[row][column] = solution[r][c]
            yield "\n".join(" ".join(map(str, row)) for row in board)


def knights_astray(entry: Entry) -> Iterable[str]:
    """Let a knight of each colour go and come back; swap nothing; say No."""
    if entry["answer"] == "No":
        return
    moves, metadata = json.loads(entry["answer"]), entry["metadata"]
    squares, pieces, first = metadata["board"], metadata["pieces"], metadata["start_turn"]
    second = "B" if first == "w" else "w"
    free = [(a, b) for a in pieces for b in squares[a] if pieces.get(b) is None]
    for (a, b), (c, d) in itertools.product(free, free):
        if (pieces[a], pieces[c]) == (first, second):
            away = [f"{first},{a},{b}", f"{second},{c},{d}"]
            yield json.dumps([*away, f"{first},{b},{a}", f"{second},{d},{c}", *moves])
    yield from (json.dumps(moves[:-1]), "No")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("task", "others"),
    [("quantum_lock", presses), ("survo", numbers_moved), ("knight_swap", knights_astray)],
)
def test_another_answer_is_right_where_an_independent_check_says_so(
    task: str, others: Callable[[Entry], Iterable[str]], seed: int
) -> None:
    entry = made(task, seed)
    for text in others(entry):
        right = CHECKS[task]({**entry, "answer": text})
        assert right is None or scored(task, text, seed) == float(right), text


@pytest.mark.parametrize("seed", range(3))
def test_any_ladder_of_words_is_right(seed: int) -> None:
    right = made("word_ladder", seed)["answer"].split(",")
    first = right[0]
    for place, letter in itertools.product(range(len(first)), "AEIORSTLQXZ"):
        step = first[:place] + letter + first[place + 1 :]
        if step != first:
            longer = ",".join([first, step, *right])
            assert scored("word_ladder", longer, seed) == float(is_word(step)), step
    assert scored("word_ladder", ",".join(right[1:]), seed) == 0.0
    assert scored("word_ladder", ",".join([*right, *right]), seed) == 0.0


def test_another_anagram_is_a_right_word_of_letter_jumble() -> None:
    for seed in range(4):
        right = made("letter_jumble", seed)["answer"].split()
        for place, word in enumerate(right):
            for letters in itertools.islice(itertools.permutations(word), 1, 12):
                other = "".join(letters)
                answer = " ".join([*right[:place], other, *right[place + 1 :]])
                assert (scored("letter_jumble", answer, seed) == 1.0) == is_anagram(other, word)
        assert scored("letter_jumble", " ".join(right[:-1]), seed) == 0.0
