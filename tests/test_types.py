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
