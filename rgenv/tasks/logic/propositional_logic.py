"""Infer a conclusion from logical premises."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from itertools import combinations
from operator import and_
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.limits import max_depth
from rgenv.tasks.symmetries import sorted_amounts

_SPELLINGS = {
    "↔": r"<-> <=> <--> <==> ⇔ ⟷ ⟺ ≡ \leftrightarrow \Leftrightarrow \longleftrightarrow \iff IFF",
    "→": r"-> => --> ==> ⇒ ⟶ ⟹ \rightarrow \Rightarrow \longrightarrow \to \implies IMPLIES",
    "∧": r"& && /\ ⋀ \land \wedge AND",
    "∨": r"| || \/ ⋁ \lor \vee OR",
    "¬": r"~ ! \lnot \neg NOT",
}
"""Connective -> its other spellings. A word may have any case."""
_CONNECTIVE_OF = {
    spelling.lower(): sign for sign, row in _SPELLINGS.items() for spelling in row.split()
}
_SPELLING = re.compile(
    r"\\[a-z]+|\b[a-z]{2,}\b|"
    + "|".join(
        re.escape(spelling)
        for spelling in sorted(_CONNECTIVE_OF, key=len, reverse=True)
        if not spelling[-1].isalpha()
    ),
    re.I,
)


class Conclusion(Answer):
    """A formula of propositional logic with the connectives of ASCII, LaTeX or words."""

    name = "expression"

    def read(self, text: str, entry: Entry) -> str:
        return _SPELLING.sub(lambda found: _CONNECTIVE_OF.get(found[0].lower(), found[0]), text)


_DATASET = "logic.propositional_logic:PropositionalLogicDataset"

Formula = str | tuple["Formula", ...]
"""A variable, ``("¬", formula)`` or ``("→", formula, formula)``."""
TruthTable = int
"""The truth of a formula: one bit for each assignment of its variables."""
MAX_FORMULA, MAX_CONNECTIVES, MAX_VARIABLES = 2_000, 100, 12
"""Characters and connectives of a formula, and variables of a truth table."""
TRUE = ""
"""Key of the table that is true for every assignment."""
_PRECEDENCE = {"↔": 1, "→": 2, "∨": 3, "∧": 4}
_CONNECTIVE = re.compile("[∧∨→↔¬]")


def parse(text: str) -> Formula:
    """Parse a formula; connectives of equal precedence group to the left, as in the library.

    Raises ValueError if the text is too long or no formula.
    """
    if len(text) > MAX_FORMULA or len(_CONNECTIVE.findall(text)) > MAX_CONNECTIVES:
        raise ValueError("the formula is too long")
    tokens = ["end", *reversed("".join(text.split()))]

    def operand() -> Formula:
        token = tokens.pop()
        if token == "¬":
            return token, operand()
        if token == "(":
            inner = formula(0)
            if tokens.pop() != ")":
                raise ValueError("a bracket was never closed")
            return inner
        if len(token) > 1 or not token.isalpha():
            raise ValueError("a variable is missing")
        return token

    def formula(least: int) -> Formula:
        """Parse what connectives join that have a higher precedence than `least`."""
        left = operand()
        while _PRECEDENCE.get(tokens[-1], 0) > least:
            sign = tokens.pop()
            left = sign, left, formula(_PRECEDENCE[sign])
        return left

    result = formula(0)
    if len(tokens) > 1:
        raise ValueError("more follows the formula")
    return result


def variable_tables(names: list[str]) -> dict[str, TruthTable]:
    """Return the truth table of each variable and of `TRUE`, for at most `MAX_VARIABLES` names."""
    true = (1 << 2 ** min(len(names), MAX_VARIABLES)) - 1
    # The rows of a variable are by turns 2 ** place zeros and as many ones.
    halves = [(1 << 2**place) for place in range(min(len(names), MAX_VARIABLES))]
    tables = (true // (half + 1) * half for half in halves)
    return {TRUE: true, **dict(zip(names, tables, strict=False))}


def truth_table(formula: Formula, tables: Mapping[str, TruthTable]) -> TruthTable:
    """Return the truth table of a formula; raise KeyError for a variable without a table."""
    match formula:
        case str():
            return tables[formula]
        case ("¬", inner):
            return tables[TRUE] & ~truth_table(inner, tables)
        case (str(sign), left, right):
            a, b = truth_table(left, tables), truth_table(right, tables)
            return tables[TRUE] & {"∧": a & b, "∨": a | b, "→": ~a | b, "↔": ~(a ^ b)}[sign]
    raise ValueError("not a formula")


def is_inferred(
    conclusion: Formula, premises: list[TruthTable], tables: Mapping[str, TruthTable]
) -> bool:
    """Return whether a conclusion is one clause that follows from all premises, but from no one."""
    names = clause(conclusion)
    if names is None or len(names) > len(set(names)):
        return False
    return _first_that_follows(premises, [truth_table(conclusion, tables)], tables) == 0


def _first_that_follows(
    premises: list[TruthTable], conclusions: Iterable[TruthTable], tables: Mapping[str, TruthTable]
) -> int | None:
    """Return the place of the first conclusion that follows from all premises, but from no one.

    Contradictory premises imply everything, so no conclusion from them counts.
    """
    together = reduce(and_, premises, tables[TRUE])
    for place, table in enumerate(conclusions):
        if together and not together & ~table and all(premise & ~table for premise in premises):
            return place
    return None


def clause(formula: Formula, denied: bool = False) -> list[str] | None:
    """Return the variables of a formula, or of its negation, that is written as one clause.

    A clause is a disjunction of literals. ``((P ∧ Q) → R)`` is ``(¬P ∨ ¬Q ∨ R)``.
    """
    match formula:
        case str():
            return [formula]
        case ("¬", inner):
            return clause(inner, not denied)
        case ("∧" | "∨" | "→" as sign, left, right) if denied == (sign == "∧"):
            first, second = clause(left, denied != (sign == "→")), clause(right, denied)
            return None if first is None or second is None else first + second
    return None


def correct(entry: Entry) -> Entry | None:
    """Replace the example answer with the shortest right conclusion.

    None if the premises together imply nothing that a single one does not imply.
    """
    metadata = entry["metadata"]
    texts, conclusions = _short_conclusions(tuple(metadata["variables"]))
    premises, tables = _known(metadata)
    place = _first_that_follows(premises, conclusions, tables)
    if place is None:
        return None
    text, size = texts[place], len(re.findall(r"[\w¬∨]", texts[place]))
    return {**entry, "metadata": {**metadata, "example_answer": text, "complexity": size}}


@lru_cache(maxsize=16)
def _short_conclusions(names: tuple[str, ...]) -> tuple[list[str], list[TruthTable]]:
    """Return every variable and its negation, then the disjunctions of two, and their tables."""
    literals = [text for name in names for text in (name, f"¬{name}")]
    pairs = combinations(literals, 2)
    texts = [*literals, *(f"({one} ∨ {two})" for one, two in pairs if two != f"¬{one}")]
    tables = variable_tables(list(names))
    return texts, [truth_table(parse(text), tables) for text in texts]


def _known(metadata: Mapping[str, Any]) -> tuple[list[TruthTable], dict[str, TruthTable]]:
    tables = variable_tables(metadata["variables"])
    return [truth_table(parse(premise), tables) for premise in metadata["premises"]], tables


def conclusion(self: Any, rng: random.Random, premises: list[Any], variables: list[str]) -> Any:
    """Return the library's conclusion, by truth tables instead of assignments."""
    tables = variable_tables(variables)
    together = reduce(and_, [truth_table(_read(each), tables) for each in premises], tables[TRUE])
    for _ in range(100):
        candidate = self._generate_expression(rng, variables, 2).simplify()
        table = truth_table(_read(candidate), tables)
        if not together & ~table and candidate.operator and table != tables[TRUE]:
            return candidate
    return type(premises[0])(None, variables[0])


