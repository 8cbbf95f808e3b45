"""rgenv.saved.lines.py: what a saved line says."""

import json

import pytest

from rgenv.rollouts.group import scored_data
from rgenv.saved.lines import SavedGroup, read_line
from tests.support import rollouts


@pytest.mark.parametrize("hardened", [False, True])
def test_a_group_of_the_trainer_says_what_makes_its_problem_again(hardened: bool) -> None:
    problem = rollouts.problem(hardened=hardened)
    line = scored_data(rollouts.group(problem, [1.0, 0.0]))
    found = read_line(json.dumps(line).encode(), "here")
    assert isinstance(found, SavedGroup)
    assert found.recipe.items() <= problem.recipe.items()
    assert found.recipe.get("problems") == problem.recipe.get("problems")
