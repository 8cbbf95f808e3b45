"""rgenv/tasks/answers/mappings.py: each key has one value, whatever the form."""

import pytest

from rgenv.tasks.answers.mappings import pairs

MAPPINGS = [
    '{"A": "1", "B": "2"}',
    "{'A': '1', 'B': '2'}",
    "A: 1\nB: 2",
    "- A = 1\n- B = 2",
    "B=2; A=1",
    "A → 1, B → 2",
    "A is 1, B is 2",
    "A：1，B：2。",
    "(1) A is 1\n(2) B is 2",
    "1: A is 1\n2: B is 2",
    "Step 1: A = 1\nStep 2: B = 2",
    "**1.** A: 1\n**2.** B: 2",
    "**Step 1:** A is 1.\n**Step 2:** B is 2.",
]


@pytest.mark.parametrize("text", MAPPINGS)
def test_pairs_are_read_in_every_form(text: str) -> None:
    """Order, separators, quotes, braces and bullets do not change what belongs to what."""
    assert pairs(text, "[A-Z]", "[0-9]") == {"A": "1", "B": "2"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A=",
        "A=1, A=1",
        "A=1, A=2",
        "A=1=2",
        "A=12",
        "a=1",
        "A=1, or B=2",
        "so A=1",
    ],
)
def test_other_texts_are_no_mappings(text: str) -> None:
    """Repeated keys, prose and other keys or values are refused."""
    assert pairs(text, "[A-Z]", "[0-9]") is None


def test_numbers_before_colons_may_be_keys() -> None:
    """They count lines only where nothing else gives pairs."""
    assert pairs("1: 2\n2: 3", "[0-9]", "[0-9]") == {"1": "2", "2": "3"}
    assert pairs("1: 1=2\n2: 2=3", "[0-9]", "[0-9]") == {"1": "2", "2": "3"}
    assert pairs("(1) 1: 2\n(2) 2: 3", "[0-9]", "[0-9]") == {"1": "2", "2": "3"}
    assert pairs("1: A=1\n3: B=2", "[A-Z]", "[0-9]") is None
