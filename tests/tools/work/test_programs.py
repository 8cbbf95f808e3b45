"""Statements counted by hand."""

import pytest

from rgenv.tasks.code import bf, codeio

LOOP = """
int main() {
    int acc = 0;
    int target = 19;
    int x = 2;
    int y = 3;
    while (acc < target) {
        acc = acc + x;
        acc = acc + y;
    }
    printint(acc);
}
"""


def test_the_letters_of_a_word_count() -> None:
    """A program that prints a word has one statement for each letter."""
    assert bf.run_bf('int main() {\n    print("prime");\n}') == ("prime", 5)


def test_each_turn_of_a_loop_counts() -> None:
    """Four turns of three statements follow five others."""
    assert bf.run_bf(LOOP) == ("20", 5 + 4 * 3)


def test_cells_wrap_at_256() -> None:
    """A target of 260 is a target of 4."""
    assert bf.run_bf(LOOP.replace("19", "260")) == ("5", 5 + 3)


def test_a_program_that_never_ends_raises() -> None:
    """Twos and fours never make 255."""
    with pytest.raises(ValueError, match="never ends"):
        bf.run_bf(LOOP.replace("19", "255").replace("y = 3", "y = 4"))


def test_loops_weigh_more() -> None:
    """What is in a loop counts three times, and nine times in two."""

    def weight(code: str) -> float:
        return codeio.work({"question": f"Tip: not copy spans of code directly.\n\n{code}"})

    assert weight("a = 1 + 2") == 2
    assert weight("for i in x:\n    a = 1 + 2") == 6
    assert weight("for i in x:\n    for j in y:\n        a = 1 + 2") == 18
