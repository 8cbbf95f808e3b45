"""rgenv/verifiers: ours, for tasks whose own verifier can be fooled."""

from rgenv.verifiers import verify


def test_a_task_without_a_verifier_of_ours_has_the_librarys() -> None:
    """What is not known to be wrong stays as the library judges it."""
    assert verify("gcd_of_another_library", "4", {}, lambda answer: 0.25) == 0.25
