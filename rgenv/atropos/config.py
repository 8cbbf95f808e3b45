"""The configuration of the environment and of a subclass, and what a subclass may override."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atroposlib.envs.base import BaseEnv, BaseEnvConfig, EvalHandlingEnum
from pydantic import Field

from rgenv.atropos.options import Options
from rgenv.errors import BadUsage


class ReasoningGymEnvConfig(Options, BaseEnvConfig):
    """The options of the environment. Unknown names are errors."""

    eval_handling: EvalHandlingEnum = Field(
        default=EvalHandlingEnum.STOP_TRAIN,
        description=Options.model_fields["eval_handling"].description,
    )

    if TYPE_CHECKING:  # a value may have any form that its validator reads

        def __init__(self, **values: Any) -> None: ...


def combined_config(env_cls: type[BaseEnv]) -> type[BaseEnvConfig]:
    """Return a configuration class with the options of all base classes of `env_cls`.

    For example, ``class Mine(TeacherEnv, ReasoningGymEnv)`` has the options of both bases;
    their order does not matter.
    """
    classes: list[type[BaseEnvConfig]] = []
    for base in env_cls.__mro__:
        config = base.__dict__.get("env_config_cls")
        if config is not None and not any(issubclass(known, config) for known in classes):
            classes.append(config)
    classes.sort(key=lambda config: not issubclass(config, Options))  # whose bounds win
    if len(classes) == 1:
        return classes[0]
    return type(f"{env_cls.__name__}Config", tuple(classes), {})


_CALLERS = {
    "setup": "_get_task_names _validate_discovered_tasks",
    "get_next_item": "_get_complexity_params_for_task _get_task_complexity_level "
    "_update_task_performance _adjust_task_complexity _initialize_complexity_mapping "
    "_create_dataset_with_complexity",
    "collect_trajectories": "collect_trajectory score _score_answer_with_both_formats "
    "_extract_final_answer _save_rollouts_to_jsonl _save_failed_rollouts_to_jsonl "
    "_save_failed_group_for_debugging",
    "_send_scored_data_to_api": "_post_json_with_compression",
    "evaluate": "evaluate_log rollout_and_score_eval",
}
NOT_CALLED = {hook: caller for caller, hooks in _CALLERS.items() for hook in hooks.split()}
"""Hook of Atropos or of the reference that nothing calls here -> the hook that may call it in a
subclass that overrides both."""


def require_called(cls: type) -> None:
    """Raise BadUsage if a class before Atropos' own overrides a hook that nothing calls."""
    mine = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "atroposlib"]
    for name, caller in NOT_CALLED.items():
        owner = next(base for base in mine if caller in base.__dict__)
        is_ours = owner.__name__ in ("ReasoningGymEnv", "Commands")
        if is_ours and any(name in base.__dict__ for base in mine):
            raise BadUsage(
                f"Nothing calls {cls.__name__}.{name}: override {caller}, or write a task of your "
                "own (docs/own_tasks.md)."
            )
