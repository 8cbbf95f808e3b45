"""The hooks that nothing calls here, so that overriding one is an error at the class."""

from rgenv.errors import BadUsage

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
