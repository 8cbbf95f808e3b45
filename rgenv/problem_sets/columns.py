"""Rows of problems in the columns that each trainer reads, and the card of such a data set.

Each row has the recipe, from which any rgenv makes the problem again and scores completions.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rgenv.secrets import hide
from rgenv.text import level_name
from rgenv.types import Problem

Row = dict[str, Any]

Columns = Mapping[str, Any]
"""Name -> type: a type of `datasets.Value`, a list with the type of its parts, or a mapping."""

MESSAGES = [{"role": "string", "content": "string"}]


@dataclass(frozen=True)
class Convention:
    """How a trainer wants its rows.

    Attributes:
        row: returns the row of a problem, from its split and its number in the split.
        columns: name -> type.
    """

    row: Callable[[Problem, str, int], Row]
    columns: Columns


def _recipe(problem: Problem) -> str:
    return json.dumps(problem.recipe)


def _plain(problem: Problem, split: str, index: int) -> Row:
    return {
        "prompt": problem.messages,
        "answer": problem.answer,
        "task": problem.task,
        "level": level_name(problem.level),
        "recipe": _recipe(problem),
        "source": problem.source,
    }


def _verl(problem: Problem, split: str, index: int) -> Row:
    rule = {"style": "rule", "ground_truth": _recipe(problem)}
    return _rule_row(problem, split, index, ability="reasoning", reward_model=rule)


def _skyrl(problem: Problem, split: str, index: int) -> Row:
    rule = {"method": "rule", "ground_truth": _recipe(problem)}
    return _rule_row(problem, split, index, env_class="rgenv", reward_spec=rule)


def _rule_row(problem: Problem, split: str, index: int, **rule: Any) -> Row:
    """Return a row whose trainer scores by a rule; SkyRL took most of its columns from verl."""
    return {
        "data_source": f"reasoning_gym/{problem.task}",
        "prompt": problem.messages,
        **rule,
        "extra_info": {
            "split": split,
            "index": index,
            "answer": problem.answer,
            "level": level_name(problem.level),
            "source": problem.source,
        },
    }


def _nemo_gym(problem: Problem, split: str, index: int) -> Row:
    return {
        "responses_create_params": {"input": problem.messages},
        "question": problem.question,
        "answer": problem.answer,
        "recipe": _recipe(problem),
    }


def _rule_columns(**rule: Any) -> Columns:
    texts = dict.fromkeys(("answer", "level", "source"), "string")
    return {
        "data_source": "string",
        "prompt": MESSAGES,
        **rule,
        "extra_info": {"split": "string", "index": "int64", **texts},
    }


CONVENTIONS: Mapping[str, Convention] = {
    "plain": Convention(
        _plain,
        {
            "prompt": MESSAGES,
            **dict.fromkeys(("answer", "task", "level", "recipe", "source"), "string"),
        },
    ),
    "verl": Convention(
        _verl,
        _rule_columns(ability="string", reward_model={"style": "string", "ground_truth": "string"}),
    ),
    "skyrl": Convention(
        _skyrl,
        _rule_columns(
            env_class="string", reward_spec={"method": "string", "ground_truth": "string"}
        ),
    ),
    "nemo_gym": Convention(
        _nemo_gym,
        {
            "responses_create_params": {"input": MESSAGES},
            **dict.fromkeys(("question", "answer", "recipe"), "string"),
        },
    ),
}
"""Name -> convention; ``plain`` is for TRL and for programs of one's own."""


CARD = """\
---
tags: [rl-environment, reinforcement-learning, reasoning, reasoning-gym, verifiers, rgenv]
configs:
- config_name: default
  data_files:
{files}
---
# Problems of reasoning-gym

Problems of [reasoning-gym](https://github.com/open-thought/reasoning-gym), made by rgenv {version}.
Each row has a `recipe`, which makes the problem again and scores what a model answers:

```python
from rgenv import ReasoningGym

with ReasoningGym() as gym:
    gym.score(row["recipe"], ["<answer>4</answer>"])  # a list of numbers from 0 to 1
```

The split `held_out` has no problem of the split `train`, nor one that differs only in names, order
or orientation. `source` is the hash of the code that made a problem: another release of
reasoning-gym may make another one from the same recipe. The data were made by

```bash
{command}
```

| task | {splits} |
| --- | {rules} |
{rows}
"""
"""The page of a data set on a hub, which finds it by its tags."""


def card(counts: Mapping[str, Counter[str]], *, ending: str, command: str, version: str) -> str:
    """Return the card of a data set.

    Args:
        counts: split -> task -> number of problems.
        command: what made the data.
    """
    files = "\n".join(f"  - {{split: {split}, path: data/{split}-*{ending}}}" for split in counts)
    tasks = sorted(set().union(*counts.values()))
    rows = [[task, *(f"{found[task]:,}" for found in counts.values())] for task in tasks]
    return CARD.format(
        files=files,
        version=version,
        command=hide(command),
        splits=" | ".join(counts),
        rules=" | ".join("---" for _ in counts),
        rows="\n".join(f"| {' | '.join(row)} |" for row in rows),
    )
