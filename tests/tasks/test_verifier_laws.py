"""Credit grows with what is right, and a conclusion is right in any writing."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reasoning_gym.logic.propositional_logic import Expression

from rgenv.tasks.logic.propositional_logic import is_inferred, parse, truth_table, variable_tables
from rgenv.tasks.verifying import credit_above

SHARES = st.floats(0.0, 1.0)


@given(SHARES, SHARES, st.floats(0.0, 0.99))
def test_rescaling_keeps_the_order(one: float, other: float, blind: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= credit_above(low, blind) <= credit_above(high, blind) <= 1.0
    assert credit_above(1.0, blind) == 1.0 and credit_above(blind, blind) == 0.0
    assert credit_above(0.5) == 0.0


FORMULAS = st.recursive(
    st.sampled_from("PQR"),
    lambda inner: st.one_of(
        inner.map("¬({})".format),
        st.tuples(inner, st.sampled_from("∧∨→↔"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
    ),
    max_leaves=6,
)
TABLES = variable_tables(list("PQR"))
PREMISES = st.lists(FORMULAS, min_size=1, max_size=4)


@given(PREMISES, st.lists(st.sampled_from("PQR"), min_size=1, unique=True), st.data())
def test_a_clause_is_inferred_in_any_writing(
    premises: list[str], names: list[str], data: st.DataObject
) -> None:
    known = [truth_table(parse(premise), TABLES) for premise in premises]
    literals = [data.draw(st.sampled_from(["", "¬"])) + name for name in names]
    split = data.draw(st.integers(1, len(literals)))
    denied = [f"¬{literal}".replace("¬¬", "") for literal in literals]
    writings = [" ∨ ".join(literals), " ∨ ".join(literals[::-1]), f"¬({' ∧ '.join(denied)})"]
    if split < len(literals):
        writings.append(f"({' ∧ '.join(denied[:split])}) → ({' ∨ '.join(literals[split:])})")
        writings.append(" → (".join([*denied[:-1], literals[-1]]) + ")" * (len(literals) - 1))
    (table,) = {truth_table(parse(text), TABLES) for text in writings}
    against = [row for row in range(8) if not table >> row & 1]
    cases = [[bool(premise >> row & 1) for premise in known] for row in range(8)]
    right = (
        any(map(all, cases))
        and not any(all(cases[row]) for row in against)
        and all(any(cases[row][i] for row in against) for i in range(len(known)))
    )
    assert {is_inferred(parse(text), known, TABLES) for text in writings} == {right}


@pytest.mark.parametrize(
    "text", ["P ∧ Q", "P ↔ Q", "P ∨ P", "P ∨ ¬P", "(P ∧ Q) ∨ R", "P → (Q ∧ R)", "¬(P → Q)"]
)
def test_what_is_not_one_clause_is_not_inferred(text: str) -> None:
    known = [truth_table(parse(each), TABLES) for each in ("P ∨ Q", "Q → P", "Q ∨ R", "R → Q")]
    assert is_inferred(parse("P"), known, TABLES) and is_inferred(parse("Q"), known, TABLES)
    assert not is_inferred(parse(text), known, TABLES)


@given(FORMULAS)
@example("P → Q → R")
@example("¬P ∧ Q ∨ R")
@example("P ↔ Q ∧ R → P")
@example("P∨Q∧¬R")
def test_formulas_are_parsed_as_in_the_library(text: str) -> None:
    theirs = Expression.from_string(text)
    for row in range(8):
        values = {name: bool(row >> place & 1) for place, name in enumerate("PQR")}
        assert bool(truth_table(parse(text), TABLES) >> row & 1) == theirs.evaluate(values)
