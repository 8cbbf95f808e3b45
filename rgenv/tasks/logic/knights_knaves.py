"""Tell liars from those who speak the truth."""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, product
from typing import Any, ClassVar

from rgenv.tasks import Answer, Entry, Forms, LibraryVerifier, Task, changed, moving, random_of
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.verifying import credit_above_half

_ROLE = re.compile(r"(\w+) is an? (\w+)", re.IGNORECASE)


def _sentences(roles: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{name} is {'an' if role[0] in 'aeiou' else 'a'} {role}" for name, role in roles]


class Roles(Answer):
    """A role for each person in any form of a mapping, by the words of the question."""

    name = "sentence"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        terms = entry["metadata"]["knight_knave_terms"]
        roles = "|".join(re.escape(str(terms[role])) for role in ("knight", "knave"))
        found = pairs(text, r"\w+", rf"(?:an?\s+)?(?:{roles})")
        if found is None:
            return None
        said = [f"{name} is a {role.split()[-1].lower()}" for name, role in found.items()]
        return ", and ".join(said) + "."

    def forms(self, reference: str, question: str) -> Forms:
        roles = _ROLE.findall(reference)
        said = _sentences(roles)
        return {
            "no full stop": reference.removesuffix("."),
            "bullets": "\n".join(f"- {line}" for line in said),
            "numbered": "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1)),
            "lines": "\n".join(said),
            "sentences": ". ".join(said) + ".",
            "bold": "\n".join(f"- **{name}** is a **{role}**." for name, role in roles),
            "colons": "\n".join(f"{name}: {role}" for name, role in roles),
            "colons, commas": ", ".join(f"{name}: {role}" for name, role in roles),
            "reversed": ", and ".join(said[::-1]) + ".",
            "lower case": reference.lower(),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        singular, plural = re.findall(r"who is an? (\w+) and who is an? (\w+)\?", question)[0]
        other = {singular: plural, plural: singular}
        roles = _ROLE.findall(reference)
        place = rng.randrange(len(roles))
        one = [(n, other[r] if i == place else r) for i, (n, r) in enumerate(roles)]
        changes = {"one": one, "all": [(name, other[role]) for name, role in roles]}
        said = {name: _sentences(new) for name, new in changes.items()}
        return {name: ", ".join(new[:-1]) + f", and {new[-1]}." for name, new in said.items()}


Statement = tuple[Any, ...]
"""As in the library: ("telling-truth", person), ("lying", person) or (connective, *statements)."""
Riddle = tuple[Statement, Statement]
"""What each of two people says."""
Solution = tuple[bool, bool]
"""Who tells the truth."""


def correct(entry: Entry) -> Entry | None:
    """Replace a riddle on two people; how many knights there are is independent of its words.

    In the library's riddles, connectives and the words for liars give it away. More people say more
    than a count of words can use, so their riddles stay.
    """
    meta = entry["metadata"]
    if len(meta["statements"]) != 2:
        return entry
    rng = random_of(entry)
    by_solution = rng.choice(riddles())
    solution = rng.choice(sorted(by_solution))
    riddle = rng.choice(by_solution[solution])
    names, terms = meta["names"], meta["knight_knave_terms"]
    question, rest = "", entry["question"]
    for old, new in zip(meta["statements"], riddle, strict=True):
        said = _in_words(names, terms, old)
        before, _, rest = rest.partition(said)
        if not rest:
            raise ValueError(f"nobody says {said!r}")
        question += before + _in_words(names, terms, new)
    roles = [terms["a_knight" if honest else "a_knave"] for honest in solution]
    parts = [f"{name} is {role}" for name, role in zip(names, roles, strict=True)]
    answer = ", and ".join(parts) + "."
    return changed(entry, question + rest, answer, statements=riddle, solution=solution)


def _in_words(names: Sequence[str], terms: Mapping[str, str], statement: Any) -> str:
    return str(_formatter()._format_statement(names, terms, statement))


@cache
def _formatter() -> Any:
    from reasoning_gym.logic.knights_knaves import KKProblemFormatter  # another release may lack it

    return KKProblemFormatter(0, {})


PEOPLE = (0, 1)
CLAIMS: list[Statement] = list(product(("telling-truth", "lying"), PEOPLE))
SOLUTIONS: list[Solution] = list(product((True, False), (True, False)))
HONEST = [sum(solution[who] << i for i, solution in enumerate(SOLUTIONS)) for who in PEOPLE]
"""In which solutions each person tells the truth, as bits."""


def _joined(ones: Sequence[Statement], others: Sequence[Statement]) -> list[Statement]:
    """Join statements, but not two claims about the same person."""
    return [
        (connective, one, other)
        for connective in ("and", "or", "->", "<=>")
        for one, other in product(ones, others)
        if one[1] != other[1]
    ]


def _true_in(statement: Statement) -> int:
    """Return in which solutions a statement is true, as bits."""
    match statement:
        case ("telling-truth", person):
            return HONEST[person]
        case ("lying", person):
            return 15 ^ HONEST[person]
        case ("not", part):
            return 15 ^ _true_in(part)
        case ("and", one, other):
            return _true_in(one) & _true_in(other)
        case ("or", one, other):
            return _true_in(one) | _true_in(other)
        case ("->", one, other):
            return 15 ^ _true_in(one) | _true_in(other)
        case ("<=>", one, other):
            return 15 ^ _true_in(one) ^ _true_in(other)
    raise ValueError("not a statement")


class _Said:
    """A statement, the solutions that it fits if a person makes it, and a number for its words.

    A statement is true if and only if the person who makes it tells the truth.
    """

    _places: ClassVar[dict[str, int]] = {}

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        true_in = _true_in(statement)
        self.fits_first, self.fits_second = (15 ^ true_in ^ honest for honest in HONEST)
        terms = {"a_knight": "a knight", "a_knave": "a knave"}
        words = f'"{_in_words("AB", terms, statement)}"'.split()
        # The count of each word is a digit of its own.
        places = [self._places.setdefault(word, len(self._places)) for word in words]
        self.words = sum(100**place for place in places)


@cache
def riddles() -> Sequence[Mapping[Solution, list[Riddle]]]:
    """Return groups of riddles that have the same words, each by solution.

    Each riddle has one solution, and each group has riddles with any of the four. Words include the
    brackets and quotation marks that touch them.
    """
    plain = [_Said(statement) for statement in [*CLAIMS, *_joined(CLAIMS, CLAIMS)]]
    denied = [_Said(("not", said.statement)) for said in plain if len(said.statement) > 2]
    joined = _joined(CLAIMS, CLAIMS)
    nested = [_Said(x) for x in [*_joined(CLAIMS, joined), *_joined(joined, CLAIMS)]]
    riddles = chain(
        product(plain + denied, repeat=2), product(plain, nested), product(nested, plain)
    )
    groups: dict[int, dict[Solution, list[Riddle]]] = {}
    only = {1 << i: solution for i, solution in enumerate(SOLUTIONS)}
    for one, other in riddles:
        if solution := only.get(one.fits_first & other.fits_second):
            group = groups.setdefault(one.words + other.words, {})
            group.setdefault(solution, []).append((one.statement, other.statement))
    return [group for group in groups.values() if len(group) == len(SOLUTIONS)]


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the roles are right and each inhabitant is named once.

    The library gives 0.65 to one right role of two.
    """
    right, given = (_ROLE.findall(text.lower()) for text in (str(entry["answer"]), answer))
    if sorted(name for name, _ in given) != sorted(name for name, _ in right):
        return 0.0
    return credit_above_half(len({*given} & {*right}) / len(right))


def family(entry: Entry) -> object:
    """Keep the shapes of the statements; ignore their order and wording, and all names."""
    return sorted(repr(_shape(statement)) for statement in entry["metadata"]["statements"])


def _shape(statement: Any) -> Any:
    operator, *parts = statement
    return [operator, *(_shape(each) for each in parts if isinstance(each, tuple))]


TASK = Task(
    answer=Roles(),
    correct=correct,
    verify=verify,
    family=family,
    # The curriculum has equal values at two levels, so each level has one more person here.
    levels=moving(
        n_people=[2, 3, 4, 5, 6], depth_constraint=[2, 2, 2, 3, 3], width_constraint=[2, 2, 3, 3, 3]
    ),
)
