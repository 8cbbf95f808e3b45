"""Infer a conclusion from logical premises."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import MAX_CHARS
from rgenv.tasks.entry import Entry
from rgenv.tasks.limits import Rule, max_depth
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task
from rgenv.tasks.rewriting import random_of
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
_CONNECTIVE = re.compile(
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

    def read(self, text: str, entry: Entry) -> str | None:
        if len(text) > MAX_CHARS:
            return None
        return _CONNECTIVE.sub(lambda found: _CONNECTIVE_OF.get(found[0].lower(), found[0]), text)

    def forms(self, reference: str, question: str) -> Forms:
        forms = {"no spaces": reference.replace(" ", "")}
        if reference.startswith("(") and reference.count("(") == 1:
            forms["no outer brackets"] = reference.strip("()")
        return forms

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        return {"negation": f"¬({reference})", "contradiction": f"({reference} ∧ ¬{reference})"}


def correct(entry: Entry) -> Entry | None:
    """Negate some variables, and replace the example answer with the shortest right conclusion.

    None if the premises together imply nothing that a single one does not imply. In the library's
    premises no variable is given as true by itself, and many as false.
    """
    entry = _with_signs(entry)
    metadata = entry["metadata"]
    tables = variable_tables(metadata["variables"])
    premises = [truth_table(parse(text), tables) for text in metadata["premises"]]
    for text in _short_conclusions(metadata["variables"]):
        if is_inferred(parse(text), premises, tables):
            return {**entry, "metadata": {**metadata, "example_answer": text}}
    return None


def _with_signs(entry: Entry) -> Entry:
    """Return the entry with half of the variables negated wherever they stand."""
    metadata = entry["metadata"]
    rng = random_of(entry)
    negated = "".join(name for name in metadata["variables"] if rng.random() < 0.5)
    if not negated:
        return entry
    head, marker, question = entry["question"].partition("Given:\n")
    *shown, rest = question.split("\n.")
    lines, premises = (
        [re.sub(f"([{negated}])", r"¬\1", text).replace("¬¬", "") for text in texts]
        for texts in (shown, metadata["premises"])
    )
    question = head + marker + "\n.".join([*lines, rest])
    return {**entry, "question": question, "metadata": {**metadata, "premises": premises}}


def _short_conclusions(names: list[str]) -> Iterator[str]:
    """Yield every variable and its negation, then the disjunctions of two of them."""
    literals = [text for name in names for text in (name, f"¬{name}")]
    yield from literals
    for first, second in combinations(literals, 2):
        if first.strip("¬") != second.strip("¬"):
            yield f"({first} ∨ {second})"


Formula = str | tuple["Formula", ...]
"""A variable, ``("¬", formula)`` or ``("→", formula, formula)``."""
TruthTable = int
"""The truth of a formula: one bit for each assignment of its variables."""
MAX_CONNECTIVES = 100
MAX_VARIABLES = 12
TRUE = ""
"""Key of the table that is true for every assignment."""
_PRECEDENCE = {"↔": 1, "→": 2, "∨": 3, "∧": 4, "¬": 5}
_TOKEN = re.compile(r"\S")


def is_inferred(
    conclusion: Formula, premises: list[TruthTable], tables: Mapping[str, TruthTable]
) -> bool:
    """Return whether a conclusion is one clause that follows from all premises, but from no one.

    Contradictory premises imply everything, so no conclusion from them counts.
    """
    names = clause(conclusion)
    if names is None or len(names) > len(set(names)):
        return False
    together = tables[TRUE]
    for premise in premises:
        together &= premise
    against = tables[TRUE] & ~truth_table(conclusion, tables)
    return bool(together) and not together & against and all(p & against for p in premises)


def clause(formula: Formula, denied: bool = False) -> list[str] | None:
    """Return the variables of a formula that is written as one clause, or None.

    A clause is a disjunction of literals. ``((P ∧ Q) → R)`` is ``(¬P ∨ ¬Q ∨ R)``.

    Args:
        denied: whether the negation of `formula` is meant.
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


def variable_tables(names: list[str]) -> dict[str, TruthTable]:
    """Return the truth table of each variable and of `TRUE`, for at most `MAX_VARIABLES` names."""
    rows = 2 ** min(len(names), MAX_VARIABLES)
    tables = {TRUE: (1 << rows) - 1}
    for place, name in enumerate(names[:MAX_VARIABLES]):
        tables[name] = sum(1 << row for row in range(rows) if row >> place & 1)
    return tables


