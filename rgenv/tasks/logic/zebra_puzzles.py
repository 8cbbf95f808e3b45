"""Find who lives where from clues about houses."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import permutations
from typing import Any

from rgenv.tasks import Answers, Entry, Task, exact, moving, part_of
from rgenv.tasks.answers.words import Word


class Person(Word):
    """The name of a person."""


def shortcuts(question: str) -> Answers:
    """Pick a name by how often it is named, or by the clues about the first house."""
    names = re.findall(r"unique name: (.*)", question)[0].strip().split(", ")
    clues = question.split("\n\n1. ", 1)[1].lower()
    counts = {name: clues.count(name.strip()) for name in names}
    told = [name for name in names if f"{name} is in the first house" in clues]
    for holder in re.findall(r"^(?:\d+\. )?(.+) is in the first house\.$", clues, re.MULTILINE):
        told += [name for name in names if f"{name} is {holder}." in clues]
        told += [name for name in names if f"{holder} is {name}." in clues]
    later = r"\b{0} is in the (?!first)\w+ house|left of {0}\."
    left = [name for name in names if not re.search(later.format(name), clues)] or names
    beside = [name for name in left if f"{name} is directly left of" in clues] or left
    return {
        **({"what two clues tell about the first house": told[0]} if told else {}),  # .43
        "not said elsewhere, directly left of one, used most": (  # .47
            max(beside, key=lambda name: counts[name])
        ),
        "the name that is used least": min(names, key=lambda name: counts[name]),  # .50
    }


def family(entry: Entry) -> object:
    """Keep words for places in the clues, number of houses; ignore names and characteristics."""
    places = "next to|directly left|directly right|between|first|second|third|fourth|fifth|sixth"
    return sorted(re.findall(places, entry["question"])), part_of(r"There are (\d+) houses", entry)


_STEPS = {"same_house": (0,), "consecutive": (1,), "beside": (-1, 1)}
"""How many houses the second thing of a clue lives to the right of the first."""
_WEIGHTS = {"found_at": 0.75, "same_house": 0.75, "beside": 1.2}
"""How likely the library drops a clue; 1 of other kinds."""


@cache
def _orders(houses: int) -> list[list[int]]:
    """Return the orders in which a thing is in a house, as bits, by thing and house."""
    orders = list(enumerate(permutations(range(houses))))
    return [
        [sum(1 << n for n, order in orders if order[thing] == house) for house in range(houses)]
        for thing in range(houses)
    ]


@cache
def _near(houses: int, thing: int, steps: Sequence[int]) -> list[int]:
    """Return the orders in which a thing is some steps to the right of each house."""
    of_thing = _orders(houses)[thing]
    near = [{house + step for step in steps} & set(range(houses)) for house in range(houses)]
    return [sum(of_thing[house] for house in reached) for reached in near]


class _Houses:
    """A puzzle: for each kind of things the orders, as bits, in which they may live."""

    def __init__(self, puzzle: Any, clues: Sequence[Any]) -> None:
        self._things = {
            thing: (kind, number)
            for kind, type_ in enumerate(puzzle.element_classes)
            for number, thing in enumerate(x for x in puzzle.literals if isinstance(x, type_))
        }
        self._number = len(puzzle.houses)
        self._all = [sum(_orders(self._number)[0])] * len(puzzle.element_classes)
        self._solution = list(self._all)
        for thing, house in puzzle.solution.items():
            kind, number = self._things[thing]
            self._solution[kind] &= _orders(self._number)[number][house - 1]
        self._clues = [self._read(clue) for clue in clues]

    def _read(self, clue: Any) -> tuple[int, int] | tuple[int, Any, Any, int, Any, Any]:
        """Return the orders that a clue about one kind leaves, or what relates two kinds."""
        houses, orders = self._number, _orders(self._number)
        if type(clue).__name__ == "found_at":
            kind, thing = self._things[clue.value]
            return kind, orders[thing][clue.house - 1]
        (kind, thing), (other_kind, other) = self._things[clue.value1], self._things[clue.value2]
        steps = _STEPS[type(clue).__name__]
        right, left = _near(houses, other, steps), _near(houses, thing, tuple(-x for x in steps))
        if kind == other_kind:
            return kind, sum(a & b for a, b in zip(orders[thing], right, strict=True))
        return kind, orders[thing], right, other_kind, orders[other], left

    def other_solution(self, clues: Iterable[int]) -> list[int] | None:
        """Return a solution of some of the clues that is not the puzzle's, or None."""
        orders = list(self._all)
        relations: list[list[Any]] = [[] for _ in orders]
        for clue in clues:
            match self._clues[clue]:
                case kind, left:
                    orders[kind] &= left
                case kind, mine, right, other, its, left:
                    relations[kind].append((mine, other, right))
                    relations[other].append((its, kind, left))
        return self._search(orders, relations, -1)

    def _search(
        self, orders: list[int], relations: Sequence[Any], changed: int
    ) -> list[int] | None:
        """Return another solution within some orders; `changed` has a bit for each changed kind."""
        if not _narrow(orders, relations, changed):
            return None
        unknown = [(one.bit_count(), kind) for kind, one in enumerate(orders) if one & (one - 1)]
        if not unknown:
            return None if orders == self._solution else orders
        kind = min(unknown)[1]
        known = orders[kind] & self._solution[kind]
        rest = orders[kind] ^ known
        while rest or known:  # the order of the solution comes last
            bit = rest & -rest or known
            rest, known = rest & ~bit, known & ~bit
            tried = [*orders[:kind], bit, *orders[kind + 1 :]]
            if found := self._search(tried, relations, 1 << kind):
                return found
        return None

    def broken(self, solution: list[int]) -> int:
        """Return the clues that do not hold in a solution, as bits."""
        broken = 0
        for number, clue in enumerate(self._clues):
            match clue:
                case kind, left:
                    holds = bool(solution[kind] & left)
                case kind, mine, right, other, _, _:
                    holds = False
                    for place, reached in zip(mine, right, strict=True):
                        if solution[kind] & place:
                            holds = bool(solution[other] & reached)
                            break
            broken |= (not holds) << number
        return broken


