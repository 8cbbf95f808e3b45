"""A task of the user's own, from its module to its score."""

from rgenv import ReasoningGym


def test_an_own_task_is_made_scored_and_made_again() -> None:
    """Its kind of answer is read, its levels move, and its recipe names its source."""
    with ReasoningGym(task_modules=["examples/own_task.py"], workers=1) as gym:
        problem = gym.make("visitors", seed=3, level=0.5)
        answers = [f"<answer>**{problem.answer} visitors**</answer>", "<answer>many</answer>"]
        assert gym.score(problem, answers) == [1.0, 0.0]
        assert gym.make(**problem.recipe) == problem and problem.recipe["source"]
        assert gym.make("visitors", seed=3, level=1.0).config != problem.config
