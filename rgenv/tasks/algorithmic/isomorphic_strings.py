"""Tell whether one string is the other in other letters."""

from string import ascii_lowercase

from rgenv.tasks import Choice, Entry, Task, moving, part_of
from rgenv.tasks.rewriting import obeys, random_of, replaced, with_solution
from rgenv.tasks.symmetries import letter_pattern

LONG, SHORTEST = 20, 5
"""Letters of a string if any number is allowed, and the fewest with room for two groups."""


def harden(entry: Entry) -> Entry | None:
    """Replace both: to compare frequencies solves .94 of the library's problems, .56 of these.

    If they are not isomorphic, one letter of the second string belongs to another group of equal
    letters than in the first. Both groups are as large as each other, and far from it.
    """
    rng, length = random_of(entry), max(LONG, entry["metadata"]["string_length"])
    if not obeys(entry, string_length=length):
        length = entry["metadata"]["string_length"]
    if length < SHORTEST:
        return None
    odd = rng.randrange(length)
    far = [place for place in range(length) if abs(place - odd) >= length // 4]
    size = rng.randint(1, 2)
    groups = dict(zip(rng.sample(far, 2 * size), ["one", "two"] * size, strict=True))
    others = range(rng.randint(length // 5, min(length // 2, 24)))
    pattern = [groups.get(place, str(rng.choice(others))) for place in range(length)]
    solvable = entry["answer"] == "True"
    words = []
    for group in ("one", "one" if solvable else "two"):
        pattern[odd] = group
        letters = rng.sample(ascii_lowercase, 2 + len(others))
        names = dict(zip(["one", "two", *map(str, others)], letters, strict=True))
        words.append("".join(names[each] for each in pattern))
    shown = " ".join(entry["metadata"]["words"])
    question = replaced(entry["question"], f"{shown}\n", f"{' '.join(words)}\n")
    return with_solution(entry, question, solvable, words=words, string_length=length)


def family(entry: Entry) -> object:
    """Keep the pattern of each string; ignore letters, order of the strings, reading backwards."""
    return sorted(map(letter_pattern, part_of(r"^(\w+ \w+)$", entry).split()))


TASK = Task(
    answer=Choice("True", "False"),
    harden=harden,
    family=family,
    # Strings that are isomorphic lack a letter, so the lengths of a level have to differ. Strings
    # of 1,000 letters need no more pairs to remember than strings of 60.
    levels=moving(string_length=[(2, 8), (6, 16), (10, 26), (16, 40), (26, 60)]),
    accepted={"shortcut": "most strings that are not isomorphic differ in frequencies, too"},
)
