"""rgenv/tasks.py: tasks, and the choice among them."""

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.errors import UnknownTask
from rgenv.tasks import KNOWN_TASKS, choose_tasks
from rgenv.types import Problem


def test_the_fallback_list_is_the_registry() -> None:
    """The list kept for an unreadable registry has its names and categories."""
    registry = {name: made[0].__module__.split(".")[1] for name, made in DATASETS.items()}
    assert registry == KNOWN_TASKS


def test_a_prompt_is_known_by_its_question_alone() -> None:
    """Equal questions hash alike whatever made them, others differently, odd characters too."""
    one, two, other = (
        Problem("gcd", seed, None, {}, question, "1")
        for seed, question in ((1, "a\ud800"), (2, "a\ud800"), (1, "b"))
    )
    assert one.prompt_hash == two.prompt_hash != other.prompt_hash
    assert 0 <= one.prompt_hash < 1 << 64


def test_tasks_are_chosen_by_name_category_and_pattern() -> None:
    """All three kinds of word may be mixed, and exclusion wins."""
    chosen = choose_tasks(KNOWN_TASKS, ["algebra", "gcd", "*_sorting"], ["simple_*"])
    assert "gcd" in chosen and "word_sorting" in chosen and "polynomial_equations" in chosen
    assert "simple_equations" not in chosen and "lcm" not in chosen
    assert chosen == sorted(chosen)


def test_no_choice_means_every_task_that_needs_no_configuration() -> None:
    """105 of 106: composite is served only when its data sets are configured."""
    assert len(choose_tasks(KNOWN_TASKS)) == 105
    assert "composite" in choose_tasks(KNOWN_TASKS, configured=["composite"])
    with pytest.raises(ValueError, match=r"task_configs\.composite"):
        choose_tasks(KNOWN_TASKS, ["composite"])


def test_an_unknown_task_suggests_the_nearest() -> None:
    """A typing mistake is answered with the name that was meant."""
    with pytest.raises(UnknownTask, match=r"chain_sun.*chain_sum"):
        choose_tasks(KNOWN_TASKS, ["chain_sun"])
    with pytest.raises(UnknownTask, match=r"sudoko"):
        choose_tasks(KNOWN_TASKS, [], ["sudoko"])


def test_excluding_everything_is_an_error() -> None:
    """An empty choice is said, not served."""
    with pytest.raises(ValueError, match="No task is left"):
        choose_tasks(KNOWN_TASKS, ["gcd"], ["arithmetic"])