def truth_table(formula: Formula, tables: Mapping[str, TruthTable]) -> TruthTable:
    """Return the truth table of `formula`.

    Args:
        tables: the tables of the variables, from `variable_tables`.

    Raises:
        KeyError: the formula has a variable that is not in `tables`.
    """
    match formula:
        case str():
            return tables[formula]
        case ("¬", inner):
            return tables[TRUE] & ~truth_table(inner, tables)
        case (sign, left, right):
            a, b = truth_table(left, tables), truth_table(right, tables)
            return _connect(str(sign), a, b, tables[TRUE])
    raise ValueError("not a formula")


def _connect(sign: str, a: TruthTable, b: TruthTable, everywhere: TruthTable) -> TruthTable:
    if sign == "∧":
        return a & b
    if sign == "∨":
        return a | b
    return everywhere & ((~a | b) if sign == "→" else ~(a ^ b))


def parse(text: str) -> Formula:
    """Parse a formula; connectives of equal precedence group to the left, as in the library.

    Raises:
        ValueError: the text is not a formula, or has more than `MAX_CONNECTIVES` connectives.
    """
    if len(text) > 2_000 or sum(text.count(sign) for sign in _PRECEDENCE) > MAX_CONNECTIVES:
        raise ValueError("the formula is too long")
    operands: list[Formula] = []
    operators: list[str] = []
    expects_operand = True
    for token in _TOKEN.findall(text):
        if expects_operand != (token in "¬(" or token.isalpha()):
            raise ValueError("not a formula")
        if token.isalpha():
            operands.append(token)
            expects_operand = False
        elif token in "¬(":
            operators.append(token)
        elif token == ")":
            _reduce(operands, operators, 0)
            if not operators:
                raise ValueError("a bracket was never opened")
            operators.pop()
        else:
            _reduce(operands, operators, _PRECEDENCE[token])
            operators.append(token)
            expects_operand = True
    if expects_operand:
        raise ValueError("the formula is incomplete")
    _reduce(operands, operators, 0)
    if operators:
        raise ValueError("a bracket was never closed")
    return operands[0]


