"""The hooks that nothing calls here, so that overriding one is an error at the class."""

from rgenv.errors import BadUsage

NOT_CALLED = {
    "collect_trajectory": "collect_trajectories",
    "evaluate_log": "evaluate",
    "_post_json_with_compression": "_send_scored_data_to_api",
    "score": "collect_trajectories",
    "_get_complexity_params_for_task": "get_next_item",
    "_adjust_task_complexity": "get_next_item",
}
"""Hook of Atropos or of the reference that nothing calls here -> the hook that may call it in a
subclass that overrides both."""


def require_called(cls: type) -> None:
    """Raise BadUsage if a class before Atropos' own overrides a hook that nothing calls."""
    mine = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "atroposlib"]
    for name, caller in NOT_CALLED.items():
        owner = next(base for base in mine if caller in base.__dict__)
        if owner.__name__ == "ReasoningGymEnv" and any(name in base.__dict__ for base in mine):
            raise BadUsage(
                f"Nothing calls {cls.__name__}.{name}: override {caller}, or write a task of your "
                "own (docs/own_tasks.md)."
            )