def _read(expression: Any) -> Formula:
    """Return the formula that an object of the library stands for."""
    if expression.operator is None:
        return str(expression.left)
    inner = (expression.left, expression.right)
    return expression.operator.value, *[_read(each) for each in inner if each is not None]


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a clause that has to be inferred from the premises together.

    The library gives 0.93 on average to ``(p ∧ p)``.
    """
    try:
        return float(is_inferred(parse(answer), *_known(entry["metadata"])))
    except (ValueError, KeyError, RecursionError):
        return 0.0


def _too_long(answer: str) -> str | None:
    return f"{len(answer)} characters" if len(answer) > MAX_FORMULA else None


def _too_large(answer: str) -> str | None:
    """The library passes over the text once for each connective, and recurses; it tries every
    assignment to the variables, and takes any text between connectives for a variable."""
    atoms = [atom.strip(" ()\n\t") for atom in _CONNECTIVE.split(answer)]
    if len(atoms) - 1 > MAX_CONNECTIVES:
        return f"{len(atoms) - 1} connectives"
    names = set(atoms) - {""}
    unusual = sum(not (len(name) == 1 and name.isupper()) for name in names)
    if len(names) > MAX_VARIABLES or unusual > 4:
        return f"a truth table of {len(names)} variables"
    return None


def _premises(question: str) -> list[str]:
    return re.findall(r"^\.?\d+\. (.*)$", question, re.MULTILINE)


def shortcuts(question: str) -> Answers:
    """Answer with a rare variable that is not given, as the premises mean it most often."""
    premises = _premises(question)
    amount = Counter(re.findall(r"\b[P-Z]\b", " ".join(premises)))
    affirmed = Counter[str]()
    for premise in premises:
        _count_affirmed(parse(premise), 1, affirmed)
    given = {premise.strip("¬") for premise in premises}
    rarest = sorted(amount, key=lambda name: (amount[name], name))
    others = [name for name in rarest if name not in given] or rarest
    first, second = ("¬" * (affirmed[name] < 0) + name for name in (others[0], others[:2][-1]))
    return {"the rarest variable": first, "the second rarest variable": second}  # .54 .45


def _count_affirmed(formula: Formula, sign: int, counts: Counter[str]) -> None:
    """Add how much more often each variable is affirmed than denied; ↔ does neither."""
    match formula:
        case str():
            counts[formula] += sign
        case ("¬", inner):
            _count_affirmed(inner, -sign, counts)
        case ("→" | "∧" | "∨" as connective, left, right):
            _count_affirmed(left, -sign if connective == "→" else sign, counts)
            _count_affirmed(right, sign, counts)


def family(entry: Entry) -> object:
    """Keep the shapes of the premises, and how often variables appear; ignore names, and the order
    of the premises and of what ∧, ∨ and ↔ join.
    """
    premises = _premises(entry["question"])
    shapes = sorted(_shape(parse(premise)) for premise in premises)
    return shapes, sorted_amounts(re.findall("[A-Z]", "".join(premises)))


def _shape(formula: Formula) -> str:
    if isinstance(formula, str):
        return "p"
    sign, *parts = formula
    shapes = [_shape(part) for part in parts]
    return f"{sign}({' '.join(shapes if sign == '→' else sorted(shapes))})"


TASK = Task(
    answer=Conclusion(),
    also_right="any clause that follows from the premises together and not from one",
    correct=correct,
    verify=verify,
    solve=lambda metadata: str(metadata["example_answer"]),
    clarify=(
        (
            "",
            "Conclude one literal, or several of different variables joined by ∨ or →, that no "
            "single premise implies.",
        ),
    ),
    limits=(_too_long, max_depth(40), _too_large),
    shortcuts=shortcuts,
    kept={"the rarest variable": 0.15, "the second rarest variable": 0.15},
    family=family,
    # Hardly more premises than variables: with more of them, most premises contradict each other
    # or imply nothing new.
    levels=moving(
        vars=[(3, 3), (3, 4), (4, 5), (5, 6), (6, 7)],
        statements=[(3, 3), (3, 4), (4, 5), (4, 6), (5, 6)],
        complexity=[(2, 2), (2, 2), (2, 3), (3, 3), (3, 4)],
    ),
    faster={f"{_DATASET}:_find_valid_conclusion": conclusion},
    accepted=dict.fromkeys(
        ("blind", "wrong"),
        "several conclusions are right, so that one from other premises may follow from these, too",
    ),
)
