"""Answers that only one task knows: right ones that look wrong, and exploits."""

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rgenv.tasks.word_lists import is_anagram, is_word
from rgenv.worker.guard import guard
from rgenv.worker.operations import right_answer
from rgenv.worker.problem_maker import ProblemMaker, verify

MAKER = ProblemMaker()


@pytest.fixture(scope="module", autouse=True)
def guarded() -> Iterator[None]:
    """Score behind the guard, as a worker does."""
    guard.install()
    yield
    guard.take_rejection()


def entry_of(answer: Any, question: str = "", **metadata: Any) -> dict[str, Any]:
    return {"answer": answer, "question": question, "metadata": metadata}


@functools.cache
def made(task: str, seed: int) -> Any:
    return MAKER.make(task, seed, {})


def scored(task: str, text: str, seed: int) -> float:
    """Return the score of an answer to the problem of a seed; 0.0 if the verifier refuses it."""
    entry = made(task, seed)
    try:
        return MAKER.score(task, MAKER.dataset(task, seed, {}), entry, text)
    except Exception:  # what a worker answers with no score
        return 0.0
    finally:
        guard.take_rejection()


# Answers to entries that are written here, with a library that gives every answer 0.0

FOUR = entry_of("10*(8 - 5) - 6", numbers=[8, 5, 10, 6])
ROOTS = entry_of("-3.625, 0.0, 7.25", polynomial_expr="32*v**3 - 116*v**2 - 841*v", variable="v")
ROUNDED_UP = entry_of("0.5793", polynomial_expr="100000*v - 57926", variable="v")
ROUNDED_DOWN = entry_of("0.5792", polynomial_expr="100000*v - 57921", variable="v")
TIE = entry_of("0.2812", polynomial_expr="32*v - 9", variable="v")
TIE_BELOW_0 = entry_of("-0.0782", polynomial_expr="64*v + 5", variable="v")
POOLED = entry_of("4.5 4.67\n4.62 5.0", solution=[[4.5, 14 / 3], [4.625, 5.0]])
LOGIC = entry_of(
    None, premises=["Q", "(Q → P)", "(R ∧ S)"], variables=list("PQRS"), example_answer="(Q ∧ Q)"
)
KNIGHTS = entry_of(
    "Amelia is a hero, Bo is a villain, and Cy is a hero.",
    knight_knave_terms={"knight": "hero", "knave": "villain"},
)
OUTPUT = entry_of('{"a": [1, 2.5], "b": null, "c": 3.141592653589793, "d": true}')
GIVEN = entry_of(
    '{"n": 2.5, "w": ["a"]}', "\n\nCan you predict a feasible input without writing any code?"
)
BOARD = entry_of("1 < 2\n    \n2   1", puzzle=[[0, 2], [2, 0]], solution=[[1, 2], [2, 1]])
SCORES: list[tuple[str, dict[str, Any], str, float]] = [
    ("puzzle24", FOUR, "(8-5)*10-6", 1.0),
    ("puzzle24", FOUR, "-6 + 10*(8 - 5).", 1.0),
    ("puzzle24", FOUR, "10*(8 - 5) - 6 + 0", 0.0),
    ("puzzle24", FOUR, "8 + 5 + 10 + 6", 0.0),
    ("puzzle24", entry_of("", numbers=[6, 6, 2, 1]), "6**2 - 6*1", 0.0),
    ("puzzle24", entry_of("", numbers=[3, 3, 8, 8]), "8/(3 - 8/3)", 1.0),
    ("puzzle24", entry_of("", numbers=[5, 5, 1, 7]), "5*5 - 1/7", 0.0),
    ("puzzle24", entry_of("", numbers=[5, 5, 1, 7]), "5/(5 - 5)", 0.0),
    ("countdown", entry_of("", numbers=[6, 61, 94, 4], target=309), "94*4 - (61 + 6)", 1.0),
    ("countdown", entry_of("", numbers=[6, 61, 94, 4], target=309), "94*4 - 61", 0.0),
    ("polynomial_equations", ROOTS, "0, 7.2500, -3.62500", 1.0),
    ("polynomial_equations", ROOTS, "0, 7.25, -3.6251", 0.0),
    ("polynomial_equations", ROOTS, "0, 7.25", 1 / 6),
    ("polynomial_equations", ROUNDED_UP, "0.5792", 1.0),
    ("polynomial_equations", ROUNDED_UP, "0.57926", 1.0),
    ("polynomial_equations", ROUNDED_UP, "0.5794", 0.0),
    ("polynomial_equations", ROUNDED_UP, "0.579", 0.0),
    ("polynomial_equations", ROUNDED_DOWN, "0.5791", 0.0),
    ("polynomial_equations", TIE, "0.2813", 1.0),
    ("polynomial_equations", TIE, "0.2811", 0.0),
    ("polynomial_equations", TIE, "0.2814", 0.0),
    ("polynomial_equations", TIE_BELOW_0, "-0.0781", 1.0),
    ("polynomial_equations", TIE_BELOW_0, "-0.0782", 1.0),
    ("polynomial_equations", ROUNDED_DOWN, "0.5793", 0.0),
    ("polynomial_equations", ROOTS, "0", 0.0),
    ("polynomial_equations", ROOTS, "0, 0, 0, 7.25, -3.625", 0.1),
    ("polynomial_equations", entry_of(""), "none at all", 0.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "3×2×2", 1.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "4 × 3", 0.25),
    ("prime_factorization", entry_of("2 × 2 × 3"), "1 × 12", 0.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "2 × 3", 0.0),
    ("pool_matrix", POOLED, "4.50  4.67\n4.625 5", 1.0),
    ("pool_matrix", POOLED, "4.5 4.66667\n4.63 5", 1.0),
    ("pool_matrix", POOLED, "4.5 4.66\n4.62 5.0", 0.0),
    ("pool_matrix", POOLED, "4.5 4.67\n4.62 5.01", 0.0),
    ("pool_matrix", POOLED, "nan nan\nnan nan", 0.0),
    ("pool_matrix", POOLED, "inf inf\ninf inf", 0.0),
    ("calendar_arithmetic", entry_of("-1", task="recurring_event_day"), "-7", 0.0),
    ("calendar_arithmetic", entry_of("-10", task="count_days"), "-20", 0.0),
    ("calendar_arithmetic", entry_of("0", task="count_days"), "0", 1.0),
    ("knights_knaves", KNIGHTS, "cy is hero and bo is villain, amelia is a hero", 1.0),
    ("knights_knaves", KNIGHTS, "Amelia is a hero, Bo is a villain, and Cy is a villain", 1 / 6),
    ("knights_knaves", KNIGHTS, "Amelia is a hero, Bo is a villain", 0.0),
    ("knights_knaves", KNIGHTS, "Di is a hero, Bo is a villain, and Cy is a hero", 0.0),
    ("knights_knaves", KNIGHTS, "Bo is a hero, Bo is a villain, Amelia is a hero", 0.0),
    ("propositional_logic", LOGIC, "P", 1.0),
    ("propositional_logic", LOGIC, "P ∨ T", 0.0),
    ("propositional_logic", LOGIC, "(R → P)", 1.0),
    ("propositional_logic", LOGIC, "P P", 0.0),
    ("propositional_logic", LOGIC, "(P", 0.0),
    ("propositional_logic", LOGIC, "P)", 0.0),
    ("propositional_logic", LOGIC, "P ∧", 0.0),
    ("sokoban", entry_of("LRU"), "LR" * 10 + "U", 0.0),
    ("time_intervals", entry_of("00:00:04.840"), "0:000:04.840", 0.0),
    ("time_intervals", entry_of("123:45:00"), "123:045:00", 0.0),
    ("futoshiki", BOARD, "1 < 2\n    \n2   1", 1.0),
    ("futoshiki", BOARD, "1 2\n2 1", 1.0),
    ("futoshiki", BOARD, "< 1 2\n2 1", 0.0),
    ("futoshiki", BOARD, "1 < 2\n1 2", 0.0),
    ("gcd", entry_of("<answer>4</answer>"), "<answer>4</answer>", 0.0),
    ("codeio", OUTPUT, '{"b":null,"a":[1.0,2.50],"c":3.14159265,"d":true}', 1.0),
    ("codeio", OUTPUT, "{'a': (1, 2.5), 'b': None, 'c': 3.14159, 'd': True}", 1.0),
    ("codeio", OUTPUT, '{"a": [1, 2.5001], "b": null, "c": 3.14159265, "d": true}', 0.0),
    ("codeio", OUTPUT, '{"a": [1, 2.5], "b": null, "c": 3.1416, "d": true}', 0.0),
    ("codeio", OUTPUT, '{"a": [1, 2.5], "b": 0, "c": 3.14159265, "d": 1}', 0.0),
    ("codeio", entry_of('"two words"'), "two words", 1.0),
    ("codeio", entry_of('"two words"'), "two  words", 0.0),
    ("codeio", GIVEN, "{'w': ('a',), 'n': 2.50}", 1.0),
    ("codeio", GIVEN, '{"n": 2.5, "w": ["b"]}', 0.0),
    *(
        ("family_relationships", entry_of(right), word, score)
        for word, right, score in (
            ("Mom", "mother", 1.0),
            ("mom", "father", 0.0),
            ("mom", "mother-in-law", 0.0),
            ("grandpa", "grandfather", 1.0),
            ("grandpa", "father", 0.0),
        )
    ),
]
"""Task, entry, answer and its score."""


