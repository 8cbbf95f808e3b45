"""Checks of the values of single options, beyond their types, and of the methods of a subclass.

None is accepted by all. What determines problems and scores is checked as in `rgenv.gym.settings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from atroposlib.envs.server_handling.server_baseline import VALID_REASONING_EFFORTS

from rgenv.errors import BadUsage
from rgenv.gym import settings
from rgenv.gym.settings import Check, between
from rgenv.inference.chat_templates import chat_template
from rgenv.runtime.preflight import address_problem, file_on_path

MAX_NAME = 180
"""Bytes of the name of a run; most file systems allow 255, and replica and suffixes follow."""

SET_BY_US = {"model", "messages", "n", "stream"}
"""Parameters of evaluation requests that the environment sets."""


def _address(value: str) -> None:
    if (problem := address_problem(value)) is not None:
        raise ValueError(problem)


def _not_empty(value: str, remedy: str) -> None:
    if not value.strip():
        raise ValueError(f"is empty: {remedy}, or leave it out")


def _folder(value: str) -> None:
    _not_empty(value, "name a folder")
    if (file := file_on_path(Path(value))) is not None:
        raise ValueError(f"{file} is a file, where a folder is needed")


def _existing(value: str) -> None:
    _not_empty(value, "name a folder")
    if not Path(value).is_dir():
        raise ValueError(f"there is no folder {value!r}: name that of an evaluation")


def _file(value: str) -> None:
    _not_empty(value, "name a file")
    if Path(value).is_dir():
        raise ValueError(f"{value!r} is a folder: name a file in it")
    _folder(str(Path(value).parent))


def _tokenizer(value: str) -> None:
    _not_empty(value, "name a model of the hub or a folder with tokenizer.json")
    is_path = value.startswith((".", "/", "~")) or value.count("/") > 1
    if is_path and not Path(value).expanduser().is_dir():
        raise ValueError(f"there is no folder {value!r}, and a model of the hub has no such name")


def _run_name(value: str) -> None:
    _not_empty(value, "name the run")
    if ".." in Path(value).parts or Path(value).is_absolute() or len(value.encode()) > MAX_NAME:
        raise ValueError(
            f"a folder is called after it: write at most {MAX_NAME} letters, and a relative path"
        )


def _effort(value: str) -> None:
    if value not in VALID_REASONING_EFFORTS:
        choices = ", ".join(sorted(VALID_REASONING_EFFORTS))
        raise ValueError(f"must be one of {choices}, not {value!r}")


def _share(value: float) -> None:
    if not 0 < value <= 1:
        raise ValueError(f"must be a share of the batch in (0, 1], not {value:g}")


def _request(value: Mapping[str, Any]) -> None:
    if ours := SET_BY_US & set(value):
        raise ValueError(f"{min(ours)} is set by the environment; leave it out")


CHECKS: dict[str, Check] = {
    "group_size": between(1, 4096),
    "max_token_length": between(1),
    "max_num_workers": between(1, 10**6, special=-1),
    "max_num_workers_per_node": between(1, 10**6),
    "max_eval_workers": between(1, 10**6),
    "max_batches_offpolicy": between(1, 10**6),
    "eval_limit_ratio": between(0, 1),
    "min_items_sent_before_logging": between(-1),
    "num_eval_samples_per_task": between(1, 10**6),
    "batch_size": between(1, 10**6, special=-1),
    "max_prompt_tokens": between(1),
    "num_eval_tasks": between(0),
    "eval_max_tokens": between(1),
    "eval_limit": between(1),
    "temperature": between(0),
    "eval_temperature": between(0),
    "startup_timeout": settings.CHECKS["scoring_timeout"],
    "outage_patience": settings.CHECKS["scoring_timeout"],
    "total_steps": between(1, special=-1),
    "steps_per_eval": between(0, special=-1),
    "worker_timeout": between(1, special=-1),
    "inference_weight": between(0, special=-1),
    "num_rollouts_to_keep": between(1, 10**6),
    "num_rollouts_per_group_for_logging": between(0, 4096, special=-1),
    "min_batch_allocation": _share,
    "reasoning_effort": _effort,
    "tokenizer_name": _tokenizer,
    "chat_template": chat_template,
    "rollout_server_url": _address,
    "data_dumps_dir": _folder,
    "data_dir_to_save_evals": _folder,
    "profile_dir": _folder,
    "eval_compare": _existing,
    "wandb_name": _run_name,
    "data_path_to_save_groups": _file,
    "eval_request": _request,
    **{name: check for name, check in settings.CHECKS.items() if name != "workers"},
    "scoring_workers": settings.CHECKS["workers"],
}
"""Option -> the check of its value."""

NOT_CALLED = {
    "collect_trajectory": ("collect_trajectories", "override collect_trajectories"),
    "evaluate_log": ("evaluate", "override evaluate"),
    "_post_json_with_compression": (
        "_send_scored_data_to_api",
        "override _send_scored_data_to_api",
    ),
    "score": (
        "collect_trajectories",
        "override collect_trajectories, or write a task of your own (docs/own_tasks.md)",
    ),
    "_get_complexity_params_for_task": (
        "get_next_item",
        "set task_configs, or give a task of your own levels (docs/own_tasks.md)",
    ),
    "_adjust_task_complexity": (
        "get_next_item",
        "set complexity_mode, curriculum_target_accuracy and start_levels",
    ),
}
"""Hook of Atropos or of the reference that nothing calls here -> the hook that may call it in a
subclass that overrides both, and what to do instead."""


def require_called(cls: type) -> None:
    """Check that no class before Atropos' own overrides a hook that nothing calls.

    Raises:
        BadUsage: one does.
    """
    mine = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "atroposlib"]
    for name, (caller, instead) in NOT_CALLED.items():
        if any(name in base.__dict__ for base in mine) and not _overrides(cls, caller):
            raise BadUsage(f"Nothing calls {cls.__name__}.{name}: {instead}.")


def _overrides(cls: type, name: str) -> bool:
    """Return whether a subclass of `ReasoningGymEnv` has a method of its own."""
    owner = next(base for base in cls.__mro__ if name in base.__dict__)
    return owner.__name__ != "ReasoningGymEnv"