def _narrow(orders: list[int], relations: Sequence[Any], changed: int) -> bool:
    """Take out the orders that contradict a relation to a kind that has changed, as long as there
    are some; False if none is left of a kind."""
    while changed:
        before, changed = changed, 0
        for one, of_one in enumerate(relations):
            if not before >> one & 1:
                continue
            now = orders[one]
            for places, two, near in of_one:
                allowed = 0
                for place, reached in zip(places, near, strict=True):
                    if now & place:
                        allowed |= reached
                if orders[two] & ~allowed:
                    orders[two] &= allowed
                    if not orders[two]:
                        return False
                    changed |= 1 << two
    return True


def reduced(puzzle: Any, clues: set[Any], _: object = None) -> tuple[set[Any], set[Any]]:
    """Return the clues that are left when no other could go, and the others.

    It replaces a function of the library, and draws as that does.
    """
    rng = puzzle.rng
    rng.sample(range(len(clues)), len(clues))
    ordered = sorted(clues, key=str)
    houses = _Houses(puzzle, ordered)
    weights = [_WEIGHTS.get(type(clue).__name__, 1) for clue in ordered]
    others: list[int] = []  # the clues that are broken in each solution that was found

    def is_unique(left: Sequence[int]) -> bool:
        chosen = sum(1 << clue for clue in left)
        if not all(broken & chosen for broken in others):
            return False
        other = houses.other_solution(left)
        if other is not None:
            others.append(houses.broken(other))
        return other is None

    def without(some: int, left: list[int]) -> list[int]:
        gone = set(rng.choices(left, [weights[clue] for clue in left], k=some))
        fewer = [clue for clue in left if clue not in gone]
        return fewer if gone and is_unique(fewer) else left

    left, size = list(range(len(ordered))), 0
    while size != len(left):
        size = len(left)
        for some in (size // 10, size // 20, 1):
            left = without(some, left)
            if len(left) < size:
                break
    size = 0
    while size != len(left):
        size = len(left)
        for clue in rng.sample(left, size):
            fewer = [other for other in left if other != clue]
            left = fewer if is_unique(fewer) else left
    kept = {ordered[clue] for clue in left}
    return kept, clues - kept


TASK = Task(
    answer=Person(),
    verify=exact,
    clarify=(
        (
            r"unique name: .*\balice\b[\s\S]*their child: .*\balice\b",
            "The child named Alice is not the person named Alice.",
        ),
    ),
    shortcuts=shortcuts,
    kept={
        "not said elsewhere, directly left of one, used most": 0.45,
        "the name that is used least": 0.5,
    },
    family=family,
    salt=370,
    # Two people have two answers. 6 people with 5 characteristics take up to 4 s.
    levels=moving(num_people=[3, 4, 4, 5, 5], num_characteristics=[2, 2, 4, 4, 5]),
    # The checks repeat what `reduced` has found, and nobody sees the table.
    faster={
        "logic.contrib.logic_puzzle.generate:reduce_clues": reduced,
        "logic.contrib.logic_puzzle.generate:has_unique_solution": lambda *_: True,
        "logic.contrib.logic_puzzle.generate:check_correctness": lambda _: True,
        "logic.contrib.logic_puzzle.generate:tabulate": lambda *_, **__: "",
    },
)