@pytest.mark.parametrize(("task", "entry", "answer", "score"), SCORES)
def test_answers_score_by_their_meaning(
    task: str, entry: dict[str, Any], answer: str, score: float
) -> None:
    """Other spellings of a right answer are right, and lookalikes are wrong."""
    assert verify(task, answer, entry, lambda text: 0.0) == pytest.approx(score)


def test_a_word_is_an_anagram_if_the_library_knows_it() -> None:
    """The letters have to be the same, and the library's word lists have to have the word."""
    right = [("file", "life"), ("From", "form"), ("words", "sword")]
    wrong = [("fo", "of"), ("ilfe", "life"), ("lives", "life"), ("", "life")]
    assert [pair for pair in right + wrong if is_anagram(*pair)] == right
    assert [is_word(text) for text in ("ROB", "rho", "QXZ", "")] == [True, True, False, False]


# Exploits that the library rewards, and what a policy would try


def reference(entry: Any) -> str:
    return str(entry["answer"])


def letters(entry: Any) -> str:
    numbers = entry["metadata"]["numbers"]
    return f"({'+'.join(map(str, numbers))})*(E-E)+len('{'a' * entry['metadata']['target']}')"


def nearly(entry: Any) -> str:
    return repr([str(float(number) + 0.9) for number in entry["metadata"]["sorted_numbers"]])


