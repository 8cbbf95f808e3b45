"""rgenv/validation/tells.py: a classifier finds what the surface tells, and nothing else."""

from random import Random

import numpy
import pytest

from rgenv.validation.tells import features, tell

ITEMS = 300


def questions(rng: Random, extra: list[str]) -> list[str]:
    """Return a question of random words for each text, with that text somewhere in it."""
    result = []
    for text in extra:
        words = rng.choices(["a", "big", "cat", "dog", "eats", "fish"], k=rng.randint(8, 16))
        words.insert(rng.randrange(len(words)), text)
        result.append("Is it so?\n" + " ".join(words))
    return result


def coins(rng: Random) -> list[str]:
    return rng.choices(["Yes", "No"], k=ITEMS)


def test_random_labels_can_not_be_told() -> None:
    """Labels that have nothing to do with the questions are not predicted."""
    rng = Random(1)
    assert abs(tell(questions(rng, [""] * ITEMS), coins(rng))) < 0.1


@pytest.mark.parametrize(
    ("yes", "no"),
    [("really", "perhaps"), ("####", "##"), ("one two", "one"), ("why\nnot", "why not")],
)
def test_words_characters_and_lengths_tell(yes: str, no: str) -> None:
    """A word, the count of a character, of words or of lines that goes with a label is found."""
    rng = Random(2)
    labels = coins(rng)
    told = questions(rng, [yes if label == "Yes" else no for label in labels])
    assert tell(told, labels) > 0.35


def test_parity_and_ranges_tell() -> None:
    """A label that depends on a count without rising with it is found as well."""
    rng = Random(3)
    counts = [rng.randint(0, 8) for _ in range(ITEMS)]
    labels = ["Yes" if count in (3, 4, 5) else "No" for count in counts]
    assert tell(questions(rng, ["#" * count for count in counts]), labels) > 0.2


def test_last_token_tells() -> None:
    """The last word of the question is looked at by itself."""
    rng = Random(4)
    labels = coins(rng)
    told = [
        f"{q} left right {'left' if label == 'Yes' else 'right'}"
        for q, label in zip(questions(rng, [""] * ITEMS), labels, strict=True)
    ]
    assert tell(told, labels) > 0.4


def test_order_alone_does_not_tell() -> None:
    """What only the order of words decides is a problem to solve, not a tell."""
    rng = Random(5)
    labels = coins(rng)
    told = questions(rng, ["cat eats fish" if x == "Yes" else "fish eats cat" for x in labels])
    assert tell(told, labels) < 0.1


def test_several_labels_are_told_apart() -> None:
    """With three labels, the excess is over the share of the most frequent one."""
    rng = Random(6)
    labels = rng.choices(["red", "green", "blue"], weights=[2, 1, 1], k=ITEMS)
    excess = tell(questions(rng, [f"not-{label}" for label in labels]), labels)
    assert 0.4 < excess < 0.56


def test_the_result_is_the_same_again() -> None:
    """Equal arguments give an equal result, as nothing in it is random."""
    rng = Random(7)
    told, labels = questions(rng, [""] * 60), rng.choices(["Yes", "No"], k=60)
    assert tell(told, labels) == tell(told, labels)


def test_one_label_has_no_tell() -> None:
    """If all labels are equal, nothing is left to predict."""
    assert tell(questions(Random(8), [""] * 20), ["Yes"] * 20) == 0.0


def test_equal_questions_tell_nothing() -> None:
    """Questions without any difference have no features, so nothing can be predicted."""
    assert features(["same"] * 10).shape == (10, 0)
    assert tell(["same"] * 10, ["Yes", "No"] * 5) == 0.0


@pytest.mark.parametrize(("count", "labels"), [(4, 4), (10, 9)])
def test_too_few_questions_are_refused(count: int, labels: int) -> None:
    """Each of the five folds needs a question, and each question a label."""
    with pytest.raises(ValueError, match="labels"):
        tell(["?"] * count, ["Yes"] * labels)


def test_odd_questions_have_features() -> None:
    """Empty questions and any characters give finite numbers."""
    table = features(["", " ", "\n\n", "é❌\x00", "word word"])
    assert table.shape[0] == 5 and numpy.isfinite(table).all()
