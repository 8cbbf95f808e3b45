from functools import partial

from rgenv.evaluation.examples import failures
from tests.support.samples import sample

wrong = partial(sample, score=0.0)


def test_failures_come_from_many_tasks_with_wrong_answers_first() -> None:
    """A task with many failures does not displace the others."""
    run = [
        *(wrong("gcd", n) for n in range(50)),
        wrong("lcm", 0, verdict="no_answer"),
        wrong("lcm", 1),
        sample("dice", 0, None),
        wrong("products", 0, verdict="timeout"),
        sample("count_bits", 0, 1.0),
    ]
    found = failures(run, each=6)["arithmetic"]
    assert found.total == 54
    shown = [(f.task, f.verdict) for f in found.chosen]
    assert set(shown[:2]) == {("gcd", "scored"), ("lcm", "scored")}
    assert shown[2:] == [
        ("products", "timeout"),
        ("dice", "failed"),
        ("gcd", "scored"),
        ("lcm", "no_answer"),
    ]
    assert failures([sample(score=1.0)]) == {}
