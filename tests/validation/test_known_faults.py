"""rgenv/validation/known_faults.py: what is accepted, and why."""

from typing import get_args

from rgenv.task_names import KNOWN_TASKS
from rgenv.validation.known_faults import COMPUTED, KNOWN_FAULTS, known_reason
from rgenv.validation.rules import Rule


def test_every_known_fault_is_of_a_real_task_and_has_a_reason() -> None:
    """The table of known faults names existing tasks, and each reason is a sentence."""
    for task, rules in KNOWN_FAULTS.items():
        assert task in KNOWN_TASKS and rules and rules.keys() <= set(get_args(Rule))
        assert all(len(reason) > 20 for reason in rules.values())


def test_a_task_breaks_only_the_rules_it_is_listed_for() -> None:
    """A computed answer excuses a tell, and nothing else."""
    for task, reason in COMPUTED.items():
        assert known_reason(task, "tell") == reason
        assert known_reason(task, "shortcut") is None
    assert known_reason("unknown", "tell") is None
