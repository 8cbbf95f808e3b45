"""Invariants of single tasks, on questions written by hand."""

from rgenv.tasks.algorithmic import caesar_cipher
from rgenv.tasks.cognition import rubiks_cube
from rgenv.tasks.logic import knights_knaves, syllogism
from rgenv.tasks.probability import coin_flip


def asked(question: str, **metadata: object) -> dict[str, object]:
    return {"question": question, "answer": "", "metadata": metadata}


def test_a_syllogism_has_no_terms_and_no_order_of_premises() -> None:
    """Another quantifier or figure makes another invariant."""

    def text(one: str, two: str, conclusion: str) -> dict[str, object]:
        return asked(f"1. {one}\n2. {two}\n\nDoes it logically follow that:\n{conclusion}?\n")

    first = syllogism.family(text("Some cats are dogs", "All dogs are men", "Some cats are men"))
    same = syllogism.family(text("All men are bees", "Some ants are men", "Some ants are bees"))
    other = syllogism.family(text("Some cats are dogs", "All men are dogs", "Some cats are men"))
    assert first == same != other


def test_a_riddle_has_no_people() -> None:
    """Statements keep their connectives."""
    one = asked("", statements=(("not", ("lying", 2)), ("telling-truth", 0)))
    two = asked("", statements=(("telling-truth", 1), ("not", ("lying", 0))))
    three = asked("", statements=(("lying", 1), ("not", ("lying", 0))))
    assert knights_knaves.family(one) == knights_knaves.family(two)
    assert knights_knaves.family(one) != knights_knaves.family(three)


def test_flips_have_no_sides() -> None:
    """Two heads in seven are as five tails."""
    two, five, three = (
        coin_flip.family(asked(f"the probability of exactly {k} heads in 7 fair coin flips?"))
        for k in (2, 5, 3)
    )
    assert two == five != three


def test_a_cipher_has_no_rotation() -> None:
    """Words keep the pattern of their letters."""
    one, same, other = (
        caesar_cipher.family(asked(f"cipher text: {text}. Provide only"))
        for text in ("NOON AB", "BC OPPO", "ABCD AB")
    )
    assert one == same != other


def test_a_cube_has_no_orientation() -> None:
    """Faces may change places; a cube with another sticker differs."""

    def cube(faces: str) -> dict[str, object]:
        top, left, front, right, back, bottom = (
            [faces[i : i + 2], faces[i + 2 : i + 4]] for i in range(0, 24, 4)
        )
        middle = [list(left[n] + front[n] + right[n] + back[n]) for n in (0, 1)]
        rows = [*map(list, top), *middle, *map(list, bottom)]
        return asked("A cube:\n" + "\n".join(" ".join(row) for row in rows) + "\nSolve it.")

    one = rubiks_cube.family(cube("RRRGBBBBYYYYOOOOWWWWGGGR"))
    turned = rubiks_cube.family(cube("GGGRBBBBWWWWOOOOYYYYRGRR"))
    other = rubiks_cube.family(cube("RRGGBBBBYYYYOOOOWWWWGGRR"))
    assert one == turned != other
