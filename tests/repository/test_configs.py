"""configs/: the published experiments, the breadth experiment, and what is recommended."""

import hashlib
import json
from typing import Any

import pytest
import yaml

from rgenv.atropos.options import COMMAND_LINE, Options
from rgenv.pool.pool import WorkerPool
from rgenv.task_names import KNOWN_TASKS, choose_tasks
from tests.support.paths import DATA, ROOT

CONFIGS = ROOT / "configs"
NAMES = sorted(str(p.relative_to(CONFIGS).with_suffix("")) for p in CONFIGS.rglob("*.yaml"))
BREADTH = [1, 4, 16, 64]

PUBLISHED: dict[str, Any] = json.loads((DATA / "published_experiments.json").read_text())
"""What the files of reasoning-gym's repository say; tests/data/README.md has their origin."""

AS_PUBLISHED = {
    "strict_verifiers": False,
    "system_prompt": "deepseek_zero",
    "balance_labels": False,
    "length_penalty": False,
    "mask_too_long_completions": False,
    "min_score_spread": 0.0,
    "ensure_scores_are_not_same": False,
}
"""What a published experiment has, and its corrected twin has not."""


def read(name: str) -> dict[str, Any]:
    """Return the content of a file."""
    content: dict[str, Any] = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text())
    return content


def config_of(name: str) -> Options:
    """Return the configuration that the command line makes of a file."""
    return Options(**{**COMMAND_LINE, **read(name)["env"]})


def trained(config: Options) -> list[str]:
    return choose_tasks(KNOWN_TASKS, config.task_names, config.exclude_tasks)


def mended(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return published parameters without the one that no task has, mini_sudoku's max_n."""
    absent = {"max_n": "max_empty"} if "min_empty" in parameters else {}
    return {absent.get(name, name): value for name, value in parameters.items()}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_is_a_configuration_of_its_own(name: str) -> None:
    """Its keys and tasks exist, and its checkpoints do not mix with those of another file."""
    config = config_of(name)
    tasks = trained(config)
    evaluated = choose_tasks(KNOWN_TASKS, config.eval_tasks) if config.eval_tasks else tasks
    assert config.task_configs.keys() <= {*tasks, *evaluated}
    assert config.task_weights.keys() <= set(tasks)
    assert config.wandb_name == name.replace("/", "_")
    assert set(read(name).get("openai", {})) <= {"model_name"}  # the server is the user's


@pytest.mark.parametrize("name", PUBLISHED)
def test_experiments_have_the_published_values(name: str) -> None:
    """Tasks, weights, parameters, tokens, group and evaluation are those of the paper's files."""
    published, config = PUBLISHED[name], config_of(f"published/{name}")
    tasks = published["tasks"]
    assert set(trained(config)) == set(tasks)
    shares = {task: config.task_weights.get(task, 1.0) for task in tasks}
    for task, given in tasks.items():
        share = given["weight"] / sum(each["weight"] for each in tasks.values())
        assert shares[task] / sum(shares.values()) == pytest.approx(share)
        assert config.task_configs.get(task, {}) == mended(given.get("config", {}))
    assert config.group_size == published["group"]
    assert config.max_token_length == sum(published["tokens"])
    content = read(f"published/{name}")
    models = {content["env"]["tokenizer_name"], content["openai"]["model_name"]}
    assert models == {published["model"]}
    if evaluation := published.get("evaluation"):
        assert set(config.eval_tasks or tasks) == set(evaluation["tasks"])
        assert config.eval_max_tokens == published["tokens"][0] + evaluation["max_tokens"]
        assert config.eval_temperature == evaluation["temperature"]
        assert config.eval_top_p == evaluation["top_p"]
        for task in evaluation["tasks"].keys() - tasks:
            assert config.task_configs.get(task, {}) == evaluation["tasks"][task]


@pytest.mark.parametrize("name", PUBLISHED)
def test_twins_differ_in_what_is_corrected_only(name: str) -> None:
    """A corrected experiment is the published one with our verifiers, answers and rewards."""
    published, corrected = read(f"published/{name}"), read(f"corrected/{name}")
    assert {key: published["env"].pop(key) for key in AS_PUBLISHED} == AS_PUBLISHED
    del published["env"]["wandb_name"], corrected["env"]["wandb_name"]
    assert published == corrected


# Breadth


def test_the_sets_of_the_breadth_experiment_follow_from_the_rule() -> None:
    """In the order of hashes of the seed and their names, the first 20 of their tasks are held out;
    the next 1, 4, 16 and 64 are trained."""
    configs = {count: config_of(f"breadth/{count}") for count in BREADTH}
    tasks = [*configs[64].task_names, *configs[64].eval_tasks]
    digests = {t: hashlib.blake2b(f"251107317 {t}".encode(), digest_size=8) for t in tasks}
    order = sorted(digests, key=lambda task: digests[task].digest())
    for count, config in configs.items():
        assert sorted(config.task_names) == sorted(order[20 : 20 + count])
        assert sorted(config.eval_tasks) == sorted(order[:20])


@pytest.mark.parametrize("name", NAMES)
async def test_problems_have_the_parameters_of_the_file(name: str, pool: WorkerPool) -> None:
    """The generators take them."""
    for task, given in config_of(name).task_configs.items():
        problem = await pool.make(task, 1, config=given)
        assert given.items() <= problem.config.items()