def _reduce(operands: list[Formula], operators: list[str], precedence: int) -> None:
    """Apply the operators of at least `precedence` that follow the last open bracket."""
    while operators and operators[-1] != "(" and _PRECEDENCE[operators[-1]] >= precedence:
        sign = operators.pop()
        right = operands.pop()
        operands.append((sign, right) if sign == "¬" else (sign, operands.pop(), right))


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a clause that has to be inferred from the premises together.

    The library gives 0.93 on average to ``(p ∧ p)``. Entries whose premises allow no such
    conclusion are not used (rgenv/tasks/logic.py).
    """
    metadata = entry["metadata"]
    tables = variable_tables(metadata["variables"])
    try:
        conclusion = parse(answer)
        premises = [truth_table(parse(premise), tables) for premise in metadata["premises"]]
        return float(is_inferred(conclusion, premises, tables))
    except (ValueError, KeyError):
        return 0.0


def _max_length(limit: int) -> Rule:
    def rule(answer: str) -> str | None:
        return f"{len(answer)} characters" if len(answer) > limit else None

    return rule


_CONNECTIVE_of_x = re.compile("[∧∨→↔¬]")


def _truth_table(answer: str) -> str | None:
    """propositional_logic tries every assignment to the variables, and takes any text between
    connectives for a variable."""
    atoms = {atom.strip(" ()\n\t") for atom in _CONNECTIVE_of_x.split(answer)} - {""}
    unusual = sum(not (len(atom) == 1 and atom.isupper()) for atom in atoms)
    if len(atoms) > 12 or unusual > 4:
        return f"a truth table of {len(atoms)} variables"
    return None


def _connectives(answer: str) -> str | None:
    """propositional_logic passes over the text once for each connective, and recurses."""
    number = len(_CONNECTIVE_of_x.findall(answer))
    return f"{number} connectives" if number > 100 else None


def shortcuts(question: str) -> Answers:
    """Answer with a literal that the premises repeat, or with two."""
    premises = re.findall(r"\d+\. (.+)", question.split("Given:", 1)[1])
    text = " ".join(premises)
    amount = Counter(re.findall(r"\b[P-Z]\b", text))
    variables = sorted(amount)
    answers = {}
    alone = {premise.strip("¬") for premise in premises}
    rarest_first = sorted(variables, key=lambda name: (amount[name], name))
    by_amount = [name for name in rarest_first if name not in alone] or rarest_first
    # As it is written, as it is meant, affirmed, denied:
    names = {
        "the rarest variable": rarest_first[0],  # .43 .32 .16 .14
        "the rarest variable that is not given": by_amount[0],  # .46 .38 .17 .15
        "the second rarest variable that is not given": (  # .44 .35 .10 .13
            by_amount[min(1, len(by_amount) - 1)]
        ),
        "the most frequent variable that is not given": by_amount[-1],  # .45 .39 .08 .12
    }
    affirmed = _affirmed(premises)
    for rule, name in names.items():
        written = amount[name] - 2 * text.count(f"¬{name}")
        for way, balance in (("written", written), ("meant", affirmed[name])):
            if balance:
                answers[f"{rule}, as it is {way} most often"] = "¬" * (balance < 0) + name
            else:
                answers |= {f"{rule}, affirmed": name, f"{rule}, denied": f"¬{name}"}
    for way, balances in (
        ("affirmed", amount),  # .28
        ("as they are meant most often", affirmed),  # .31
    ):
        literals = ["¬" * (balances[name] < 0) + name for name in rarest_first[:2]]
        answers[f"the two rarest variables, {way}"] = " ∨ ".join(literals)
    return answers


def _affirmed(premises: list[str]) -> Counter[str]:
    """Return how much more often each variable is affirmed than denied, by → and by all ¬ before.

    A formula has brackets around each connective but ¬.
    """
    balance: Counter[str] = Counter()

    def read(text: str, sign: int) -> None:
        if text.startswith("¬"):
            read(text[1:], -sign)
        elif text.startswith("("):
            depth = 0
            for place, letter in enumerate(text):
                depth += (letter == "(") - (letter == ")")
                if depth == 1 and letter in "∧∨→":
                    read(text[1:place].strip(), -sign if letter == "→" else sign)
                    read(text[place + 1 : -1].strip(), sign)
        else:
            balance[text] += sign

    for premise in premises:
        read(premise.strip(), 1)
    return balance


def family(entry: Entry) -> object:
    """Keep the shapes of the premises, and how often variables appear; ignore names of variables,
    order of the premises.
    """
    premises = re.findall(r"^\.?\d+\. (.*)$", entry["question"], re.MULTILINE)
    shapes = sorted(re.sub("[A-Z]", "p", premise) for premise in premises)
    return shapes, sorted_amounts(re.findall("[A-Z]", "".join(premises)))


TASK = Task(
    answer=Conclusion(),
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
    limits=(_max_length(2_000), max_depth(40), _connectives, _truth_table),
    shortcuts=shortcuts,
    kept={
        "the rarest variable, as it is meant most often": 0.2,
        "the rarest variable, as it is written most often": 0.2,
        "the rarest variable, affirmed": 0.3,
        "the rarest variable, denied": 0.3,
        "the rarest variable that is not given, as it is meant most often": 0.2,
        "the rarest variable that is not given, as it is written most often": 0.2,
        "the rarest variable that is not given, affirmed": 0.3,
        "the rarest variable that is not given, denied": 0.3,
        "the second rarest variable that is not given, as it is meant most often": 0.2,
        "the second rarest variable that is not given, as it is written most often": 0.2,
        "the second rarest variable that is not given, affirmed": 0.3,
        "the second rarest variable that is not given, denied": 0.3,
        "the most frequent variable that is not given, as it is meant most often": 0.2,
        "the most frequent variable that is not given, as it is written most often": 0.2,
        "the most frequent variable that is not given, affirmed": 0.3,
        "the most frequent variable that is not given, denied": 0.3,
        "the two rarest variables, affirmed": 0.5,
        "the two rarest variables, as they are meant most often": 0.4,
    },
    several_answers=True,
    family=family,
    # As many premises as variables: with more of them, most premises contradict each other or
    # imply nothing new.
    levels=Levels(
        knots={
            "min_vars": [3, 3, 4, 5, 6],
            "max_vars": [3, 4, 5, 6, 7],
            "min_statements": [3, 4, 5, 6, 7],
            "max_statements": [3, 4, 5, 6, 7],
            "min_complexity": [2, 2, 2, 3, 3],
            "max_complexity": [2, 2, 3, 3, 4],
        }
    ),
    accepted={
        "blind": (
            "several conclusions are right, so that one from other premises may "
            "follow from these, too"
        ),
        "wrong": (
            "several conclusions are right, so that one from other premises may "
            "follow from these, too"
        ),
    },
)
