"""Rewrite a string by rules until none applies."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

from rgenv.tasks import Entry, Task, moving, part_of, random_of, with_solution
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.symmetries import letter_pattern

Rule = Callable[[str], tuple[str, int]]
"""Returns what it makes of a string, and 0 if it does not fit."""
_KINDS = ("length", "suffix|ends", "prefix|starts", "even", "not at", "contains")
"""What the texts of each kind of rules have."""
LONG = 16
"""Letters of a string that a rule shortens by one."""
MAX_STRINGS, MAX_TRIES, MAX_CHOICES = 60, 50, 3
"""Strings of a problem; problems to try, and those of them in which all kinds have to take part."""


def correct(entry: Entry) -> Entry | None:
    """Make a problem in which each kind of rules takes part.

    Most rules of the library's problems never fit, and five steps solve most of them.
    """
    from reasoning_gym.algorithmic.string_manipulation import QUESTION_TEMPLATE

    rng, texts, ranges = random_of(entry), _texts(), entry["metadata"]["difficulty"]
    (shortest, longest), (fewest, most) = ranges["string_length"], ranges["num_rules"]
    amount = rng.randint((fewest + most + 1) // 2, most)
    kinds = min(amount, len(_KINDS) - (longest < LONG))
    shortest = max(shortest, LONG * (longest >= LONG))
    for attempt in range(MAX_TRIES):
        run = _Run("".join(rng.choices("abc", k=rng.randint(shortest, longest))), rng)
        others = run.choose(amount)
        if attempt < MAX_CHOICES and run.kinds() < kinds:
            continue
        # Of "cb", the library makes "aa" by a rule that means "a". It accepts no empty answer.
        if len(run.strings) == MAX_STRINGS or "cb" in run.strings or not run.strings[-1]:
            continue
        for rule in rng.sample(others, amount - len(run.rules)):
            run.insert(rule)
        lines = [f"{i}. {texts[rule]}" for i, rule in enumerate(run.rules, 1)]
        question = QUESTION_TEMPLATE.format(string=run.strings[0], rules="\n".join(lines))
        meta = {"string": run.strings[0], "states": run.strings}
        chosen = [texts[rule] for rule in run.rules]
        return with_solution(entry, question, run.strings[-1], selected_rules=chosen, **meta)
    return None


@cache
def _texts() -> dict[Rule, str]:
    from reasoning_gym.algorithmic import string_manipulation as library

    config = library.StringManipulationConfig(seed=0)
    return {rule: text for text, rule in library.StringManipulationDataset(config).rules}


@cache
def _kinds() -> list[list[Rule]]:
    """Return the rules of each kind."""
    kinds: list[list[Rule]] = [[] for _ in _KINDS]
    for rule, text in _texts().items():
        kinds[next(i for i, kind in enumerate(_KINDS) if re.search(kind, text))].append(rule)
    return kinds


class _Run:
    """A string, rules that are chosen for it one by one, and the strings that they make of it."""

    def __init__(self, text: str, rng: Random) -> None:
        self.rules = list[Rule]()
        self.strings = [text]
        self._fitting = defaultdict[Rule, list[str]](list)
        self._rng = rng

    def choose(self, amount: int) -> list[Rule]:
        """Add rules that fit the last string, of each kind in turn; return those that are left."""
        length, suffixes, *others = (self._rng.sample(kind, len(kind)) for kind in _kinds())
        queue = [length, suffixes, *self._rng.sample(others, len(others))]
        while len(self.rules) < amount:
            i, rule = next(self._that_lead_on(queue), (-1, None))
            if rule is None:
                break
            queue[i].remove(rule)
            queue.append(queue.pop(i))
            self.insert(rule)
            self._go_on()
        return [rule for kind in queue for rule in kind]

    def kinds(self) -> int:
        """Return how many kinds of rules take part."""
        return sum(any(self._fitting[rule] for rule in kind) for kind in _kinds())

    def insert(self, rule: Rule) -> None:
        """Insert a rule at a place where it changes none of the strings."""
        place = self._rng.randint(0, len(self.rules))
        for i in range(len(self.rules), place, -1):
            if any(rule(text)[1] for text in self._fitting[self.rules[i - 1]]):
                place = i
                break
        self.rules.insert(place, rule)

    def _that_lead_on(self, kinds: Sequence[Sequence[Rule]]) -> Iterator[tuple[int, Rule]]:
        """Yield the rules that make a new string of the last one, and the places of their kinds."""
        strings, text = self.strings, self.strings[-1]
        for i, kind in enumerate(kinds):
            for rule in kind:
                new, fits = rule(text)
                if fits and new not in strings:
                    yield i, rule

    def _go_on(self) -> None:
        """Rewrite the last string until no rule fits or a string is repeated."""
        strings = self.strings
        while len(strings) < MAX_STRINGS:
            text = strings[-1]
            for rule in self.rules:
                new, fits = rule(text)
                if fits:
                    break
            else:
                return
            self._fitting[rule].append(text)
            if new in strings:
                return
            strings.append(new)


def family(entry: Entry) -> object:
    """Keep the pattern of the string; ignore letters, reading backwards, the rules."""
    return letter_pattern(part_of(r"^(\w+)\s*\Z", entry))


TASK = Task(
    answer=Text(),
    correct=correct,
    clarify=(
        (
            "remove the middle character",
            "Of the two characters in the middle of a string of even length, the right one is "
            "removed.",
        ),
    ),
    family=family,
    # 500 letters are long rather than deep: rules work on the ends of a string. Their number
    # grows with the string.
    levels=moving(
        string_length=[(7, 9), (9, 13), (13, 17), (17, 22), (22, 30)],
        num_rules=[(6, 7), (7, 9), (9, 11), (11, 13), (14, 16)],
    ),
)
