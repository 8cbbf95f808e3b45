"""The columns of data sets as each trainer reads them, with the same type in each row.

Each row has the recipe, from which any rgenv makes the problem again and scores completions.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rgenv.rollouts.saved_lines import SavedGroup, SavedRollout
from rgenv.secrets import hide
from rgenv.text import counted, level_name
from rgenv.types import Message, Problem

Row = dict[str, Any]

CONVENTIONS = ("plain", "verl", "skyrl", "nemo_gym")
"""Whose columns rows of problems may have; ``plain`` is for TRL and for programs of one's own."""


def problem_row(columns: str, problem: Problem, split: str, index: int) -> Row:
    """Return the row of a problem, with its number in its split, in one of `CONVENTIONS`."""
    recipe, level = json.dumps(problem.recipe), level_name(problem.level)
    place = {"split": split, "index": index}
    about = {"answer": problem.answer, "level": level, "source": problem.source}
    asked = {"data_source": f"reasoning_gym/{problem.task}", "prompt": problem.messages}
    tables: dict[str, Row] = {
        "plain": {
            "prompt": problem.messages,
            "answer": problem.answer,
            "task": problem.task,
            "level": level,
            "recipe": recipe,
            "source": problem.source,
        },
        "verl": {
            **asked,
            "ability": "reasoning",
            "reward_model": {"style": "rule", "ground_truth": recipe},
            "extra_info": place | about,
        },
        "skyrl": {
            **asked,
            "env_class": "rgenv",
            "reward_spec": {"method": "rule", "ground_truth": recipe},
            "extra_info": place | about,
        },
        "nemo_gym": {
            "responses_create_params": {"input": problem.messages},
            "question": problem.question,
            "answer": problem.answer,
            "recipe": recipe,
        },
    }
    return tables[columns]


EXAMPLE = Problem("gcd", 0, None, {}, question="", answer="")
"""A problem whose rows have the types of all: some problems have no reference answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion that may be exported.

    Attributes:
        index: its place in the group.
        reward: the score if the file has no reward.
        text: all that the model wrote, after the tag with which the prompt opened its thinking.
    """

    index: int
    score: float
    reward: float
    text: str


def completions_row(group: SavedGroup, prompt: list[Message], chosen: Sequence[Completion]) -> Row:
    """Return the row of one completion, or of a better and a worse one, in TRL's columns."""
    answers = [{"role": "assistant", "content": one.text} for one in chosen]
    if len(chosen) == 1:
        [one] = chosen
        content: Row = {"messages": [*prompt, *answers], "score": one.score, "index": one.index}
    else:
        better, worse = chosen
        content = {
            "prompt": prompt,
            "chosen": answers[:1],
            "rejected": answers[1:],
            "score_chosen": better.score,
            "score_rejected": worse.score,
            "index_chosen": better.index,
            "index_rejected": worse.index,
        }
    return content | {
        "task": unicode_only(group.task),
        "level": level_name(group.level),
        "recipe": json.dumps({"level": group.level, **group.recipe}),
        "group": unicode_only(group.group),
    }


def unicode_only(text: str) -> str:
    """Return a text without halves of surrogate pairs, which no file format can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_EMPTY = SavedGroup("rollouts", [SavedRollout()]), [{"role": "", "content": ""}]
COMPLETIONS, PAIRS = (
    completions_row(*_EMPTY, [Completion(0, 0.0, 0.0, "")] * size) for size in (1, 2)
)
"""Rows that have the types of all."""


CARD = """\
---
tags: [rl-environment, reinforcement-learning, reasoning, reasoning-gym, verifiers, rgenv]
configs:
- config_name: default
  data_files:
{files}
---
# Problems of reasoning-gym

{sizes} of [reasoning-gym](https://github.com/open-thought/reasoning-gym), made by rgenv {version}.
Each row has a `recipe`, which makes the problem again and scores what a model answers:

```python
from rgenv import ReasoningGym

with ReasoningGym({arguments}) as gym:
    gym.score(row["recipe"], ["<answer>4</answer>"])  # a list of numbers from 0 to 1
```

The split `held_out` has no problem of the split `train`, nor one that differs only in names, order
or orientation. `source` is the hash of the code that made a problem: another release of
reasoning-gym may make another one from the same recipe. The data were made by

```bash
{command}
```
"""
"""The page of a data set on a hub, which finds it by its tags."""


def card(
    counts: Mapping[str, int],
    *,
    ending: str,
    command: str,
    version: str,
    task_modules: Sequence[str] = (),
) -> str:
    """Return the card of a data set.

    Args:
        counts: split -> number of problems.
        command: what made the data.
    """
    return CARD.format(
        files="\n".join(f"  - {{split: {one}, path: data/{one}-*{ending}}}" for one in counts),
        sizes=" and ".join(f"{counted(n, 'problem')} (`{one}`)" for one, n in counts.items()),
        version=version,
        arguments=f"task_modules={[*task_modules]}" if task_modules else "",
        command=hide(command),
    )
