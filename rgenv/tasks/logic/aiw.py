"""Count siblings, friends or colleagues in a short story."""

import re
from random import Random

from rgenv.tasks import Entry, Levels, Number, Task, changed, question_numbers, random_of


class People(Number):
    """A number, perhaps with who is counted: ``4 sisters``."""

    def read(self, text: str, entry: Entry) -> str | None:
        asked = re.search("How many ([a-z ]{1,40}s) (?:does|do) ", entry.get("question", ""))
        who = rf"(.{{1,40}}?)\s+{asked[1]}?" if asked else ""
        match = re.fullmatch(who, text.strip(), re.I)
        return super().read(match[1] if match else text, entry)


def correct(entry: Entry) -> Entry | None:
    """Count Matilda's colleagues in both circles; None for a brother who was not introduced."""
    story, _, asked = entry["question"].partition("How many ")
    if "Matilda" in asked:
        _, women_around_her_friend, _, women_around_him = map(int, re.findall(r"\d+", story))
        # In the first circle her friend replaces Matilda; in the second she is not counted.
        return {**entry, "answer": str(women_around_her_friend + women_around_him - 1)}
    brother = re.search(r"does (\w+)'s brother have", asked)
    return None if brother and brother[1] != story.split()[0] else entry


def harden(entry: Entry) -> Entry:
    """Ask for men, too: the last number and one solves .69 of the library's problems, .30 of these.

    The sister or brother of a woman, and her friend, are asked about, too.
    """
    rng = random_of(entry)
    story, marker, asked = entry["question"].partition("How many ")
    counts = re.findall(r"(\d+) (\w+)", story)
    if "Matilda" in asked:
        asked, answer = _colleagues(rng, [int(number) for number, _ in counts])
    elif "friend" in asked:
        around = {sex: int(number) for number, sex in counts}
        sex = rng.choice(("male", "female"))
        # The friend is a man, and does not count himself, but the woman of the story.
        answer = around["female"] + 1 if sex == "female" else around["male"] - 1
        asked = asked.replace("female", sex, 1)
    else:
        asked, answer = _siblings(rng, story.split()[0], {kin: int(n) for n, kin in counts})
    return changed(entry, f"{story}{marker}{asked}", str(answer))


def _siblings(rng: Random, woman: str, around: dict[str, int]) -> tuple[str, int]:
    """Return the siblings to count, and their number; no sibling counts as its own."""
    asked, of = rng.choice(("brother", "sister")), rng.choice(("brother", "sister"))
    number = around[f"{asked}s"] + (asked == "sister") - (asked == of)
    return f"{asked}s does {woman}'s {of} have?", number


def _colleagues(rng: Random, around: list[int]) -> tuple[str, int]:
    """Return which of Matilda's colleagues to count, and their number.

    In the first circle her friend replaces Matilda; in the second she is not counted, but he is.
    """
    men_around_her, women_around_her, men_around_him, women_around_him = around
    men = men_around_her + men_around_him + 1
    women = women_around_her + women_around_him - 1
    kind, number = rng.choice((("male ", men), ("female ", women), ("", men + women)))
    return f"{kind}colleagues does Matilda have?", number


TASK = Task(
    answer=People(),
    correct=correct,
    harden=harden,
    clarify=(("Matilda", "Matilda is counted among the colleagues of both people."),),
    family=question_numbers,
    levels=Levels(fixed="From riddle to riddle of a kind, only small numbers change."),
    accepted={"shortcut": "the library's riddles add one to a number: the woman of the story"},
)
