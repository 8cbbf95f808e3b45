"""Tell whether a note can be cut from a magazine's letters."""

from collections import Counter
from random import Random
from string import ascii_lowercase

from rgenv.tasks import Choice, Entry, Task, exact, moving, obeys, part_of, random_of, with_solution

NOTE, MAGAZINE = 62, 93
"""Letters of both if any number is allowed."""
MAX_KINDS = 23
"""Different letters of a note. It lacks some, which fill the magazine."""
MAX_SPARE = 5
"""The most letters of the note that the magazine has once too often."""


def harden(entry: Entry) -> Entry | None:
    """Replace both: to count the rarest letter solves .95 of the library's problems, .61 of these.

    Two letters are chosen that the note has n + 1 times and n times. So has the magazine, or n
    and n + 1 times if the answer is False: neither text alone tells anything.
    """
    rng, meta = random_of(entry), entry["metadata"]
    length, room = max(NOTE, meta["note_length"]), max(MAGAZINE, meta["magazine_length"])
    if not obeys(entry, note_length=length, magazine_length=room):
        length, room = meta["note_length"], meta["magazine_length"]
    letters = rng.sample(ascii_lowercase, min(MAX_KINDS, 1 + length // 3))
    note = Counter(letters + rng.choices(letters, k=length - len(letters)))
    pairs = [(one, other) for one in letters for other in letters if note[one] == note[other] + 1]
    if not pairs:
        return None
    scarce, plenty = rng.choice(pairs)
    rest = [letter for letter in letters if letter not in (scarce, plenty)]
    spare = min(rng.randint(0, MAX_SPARE), len(rest), room - length)
    magazine = note + Counter(rng.sample(rest, spare))
    solvable = entry["answer"] == "True"
    if not solvable:
        magazine[scarce], magazine[plenty] = magazine[plenty], magazine[scarce]
    others = [letter for letter in ascii_lowercase if letter not in letters]
    magazine.update(rng.choices(others, k=room - length - spare))
    texts = {"ransom_note": _shuffled(rng, note), "magazine": _shuffled(rng, magazine)}
    head, _ = entry["question"].split("Ransom note: ")
    question = f"{head}Ransom note: {texts['ransom_note']}\nMagazine: {texts['magazine']}\n"
    lengths = {"note_length": length, "magazine_length": room}
    return with_solution(entry, question, solvable, **texts, **lengths)


def _shuffled(rng: Random, counts: Counter[str]) -> str:
    return "".join(rng.sample(list(counts), counts=counts.values(), k=counts.total()))


def family(entry: Entry) -> object:
    """Keep how often each letter is in both texts; ignore letters and their order."""
    note, magazine = (Counter(part_of(rf"{name}: (\w+)", entry)) for name in ("note", "Magazine"))
    return sorted([note[letter], magazine[letter]] for letter in note | magazine)


TASK = Task(
    answer=Choice("True", "False"),
    harden=harden,
    verify=exact,
    family=family,
    # 1,000 letters are long rather than deep. In a magazine that is little longer than the note,
    # many letters are scarce.
    levels=moving(
        note_length=[(3, 8), (12, 18), (24, 32), (36, 46), (50, 62)],
        magazine_length=[(8, 20), (22, 32), (38, 50), (56, 70), (76, 94)],
    ),
)