def nothing_but_nan(entry: Any) -> str:
    return json.dumps([float("nan")] * len(entry["metadata"]["sorted_numbers"]))


def pushed(entry: Any) -> str:
    """The right moves, and one through a wall."""
    return f"{right_answer('rush_hour', entry)} A+9"


def swept(entry: Any) -> str:
    """Push boxes of all colours through the field to the end and back, wherever they are."""
    squares = sorted([float(n) for n in name.split("_")] for name in initial_state(entry))
    rows = [list(row) for _, row in itertools.groupby(squares, key=lambda square: square[0])]
    path = [square for n, row in enumerate(rows) for square in row[:: (-1) ** n]]
    things = {thing for square in initial_state(entry).values() for thing in square}
    colours = sorted(thing[4:] for thing in things if thing.startswith("box_"))
    plan = []
    for here, there in itertools.pairwise([*path, *path[-2::-1], path[1]]):
        for colour in colours:
            goals = [f"target_{colour}"] * 3 + [f"square{there}"] * 4
            plan += [{f"Agent{here}": f"move(box_{colour}, {goal})"} for goal in goals]
    return json.dumps(plan)


def initial_state(entry: Any) -> Any:
    return entry["metadata"]["initial_state"]


def unsolved(entry: Any) -> str:
    return f"Integral({entry['metadata']['integrand']}, {entry['metadata']['variable']})"


