"""Questions rewritten so that their surface does not give the answer away.

    blanks.py     blanks of a matrix with sums, queens
    boards.py     live cells, islands, oranges
    cards.py      rounds with letter cards
    cubes.py      turns of a cube
    divisors.py   numbers with a common divisor
    families.py   relations in a family
    graphs.py     schedules of courses
    intervals.py  primes between two numbers
    knights.py    knights and knaves
    letters.py    letters in a text
    lists.py      words and numbers to sort, anagrams to group
    logic.py      syllogisms and circuits
    matrices.py   operations on a matrix
    patterns.py   grids of remainders
    stones.py     groups of stones in Go
    strings.py    pairs of strings, strings of digits
    shared.py     randomness from the question, and a changed copy of an entry

Example::

    boards.rotten_oranges(entry)    # the same numbers of oranges in other places

The library's generators make problems with different answers in different ways: more edges if there
is a cycle, one letter less if two strings match. A policy that counts them needs to solve nothing.
Here the answer is chosen at random, by a hash of the question, and the problem is completed so that
lengths and counts are the same for every answer. What the answer depends on is proven, not assumed.

The public functions that take an entry are corrections of the task of their name; see the package
above. rgenv/validation/tells.py measures what they achieve.
"""
