"""Count a letter in a text."""

from rgenv.tasks import Entry, Number, Task, changed, moving, random_of, replaced
from rgenv.tasks.symmetries import words_after


def harden(entry: Entry) -> Entry:
    """Ask for another letter: to count words solves .81 of the library's problems, .40 of these.

    Whether words repeat the letter, and how often, is as likely as anything else.
    """
    rng, meta = random_of(entry), entry["metadata"]
    words = [word.lower() for word in meta["span"]]
    text = "".join(words)
    letters: dict[int, list[str]] = {}
    for letter in sorted(set(text)):
        repeated = text.count(letter) - sum(letter in word for word in words)
        letters.setdefault(repeated, []).append(letter)
    letter = rng.choice(letters[rng.choice(sorted(letters))])
    question = replaced(entry["question"], f'"{meta["target_letter"]}"', f'"{letter}"')
    return changed(entry, question, str(text.count(letter)), target_letter=letter)


TASK = Task(
    answer=Number(unit="times?|occurrences?"),
    harden=harden,
    clarify=(("", "Count capital letters as well as small ones."),),
    family=words_after(r'in the text: "(.*)"'),
    levels=moving(words=[(7, 9), (10, 13), (14, 18), (19, 25), (26, 36)]),
    prepared=(),
    accepted={"shortcut": "the task is to count what the question shows"},
)