def skeleton(entry: Any) -> str:
    answer = entry["metadata"]["output_data"]
    return json.dumps(dict.fromkeys(answer, 0)) if isinstance(answer, dict) else "{}"


def factors(entry: Any) -> str:
    return str(entry["metadata"]["polynomial_expr"])


Write = Callable[[Any], str]
EXPLOITS: list[tuple[str, Write]] = [
    ("boxnet", swept),
    ("codeio", skeleton),
    ("countdown", letters),
    ("intermediate_integration", unsolved),
    ("number_sorting", nothing_but_nan),
    ("number_sorting", nearly),
    ("polynomial_multiplication", factors),
    ("polynomial_multiplication", lambda entry: f"{reference(entry)} + 1 - 1"),
    ("polynomial_multiplication", lambda entry: f"({reference(entry)})*1"),
    ("polynomial_multiplication", lambda entry: f"{reference(entry)} + 2*x**0*x - 2*x"),
    ("prime_factorization", lambda entry: str(entry["metadata"]["number"])),
    ("rush_hour", pushed),
    ("simple_integration", unsolved),
    ("simple_integration", lambda entry: f"about -({reference(entry)})*(-1)"),
    ("simple_integration", lambda entry: f"_ + {reference(entry)}"),
    ("simple_integration", lambda entry: f"{reference(entry)} + nonsense"),
    ("tower_of_hanoi", lambda entry: f"Move disk 1 from Peg 1 to Peg 1\n{reference(entry)}"),
]


@pytest.mark.parametrize(("task", "write"), EXPLOITS)
def test_exploits_score_next_to_nothing(task: str, write: Write) -> None:
    """A text that has the looks of an answer, or a part of it, earns nothing."""
    scores = [scored(task, write(made(task, seed)), seed) for seed in range(6)]
    assert sum(score for score in scores if score < 1.0) <= 0.02 * len(scores)
    assert scores.count(1.0) <= 2  # some are right by chance


def test_a_longer_way_to_build_a_tower_earns_less_than_half() -> None:
    """The first disk takes a detour; every disk ends where it should."""
    detour = "Move disk 1 from Peg 1 to Peg 3\nMove disk 1 from Peg 3 to Peg 2"
    right = reference(made("tower_of_hanoi", 2))
    answer = right.replace("Move disk 1 from Peg 1 to Peg 2", detour, 1)
    assert 0 < scored("tower_of_hanoi", answer, 2) < 0.5


@pytest.mark.parametrize("constant", ["C", "c", "K", "C_1", "C1", "const"])
def test_a_constant_of_integration_has_several_names(constant: str) -> None:
    """Letters and the word const are constants."""
    for seed in range(3):
        text = reference(made("simple_integration", seed)).replace("+ C", f"+ {constant}")
        assert scored("simple_integration", text, seed) == 1.0


@pytest.mark.parametrize(
    ("answer", "score"), [("-4.8*x**3 + C", 1.0), ("-24/5*x**3", 1.0), ("-4.81*x**3 + C", 0.0)]
)
def test_coefficients_may_be_exact_decimals(answer: str, score: float) -> None:
    """The integrand is -72*x**2/5; in floats, 3 * 4.8 is not 14.4."""
    assert scored("simple_integration", answer, 28) == score


# Other right answers than the reference answer, by code that the verifiers don't share


