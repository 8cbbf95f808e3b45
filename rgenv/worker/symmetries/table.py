"""The invariant of each task, and which symmetries it ignores.

An invariant may ignore more than the symmetries of its task: then more problems are one family, and
fewer ways lead from a held-out problem to one of training.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.symmetries import grids, puzzles, text
from rgenv.worker.symmetries.text import part


@dataclass(frozen=True)
class Invariant:
    """What is kept of the problems of some tasks.

    Attributes:
        tasks: their names.
        keeps: what the invariant keeps, for docs/held_out.md.
        ignores: the symmetries that it ignores.
        of: returns the invariant of an entry; may raise on an unknown question.
    """

    tasks: tuple[str, ...]
    keeps: str
    ignores: str
    of: Callable[[Entry], object]


def _invariant(tasks: str, keeps: str, ignores: str, of: Callable[[Entry], object]) -> Invariant:
    return Invariant(tuple(tasks.split()), keeps, ignores, of)


def _words_after(expression: str) -> Callable[[Entry], object]:
    return lambda entry: text.words(part(expression, entry))


ALL = (
    _invariant(
        """advanced_geometry aiw base_conversion basic_arithmetic bitwise_arithmetic chain_sum
        complex_arithmetic count_bits count_primes countdown decimal_arithmetic decimal_chain_sum
        dice fraction_simplification gcd gsm_symbolic jugs kakurasu lcm leg_counting
        number_filtering number_format number_sequence number_sorting path_star power_function
        prime_factorization products puzzle24 quantum_lock simple_equations simple_geometry
        simple_integration intermediate_integration polynomial_equations polynomial_multiplication
        string_splitting string_synthesis survo time_intervals""",
        "the numbers of the question",
        "order of the numbers, signs, operations, names, wording",
        lambda entry: text.numbers(entry["question"]),
    ),
    _invariant(
        "list_functions",
        "the numbers of the last input",
        "their order, the examples",
        lambda entry: text.numbers(part(r"^Input: (.*)$", entry)),
    ),
    _invariant(
        "calendar_arithmetic",
        "numbers and small words",
        "order, names of days and months",
        lambda entry: [text.small_words(entry["question"]), text.numbers(entry["question"])],
    ),
    _invariant(
        "family_relationships",
        "numbers of people and of marriages, and the kind of relationship",
        "names of people, men and women, who of the two is older, order and wording of sentences, "
        "who has which children",
        puzzles.family_relationships,
    ),
    _invariant(
        "needle_haystack",
        "small words of the last line",
        "names, the haystack",
        lambda entry: text.small_words(entry["question"].splitlines()[-1]),
    ),
    _invariant(
        "manipulate_matrix pool_matrix rotate_matrix spiral_matrix",
        "the size, and how often each number is in the matrix",
        "order of the cells, rotations, mirrors, other digits, operations",
        lambda entry: grids.cells(grids.largest(entry["question"])),
    ),
    _invariant(
        "game_of_life game_of_life_halting mini_sudoku sudoku",
        "how often symbols are in rows and columns",
        "rotations, mirrors, order of rows and columns, other symbols",
        lambda entry: grids.lines(grids.largest(entry["question"])),
    ),
    _invariant(
        "binary_matrix largest_island n_queens rotten_oranges shortest_path sokoban",
        "the grid",
        "rotations, mirrors, other symbols",
        puzzles.matrix,
    ),
    _invariant(
        "maze",
        "the grid",
        "rotations, mirrors, other symbols",
        lambda entry: grids.turned(grids.table(part(r"```\n(.*?)\n```", entry))),
    ),
    _invariant(
        "rush_hour",
        "the grid",
        "rotations, mirrors, names of cars",
        lambda entry: grids.turned(grids.table(part(r"Board:\n(.*?)\s*\Z", entry))),
    ),
    _invariant(
        "arc_1d arc_agi rearc",
        "the grid of the test",
        "rotations, mirrors, other colours, the examples",
        puzzles.arc,
    ),
    _invariant(
        "boxnet",
        "boxes and targets of each square, boxes of each colour",
        "places of the squares, rotations, mirrors, other colours",
        puzzles.boxnet,
    ),
    _invariant(
        "futoshiki",
        "the given numbers, and how many constraints there are",
        "rotations, mirrors, other digits, places of the constraints",
        puzzles.futoshiki,
    ),
    _invariant(
        "knight_swap", "the board", "rotations, mirrors, the two colours", puzzles.knight_swap
    ),
    _invariant(
        "modulo_grid",
        "the completed grid",
        "holes, rotations, mirrors, other symbols",
        puzzles.modulo_grid,
    ),
    _invariant(
        "rectangle_count",
        "how many outlines cross each row and column",
        "place of the picture, rotations, mirrors, order of rows and columns",
        puzzles.rectangle_count,
    ),
    _invariant(
        "rubiks_cube",
        "the six faces",
        "rotations of the cube and of its faces, mirrors, other colours",
        puzzles.rubiks_cube,
    ),
    _invariant("tsumego", "the board", "rotations, mirrors, the two colours", puzzles.tsumego),
    _invariant(
        "course_schedule",
        "numbers of prerequisites and followers of each course",
        "names of courses, order of the prerequisites",
        puzzles.course_schedule,
    ),
    _invariant(
        "graph_color",
        "number of neighbours of each vertex, number of colours",
        "names of vertices, order of the edges",
        puzzles.graph_color,
    ),
    _invariant(
        "color_cube_rotation",
        "the sides that are named after the first paragraph",
        "colours, order, wording",
        puzzles.color_cube_rotation,
    ),
    _invariant(
        "tower_of_hanoi",
        "numbers of disks and pegs",
        "names of pegs, order of the numbers",
        puzzles.tower_of_hanoi,
    ),
    _invariant(
        "coin_flip",
        "number of flips, and of the rarer side",
        "heads and tails, exactly and at least",
        puzzles.coin_flip,
    ),
    _invariant(
        "mahjong_puzzle",
        "amounts of equal cards, and which of the added cards are equal",
        "names of cards, order of the first cards, removed cards",
        puzzles.mahjong_puzzle,
    ),
    _invariant(
        "acre",
        "numbers of objects of the results, and how often objects are named",
        "colours, materials and shapes, order of the results",
        puzzles.acre,
    ),
    _invariant(
        "circuit_logic",
        "numbers of gates of each kind, and of equal inputs",
        "names of inputs, order of the gates, wires",
        puzzles.circuit_logic,
    ),
    _invariant(
        "knights_knaves",
        "the shapes of the statements",
        "names, names of the roles, order of the statements, wording",
        puzzles.knights_knaves,
    ),
    _invariant(
        "propositional_logic",
        "the shapes of the premises, and how often variables appear",
        "names of variables, order of the premises",
        puzzles.propositional_logic,
    ),
    _invariant(
        "self_reference",
        "words and numbers of the statements",
        "order of the statements, true and false",
        puzzles.self_reference,
    ),
    _invariant(
        "syllogism",
        "quantifiers, and which terms are equal",
        "terms, order of the premises",
        puzzles.syllogism,
    ),
    _invariant(
        "zebra_puzzles",
        "words for places in the clues, number of houses",
        "names, characteristics, order of the clues",
        puzzles.zebra_puzzles,
    ),
    _invariant("bf", "how often each instruction appears", "their order", puzzles.bf),
    _invariant(
        "caesar_cipher",
        "the pattern of each word",
        "rotation of the alphabet, order of the words",
        puzzles.caesar_cipher,
    ),
    _invariant("codeio", "the words of the program", "inputs and outputs", puzzles.codeio),
    _invariant(
        "cryptarithm",
        "lengths of the words, and how often each letter appears",
        "letters, order of the addends",
        puzzles.cryptarithm,
    ),
    _invariant(
        "isomorphic_strings",
        "the pattern of each string",
        "letters, order of the strings, reading backwards",
        puzzles.isomorphic_strings,
    ),
    _invariant(
        "ransom_note",
        "how often each letter is in both texts",
        "letters and their order",
        puzzles.ransom_note,
    ),
    _invariant(
        "ab",
        "the pattern of the tokens",
        "names of tokens, reading backwards",
        lambda entry: text.pattern(part(r"following program:\n\n(.*?)\n", entry).split()),
    ),
    _invariant(
        "binary_alternation palindrome_partitioning string_insertion",
        "the pattern of the string",
        "letters, reading backwards",
        lambda entry: text.pattern(part(r": (\w+)\s*\Z", entry)),
    ),
    _invariant(
        "string_manipulation",
        "the pattern of the string",
        "letters, reading backwards, the rules",
        lambda entry: text.pattern(part(r"^(\w+)\s*\Z", entry)),
    ),
    _invariant(
        "palindrome_generation",
        "how often each letter appears",
        "letters and their order",
        lambda entry: text.amounts(part(r"following letters: (.*)", entry).split(", ")),
    ),
    _invariant(
        "spell_backward",
        "the letters of the word",
        "their order, small and capital letters",
        lambda entry: text.letters_of_words(part(r"\): (.*)", entry)),
    ),
    _invariant(
        "letter_jumble",
        "the letters of each word",
        "their order, order of the words, small and capital letters",
        lambda entry: text.letters_of_words(part(r"these words: (.*)", entry)),
    ),
    _invariant(
        "group_anagrams",
        "the letters of each word",
        "their order, order of the words",
        lambda entry: text.letters_of_words(part(r"anagrams:\n(.*)", entry)),
    ),
    _invariant(
        "letter_counting",
        "the words of the text",
        "their order, the letter that is counted",
        _words_after(r'in the text: "(.*)"'),
    ),
    _invariant(
        "sentence_reordering word_sequence_reversal word_sorting",
        "the words",
        "their order, small and capital letters",
        _words_after(r"(?:sentence|words|list): (.*)"),
    ),
    _invariant(
        "word_ladder",
        "the two words",
        "their order, small and capital letters",
        _words_after(r"word ladder ('\w+' to '\w+')"),
    ),
    _invariant(
        "emoji_mystery figlet_font",
        "the words of the answer",
        "emoji and font, order of the words, small and capital letters",
        lambda entry: text.words(entry["answer"]),
    ),
)

INVARIANTS: Mapping[str, Invariant] = MappingProxyType(
    {task: each for each in ALL for task in each.tasks}
)
