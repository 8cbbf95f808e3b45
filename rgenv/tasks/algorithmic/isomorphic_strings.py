"""Tell whether one string is the other in other letters."""

from string import ascii_lowercase

from rgenv.tasks import Choice, Entry, Task, moving, part_of
from rgenv.tasks.rewriting import random_of, replaced, with_solution
from rgenv.tasks.symmetries import letter_pattern

SHORTEST = 20
"""Letters of a string. In shorter ones, one letter is a large part of the work."""
KINDS = {("a", "b"): 0.74, ("a", "alone"): 0.13, ("alone", "a"): 0.13}
"""Where the odd letter belongs in the two strings of a pair that is not isomorphic, and its share.

If it is alone in one string, all letters of the other one have a single image, but that other one
has a letter less. So if there were more of these, to count different letters would be enough. By
nature, half of the definition is right in nine of ten problems; to count letters is, in six.
"""


def correct(entry: Entry) -> Entry:
    """Replace both strings; where one odd letter belongs is all that may make them differ.

    It belongs to one of two groups of equal letters that are as large as each other and far from
    it, or to none. Each string alone is as likely with either answer.
    """
    rng = random_of(entry)
    solvable = rng.random() < 0.5
    [(one, other)] = rng.choices([*KINDS], [*KINDS.values()])
    length = max(SHORTEST, entry["metadata"]["string_length"])
    odd = rng.randrange(length)
    far = [place for place in range(length) if abs(place - odd) >= length // 4]
    size = rng.randint(1, 2)
    groups = dict(zip(rng.sample(far, 2 * size), ["a", "b"] * size, strict=True))
    others = range(rng.randint(length // 5, min(length // 2, 23)))
    pattern = [groups.get(place, str(rng.choice(others))) for place in range(length)]
    names = ["a", "b", "alone", *map(str, others)]
    words = []
    for group in (one, one if solvable else other):
        pattern[odd] = group
        letters = dict(zip(names, rng.sample(ascii_lowercase, len(names)), strict=True))
        words.append("".join(letters[each] for each in pattern))
    shown = " ".join(entry["metadata"]["words"])
    question = replaced(entry["question"], f"{shown}\n", f"{' '.join(words)}\n")
    return with_solution(entry, question, solvable, words=words, solvable=solvable)


def family(entry: Entry) -> object:
    """Keep the pattern of each string; ignore letters, order of the strings, reading backwards."""
    return sorted(map(letter_pattern, part_of(r"^(\w+ \w+)$", entry).split()))


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    labels={"True": 0.5, "False": 0.5},
    family=family,
    # Strings of 1,000 letters have no more pairs to remember than those of 60.
    levels=moving(string_length=[(20, 23), (24, 28), (29, 35), (36, 43), (44, 60)]),
)
