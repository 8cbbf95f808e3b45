"""Form a palindrome of given letters."""

from rgenv.tasks import Answers, Entry, Task, Text, all_or_nothing, moving, part_of, tail
from rgenv.tasks.symmetries import sorted_amounts


def shortcuts(question: str) -> Answers:
    letters = "".join(tail(question).split(", "))
    middle = (len(letters) - 1) // 2
    return {
        "join the letters": letters,  # .14
        "move the first letter to the end": letters[1:] + letters[:1],  # .13
        "move the last letter to the middle": (  # .12
            letters[:middle] + letters[-1:] + letters[middle:-1]
        ),
    }


def family(entry: Entry) -> object:
    """Keep how often each letter appears; ignore letters and their order."""
    return sorted_amounts(part_of(r"following letters: ([^\n]*)", entry).split(", "))


TASK = Task(
    answer=Text(),
    also_right="any palindrome of all the letters",
    verify=all_or_nothing,
    shortcuts=shortcuts,
    family=family,
    salt=44,
    # 500 letters are long rather than deep.
    levels=moving(length=[(4, 7), (9, 13), (15, 22), (24, 34), (36, 50)]),
)
