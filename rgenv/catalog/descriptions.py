"""What each task asks for, and the kind of its answers, in our words.

::

    description("gcd")       # Description(kind="number", text="Find the greatest common divisor.")

A task of a later release of reasoning-gym may have none.
"""

from __future__ import annotations

from typing import NamedTuple


class Description(NamedTuple):
    """What a task asks for.

    Attributes:
        kind: one of `KINDS`.
        text: one sentence.
    """

    kind: str
    text: str


KINDS = {
    "number": "one number, also as a fraction, in another base, or with a unit",
    "expression": "a formula",
    "yes/no": "yes or no, true or false",
    "choice": "one of a few words or characters",
    "word": "one word or string",
    "text": "words",
    "sentence": "statements",
    "list": "a sequence or a set of values",
    "mapping": "a value for each name",
    "grid": "rows of cells",
    "moves": "a move, or a sequence of moves",
    "any": "depends on the problem",
}
"""The kinds of answers."""

_LINES = """\
ab                        list        Rewrite tokens by four rules until none applies.
acre                      choice      Tell from experiments whether objects switch a detector on.
advanced_geometry         number      Find an angle, a centre or a radius of a triangle.
aiw                       number      Count siblings, friends or colleagues in a short story.
arc_1d                    list        Find the rule behind changed rows, and apply it.
arc_agi                   grid        Find the rule behind changed grids, and apply it (ARC).
base_conversion           number      Write a number in another base.
basic_arithmetic          number      Calculate an expression with brackets.
bf                        word        Say what a Brainf*ck program prints.
binary_alternation        number      Count the swaps that make a string of 0 and 1 alternate.
binary_matrix             grid        Find the distance of each cell to the nearest 0.
bitwise_arithmetic        number      Calculate with hexadecimal numbers and shifts.
boxnet                    moves       Have robots carry coloured boxes to their targets.
caesar_cipher             text        Decrypt a text whose letters were shifted.
calendar_arithmetic       any         Answer questions about dates and days of the week.
chain_sum                 number      Add and subtract whole numbers.
circuit_logic             choice      Evaluate a drawn circuit of logic gates.
codeio                    any         Predict the output of a function, or an input of it.
coin_flip                 number      Find the probability of a number of heads.
color_cube_rotation       choice      Turn a coloured cube, and name the colour of a side.
complex_arithmetic        number      Add, subtract, multiply or divide complex numbers.
composite                 any         Mix other tasks; they have to be configured.
count_bits                number      Count the 1 bits of a number.
count_primes              number      Count the primes of an interval.
countdown                 expression  Reach a target with given numbers, each used once.
course_schedule           yes/no      Tell whether courses can be taken in some order.
cryptarithm               mapping     Find the digits behind the letters of a sum.
decimal_arithmetic        number      Calculate with decimal numbers, to some digits.
decimal_chain_sum         number      Add and subtract decimal numbers.
dice                      number      Find the probability that dice reach a sum.
emoji_mystery             text        Decode a sentence that is hidden in an emoji.
family_relationships      choice      Tell how two members of a family are related.
figlet_font               word        Read a word that is drawn with characters.
fraction_simplification   number      Reduce a fraction to its lowest terms.
futoshiki                 grid        Fill a square with numbers that keep signs of order.
game_of_life              grid        Run steps of Conway's Game of Life.
game_of_life_halting      yes/no      Tell whether a Game of Life dies out in time.
gcd                       number      Find the greatest common divisor of numbers.
graph_color               mapping     Colour a graph so that neighbours differ.
group_anagrams            list        Put words with the same letters together.
gsm_symbolic              number      Solve a word problem of school arithmetic.
intermediate_integration  expression  Find an antiderivative, by parts or substitution.
isomorphic_strings        yes/no      Tell whether one string is the other in other letters.
jugs                      moves       Measure an amount of water with jugs.
kakurasu                  grid        Place 1s whose weights give the sums of rows and columns.
knight_swap               moves       Swap white and black knights, or say that it can't be done.
knights_knaves            sentence    Tell liars from those who speak the truth.
largest_island            number      Find the size of the largest island in a grid.
lcm                       number      Find the least common multiple of numbers.
leg_counting              number      Add up the legs of animals.
letter_counting           number      Count a letter in a text.
letter_jumble             text        Put the shuffled letters of words in order.
list_functions            list        Find the rule behind changed lists, and apply it.
mahjong_puzzle            choice      Follow the rules of a card game, and tell its outcome.
manipulate_matrix         grid        Apply a series of operations to a matrix.
maze                      number      Count the steps of the shortest way through a maze.
mini_sudoku               grid        Solve a Sudoku of four by four.
modulo_grid               grid        Find the arithmetic behind a grid of signs, and fill it.
n_queens                  grid        Place queens that do not attack each other.
needle_haystack           word        Find who likes what, among many sentences.
number_filtering          list        Remove numbers above or below a limit from a list.
number_format             number      Pick the largest or smallest of numbers in many formats.
number_sequence           number      Continue a sequence of numbers.
number_sorting            list        Sort numbers.
palindrome_generation     word        Form a palindrome of given letters.
palindrome_partitioning   list        Cut a string into palindromes, in every way.
path_star                 list        Find the path to a node in a graph like a star.
polynomial_equations      list        Find the real solutions of a polynomial equation.
polynomial_multiplication expression  Multiply polynomials.
pool_matrix               grid        Take the maximum or mean of each block of a matrix.
power_function            number      Raise a number to a power, to three digits.
prime_factorization       list        Write a number as a product of primes.
products                  number      Multiply whole numbers.
propositional_logic       expression  Infer a conclusion from logical premises.
puzzle24                  expression  Make 24 of four numbers, or another small target.
quantum_lock              moves       Press buttons, whose effect changes, to reach a number.
ransom_note               yes/no      Tell whether a note can be cut from a magazine's letters.
rearc                     grid        Find the rule behind changed grids, and apply it (RE-ARC).
rectangle_count           number      Count drawn rectangles that may overlap.
rotate_matrix             grid        Rotate a matrix by a multiple of 90 degrees.
rotten_oranges            number      Count the minutes until all oranges in a grid are rotten.
rubiks_cube               moves       Solve a Rubik's cube that was turned.
rush_hour                 moves       Move cars out of the way of the red one.
self_reference            number      Count the consistent readings of self-referring statements.
sentence_reordering       text        Restore the order of the words of a sentence.
shortest_path             moves       Find the shortest way through a grid.
simple_equations          number      Solve a linear equation.
simple_geometry           number      Find the last angle of a polygon.
simple_integration        expression  Find the antiderivative of a polynomial.
sokoban                   moves       Push boxes onto their goals.
spell_backward            word        Spell a word backward.
spiral_matrix             list        Read a matrix along a spiral.
string_insertion          word        Insert letters after patterns in a string.
string_manipulation       word        Rewrite a string by rules until none applies.
string_splitting          list        Take machines apart by rules, and count what is left.
string_synthesis          list        Combine blocks by rules, and count what is left.
sudoku                    grid        Solve a Sudoku of nine by nine.
survo                     grid        Fill a matrix so that rows and columns have their sums.
syllogism                 yes/no      Tell whether a statement follows from two others.
time_intervals            number      Find the time between two dates or times.
tower_of_hanoi            moves       Move disks to another peg, with three pegs or more.
tsumego                   moves       Find the move that captures stones in the game of Go.
word_ladder               list        Change a word into another, a letter at a time.
word_sequence_reversal    list        Reverse a list of words.
word_sorting              list        Sort words by their characters' codes.
zebra_puzzles             word        Find who lives where from clues about houses."""

DESCRIPTIONS = {
    name: Description(kind, text)
    for name, kind, text in (line.split(maxsplit=2) for line in _LINES.splitlines())
}
"""Task -> what it asks for; every task of rgenv/task_names.py has one."""
