"""rgenv/types.py: the value types that the packages exchange."""

from rgenv.types import Problem


def test_the_prompt_hash_depends_on_the_question_alone() -> None:
    """Equal questions have equal hashes, also with unpaired surrogates; others differ."""
    one, two, other = (
        Problem("gcd", seed, None, {}, question, "1")
        for seed, question in ((1, "a\ud800"), (2, "a\ud800"), (1, "b"))
    )
    assert one.prompt_hash == two.prompt_hash != other.prompt_hash
    assert 0 <= one.prompt_hash < 1 << 64


def test_the_prompt_is_the_question_with_its_clarification() -> None:
    """A clarification follows the question; the question itself is not changed."""
    plain = Problem("gcd", 1, None, {}, "Find the gcd.", "1")
    added = Problem("gcd", 1, None, {}, "Find the gcd.", "1", clarification="Answer with a number.")
    assert plain.prompt == str(plain) == plain.question == added.question
    assert added.prompt == str(added) == "Find the gcd.\n\nAnswer with a number."
    assert plain.prompt_hash == added.prompt_hash


def test_a_recipe_has_the_seed_that_was_drawn() -> None:
    """The key has the seed that was asked for, and the recipe the one that makes the problem."""
    problem = Problem("gcd", 7, 0.5, {"max_value": 9}, "?", "1", drawn_seed=1234)
    assert problem.key == ("gcd", 7, 0.5)
    recipe = {"task": "gcd", "config": {"max_value": 9}, "seed": 1234, "level": 0.5}
    assert problem.recipe == recipe
    assert Problem("gcd", 7, None, {}, "?", "1").recipe["seed"] == 7
