"""TRL (1.9 and later): data set, reward function and callback of GRPOTrainer and RLOOTrainer.

With several processes, give the gym of each the same arguments: all of them read the same stream,
and each takes its share of every batch.

TRL's own command takes rows of ``export --problems``, and `reward` by its name. The variable
``RGENV`` has the arguments of its `ReasoningGym` as JSON, and ``"thinking_opened": true`` if the
chat template opens the thinking.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from rgenv.adapters import shared
from rgenv.errors import BadUsage, require_extra
from rgenv.gym.clients import ReasoningGym
from rgenv.gym.recipes import LevelChoice
from rgenv.rollouts.rewards import trainer_rewards
from rgenv.text import content_text
from rgenv.types import Problem

require_extra("trl", ["accelerate", "datasets", "transformers", "trl"], "rgenv.adapters.trl")

from accelerate import PartialState
from accelerate.utils import gather_object
from datasets import Dataset, IterableDataset
from transformers import TrainerCallback
from transformers.trainer_callback import ExportableState


class GRPOProblems(TrainerCallback, ExportableState):
    """The problems of a gym, at levels as in `ReasoningGym.problems`, and their rewards."""

    def __init__(self, gym: ReasoningGym, level: LevelChoice = "curriculum") -> None:
        self._gym, self._level = gym, level
        self._max_length = 0
        self._opening = ""  # what the chat template writes of the completion's thinking
        self.dataset = stream(gym, self._rows)

    def _rows(self) -> Iterator[dict[str, Any]]:
        self._require_callback()  # TRL draws a batch before it generates, which takes long
        yield from (_row(one, train=True) for one in self._gym.problems(level=self._level))

    def _require_callback(self) -> None:
        if not self._max_length:
            raise BadUsage("The trainer needs the callback, too: pass callbacks=[problems].")

    def held_out(self, per_task: int, level: float | None = None) -> Dataset:
        """Return evaluation problems of the gym's tasks, for `eval_dataset`."""
        found = (self._gym.held_out(task, per_task, level) for task in self._gym.task_names)
        return Dataset.from_list([_row(p, train=False) for problems in found for p in problems])

    def reward(self, completions: Any, completion_ids: Any, **columns: Any) -> list[float | None]:
        """Score a batch; scores of a group that differ by noise count as equal.

        A completion whose verifier failed has None, which TRL gives no advantage. Processes
        exchange their scores, so that each gym learns from all groups, and whole ones.
        """
        self._require_callback()
        if not {"recipe", "train"} <= columns.keys():
            raise BadUsage("The data set has no recipes: train on problems.dataset.")
        texts = [_text(completion, self._opening) for completion in completions]
        verdicts = self._gym.verdicts_many(zip(columns["recipe"], texts, strict=True))
        keys = zip(columns["recipe"], columns["train"], strict=True)
        shares = gather_object([list(zip(keys, verdicts, map(len, completion_ids), strict=True))])
        groups = itertools.groupby(itertools.chain(*shares), key=lambda row: row[0])
        rewards = [reward for key, group in groups for reward in self._learn(key, list(group))]
        first = sum(len(share) for share in shares[: PartialState().process_index])
        return rewards[first : first + len(texts)]

    def _learn(self, key: tuple[str, bool], rows: list[Any]) -> list[float | None]:
        recipe, train = key
        _, verdicts, tokens = zip(*rows, strict=True)
        scores, failed = [v.score for v in verdicts], [v.failed for v in verdicts]
        reflecting = [verdict.reflects_model for verdict in verdicts]
        if train and any(reflecting):
            cut = [count >= self._max_length for count in tokens]
            told = itertools.compress(scores, reflecting), itertools.compress(cut, reflecting)
            self._gym.observe(recipe, *told)
        rewards = trainer_rewards(scores, failed, min_spread=self._gym.settings.min_score_spread)
        return [None if no else reward for no, reward in zip(failed, rewards, strict=True)]

    def on_init_end(self, args: Any, *_: Any, processing_class: Any = None, **__: Any) -> None:
        """Check the trainer's arguments; remember its token limit, and how its prompts end."""
        if args.shuffle_dataset:
            raise BadUsage("Set shuffle_dataset=False, or TRL draws 1,000 problems in advance.")
        args.ignore_data_skip = True  # a resumed stream is where it stopped
        self._max_length = args.max_completion_length
        if processing_class is not None:
            how = dict(getattr(args, "chat_template_kwargs", None) or {}, tokenize=False)
            prompt = processing_class.apply_chat_template(
                self._gym.settings.dialogue.messages(""), add_generation_prompt=True, **how
            )
            self._opening = self._gym.settings.dialogue.reading.opening(prompt)

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint keeps."""
        return {"gym": self._gym.state_dict()}

    def on_train_begin(self, args: Any, state: Any, *_: Any, **__: Any) -> None:
        """Go on where the checkpoint was saved, if the trainer resumes from one."""
        saved = state.stateful_callbacks.setdefault(type(self).__name__, self.state())
        if state.global_step:
            self._gym.load_state_dict(saved["gym"])


def stream(gym: ReasoningGym, rows: Callable[[], Iterator[dict[str, Any]]]) -> IterableDataset:
    """Return rows of training problems as a data set without end."""
    if gym.settings.num_replicas > 1:
        raise BadUsage("TRL's processes share one stream: leave replica_id and num_replicas out.")
    return IterableDataset.from_generator(_Unpickled(rows))


class _Unpickled(functools.partial[Iterator[dict[str, Any]]]):
    """Calls what `datasets` would pickle, to name the data set."""

    def __reduce__(self) -> tuple[Any, ...]:
        return object, ()


def _row(problem: Problem, *, train: bool) -> dict[str, Any]:
    return {"prompt": problem.messages, "recipe": json.dumps(problem.recipe), "train": train}


def reward(completions: Any, recipe: list[str], **_: Any) -> list[float | None]:
    """Score a batch of rows that have a recipe; no curriculum learns from it."""
    settings = json.loads(os.environ.get("RGENV", "{}"))
    opening = "<think>" if settings.pop("thinking_opened", False) else ""
    texts = [_text(completion, opening) for completion in completions]
    verdicts = shared(ReasoningGym, **settings).verdicts_many(zip(recipe, texts, strict=True))
    return [None if verdict.failed else verdict.score for verdict in verdicts]


def _text(completion: Any, opening: str = "") -> str:
    """Return what the model wrote last, with what the template opened; a tool's words aside."""
    if isinstance(completion, str):
        return opening + completion
    last = completion[-1] if completion else {}
    if last.get("role", "assistant") != "assistant":
        return ""
    text = content_text(last.get("content"))
    is_apart = {"reasoning_content", "reasoning", "thinking"} & last.keys()
    return text if is_apart else opening + text