def opens(question: str, presses: tuple[str, ...]) -> bool:
    """Press the buttons as the question describes them; every press toggles the light."""
    start, target = (re.findall(rf"{name}: (-?\d+)", question)[0] for name in ("Start", "Target"))
    button = r"^([A-C]): (\w+) (\d+) \(when (\w+)\)$"
    effects = {name: rest for name, *rest in re.findall(button, question, re.MULTILINE)}
    number, light = int(start), "red"
    for name in presses:
        operation, by, when = effects[name]
        if when in (light, "any"):
            change = {"Add": number + int(by), "Subtract": number - int(by)}
            number = (change | {"Multiply": number * int(by)})[operation]
        light = {"red": "green", "green": "red"}[light]
    return number == int(target)


@pytest.mark.parametrize("seed", range(5))
def test_every_shortest_sequence_opens_the_lock(seed: int) -> None:
    """Of all sequences as long as the reference answer, those that reach the target score 1.0."""
    entry = made("quantum_lock", seed)
    length = len(entry["answer"].split(" → "))
    if length > 6 or not MAKER.winnable("quantum_lock", seed, {}):
        pytest.skip("two readings, or too many sequences")
    for presses in itertools.product("ABC", repeat=length):
        score = scored("quantum_lock", " → ".join(presses), seed)
        assert score == float(opens(entry["question"], presses)), presses
    assert scored("quantum_lock", f"{entry['answer']} → A → A", seed) == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_every_board_with_right_sums_solves_survo(seed: int) -> None:
    """Of all ways to move three of the numbers, exactly those whose sums are right score 1.0."""
    entry = made("survo", seed)
    puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
    blanks = [(r, c) for r, row in enumerate(puzzle) for c, x in enumerate(row) if x == 0]
    moved = (
        zip(places, order, strict=True)
        for places in itertools.combinations(blanks, 3)
        for order in itertools.permutations(places)
    )
    for places in moved:
        board = [list(row) for row in solution]
        for (row, column), (r, c) in places:
            board[row][column] = solution[r][c]
        lines = [*board, *map(list, zip(*board, strict=True))]
        right = all(sum(line) == 2 * line[-1] for line in lines)
        text = "\n".join(" ".join(map(str, row)) for row in board)
        assert scored("survo", text, seed) == float(right)


@pytest.mark.parametrize("seed", range(2))
def test_knights_may_take_their_time(seed: int) -> None:
    """A detour of one knight of each colour is right; moves that swap nothing are wrong."""
    entry = made("knight_swap", seed)
    if entry["answer"] == "No":
        pytest.skip("no moves")
    moves, metadata = json.loads(entry["answer"]), entry["metadata"]
    squares, pieces, first = metadata["board"], metadata["pieces"], metadata["start_turn"]
    second = "B" if first == "w" else "w"
    free = [(a, b) for a in pieces for b in squares[a] if pieces.get(b) is None]
    away = next(
        [f"{first},{a},{b}", f"{second},{c},{d}", f"{first},{b},{a}", f"{second},{d},{c}"]
        for (a, b), (c, d) in itertools.product(free, free)
        if (pieces[a], pieces[c]) == (first, second) and b != d
    )
    assert scored("knight_swap", json.dumps(away + moves), seed) == 1.0
    assert scored("knight_swap", json.dumps(moves[:-1]), seed) == 0.0
    assert scored("knight_swap", "No", seed) == 0.0


@pytest.mark.parametrize("seed", range(3))
def test_any_ladder_of_words_is_right(seed: int) -> None:
    """A ladder may be longer; a step over something that is no word makes it wrong."""
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
    """A sentence with another word of the same letters scores 1.0, with a scrambled one less."""
    for seed in range(4):
        right = made("letter_jumble", seed)["answer"].split()
        for place, word in enumerate(right):
            for letters in itertools.islice(itertools.permutations(word), 1, 12):
                other = "".join(letters)
                answer = " ".join([*right[:place], other, *right[place + 1 :]])
                assert (scored("letter_jumble", answer, seed) == 1.0) == is_anagram(other, word)
        assert scored("letter_jumble", " ".join(right[:-1]), seed) == 0.0
