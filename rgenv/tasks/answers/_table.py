"""The kind of answer of each task, until each task has a file of its own that says so."""

from __future__ import annotations

from importlib import import_module

from rgenv.tasks.answers.kind import TEXT, Answer

_NUMBERS = """
    aiw basic_arithmetic binary_alternation chain_sum count_bits count_primes gcd largest_island
    lcm letter_counting number_sequence products rectangle_count self_reference
""".split()
_TRUE_OR_FALSE = "course_schedule game_of_life_halting isomorphic_strings ransom_note".split()
_TEXTS = "bf palindrome_generation spell_backward string_insertion string_manipulation".split()

ANSWERS: dict[str, str] = {
    **dict.fromkeys(_NUMBERS, "Number()"),
    **dict.fromkeys(_TRUE_OR_FALSE, 'Choice("True", "False")'),
    **dict.fromkeys(_TEXTS, "Text()"),
    "ab": "Tokens()",
    "acre": 'Choice("on", "off", "undetermined")',
    "advanced_geometry": "TriangleMeasure()",
    "arc_1d": "Row()",
    "arc_agi": "Grid()",
    "base_conversion": "DigitsOfBase()",
    "binary_matrix": "Matrix()",
    "bitwise_arithmetic": "Hexadecimal()",
    "boxnet": "Plan()",
    "caesar_cipher": "Capitals()",
    "calendar_arithmetic": "DayOrCount()",
    "circuit_logic": "Bit()",
    "codeio": "ProgramValue()",
    "coin_flip": "Chance()",
    "color_cube_rotation": r'WordOfQuestion(r"a (\w+) \w+ side")',
    "complex_arithmetic": "Complex()",
    "countdown": "Arithmetic()",
    "cryptarithm": "LetterDigits()",
    "decimal_arithmetic": "DecimalNumber()",
    "decimal_chain_sum": "DecimalNumber(padded=True)",
    "dice": "Odds()",
    "emoji_mystery": "HiddenSentence()",
    "family_relationships": "Relation()",
    "figlet_font": "DrawnWord()",
    "fraction_simplification": "ReducedFraction()",
    "futoshiki": "SignedBoard()",
    "game_of_life": "LifeBoard()",
    "graph_color": "Colours()",
    "group_anagrams": "Anagrams()",
    "gsm_symbolic": "StoryNumber()",
    "intermediate_integration": "Antiderivative()",
    "jugs": "JugMoves()",
    "kakurasu": 'Grid("01", cells="[01]")',
    "knight_swap": "KnightMoves()",
    "knights_knaves": "Roles()",
    "leg_counting": 'Number(unit="legs?")',
    "letter_jumble": "Sentence()",
    "list_functions": "BracketedNumbers()",
    "mahjong_puzzle": 'Choice("Peng", "Chi", "Pass")',
    "manipulate_matrix": "Matrix()",
    "maze": 'Number(unit="steps?")',
    "mini_sudoku": 'Grid("1234")',
    "modulo_grid": "Marks()",
    "n_queens": "QueenBoard()",
    "needle_haystack": r'WordOfQuestion(r"(?:^|\. )([A-Z]\w+) ", any_case=False)',
    "number_filtering": "QuotedNumbers()",
    "number_format": "Candidate()",
    "number_sorting": "SortedNumbers()",
    "palindrome_partitioning": "Partitions()",
    "path_star": "NodePath()",
    "polynomial_equations": "Roots()",
    "polynomial_multiplication": "Expression()",
    "pool_matrix": "PooledMatrix()",
    "power_function": "ThreeFigures()",
    "prime_factorization": "Factors()",
    "propositional_logic": "Conclusion()",
    "puzzle24": "Arithmetic()",
    "quantum_lock": "Buttons()",
    "rearc": "Grid()",
    "rotate_matrix": "Matrix()",
    "rotten_oranges": 'Number(unit="minutes?")',
    "rubiks_cube": "Turns()",
    "rush_hour": "CarMoves()",
    "sentence_reordering": "Sentence()",
    "shortest_path": "Directions()",
    "simple_equations": "Unknown()",
    "simple_geometry": "Number(unit=DEGREES)",
    "simple_integration": "Antiderivative()",
    "sokoban": "Steps()",
    "spiral_matrix": "Numbers(must_be_read=True)",
    "string_splitting": 'Counts("A", "B", "C", "X", "Y", "Z")',
    "string_synthesis": ('Counts("[A]", "[B]", "[C]", "{A}", "{B}", "{C}", "(A)", "(B)", "(C)")'),
    "sudoku": 'Grid("123456789")',
    "survo": "NumberGrid()",
    "syllogism": 'Choice("Yes", "No")',
    "time_intervals": "Duration()",
    "tower_of_hanoi": "DiskMoves()",
    "tsumego": "Point()",
    "word_ladder": "Ladder()",
    "word_sequence_reversal": "Words()",
    "word_sorting": "Words()",
    "zebra_puzzles": "Person()",
}
"""Task -> the expression that makes its kind, for every task but composite."""

_SHARED = {
    "expressions": "Antiderivative Arithmetic Expression",
    "fractions": "ReducedFraction",
    "grids": "Grid Matrix NumberGrid",
    "lists": "BracketedNumbers Counts Numbers QuotedNumbers Words",
    "numbers": "DEGREES DecimalNumber Number",
    "texts": "Sentence Text",
    "words": "Choice WordOfQuestion",
}
IMPORTS: dict[str, str] = {
    name: f"rgenv.tasks.answers.{module}"
    for module, names in _SHARED.items()
    for name in names.split()
} | {
    kind.partition("(")[0]: f"rgenv.tasks.answers._single.{task}"
    for task, kind in ANSWERS.items()
    if kind.partition("(")[0] not in " ".join(_SHARED.values()).split()
}
"""Name in `ANSWERS` -> the module that has it."""


def _made(expression: str) -> Answer:
    names = compile(expression, "", "eval").co_names
    kind = eval(expression, {name: getattr(import_module(IMPORTS[name]), name) for name in names})
    assert isinstance(kind, Answer)
    return kind


KINDS = {task: _made(expression) for task, expression in ANSWERS.items()}
"""Task -> the kind of its answers. A worker makes them before its wall closes."""


def answer_of(task: str) -> Answer:
    """Return the kind of a task's answers; plain text for a task that is not in the table."""
    return KINDS.get(task, TEXT)
