"""The configuration of the environment and of a subclass, and what a subclass may override."""

from __future__ import annotations

import contextlib
import inspect
import math
from collections.abc import Container, Iterable
from types import CodeType
from typing import TYPE_CHECKING, Any

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, EvalHandlingEnum
from atroposlib.envs.server_handling.server_baseline import ServerBaseline
from pydantic import BaseModel, Field, ValidationError, create_model

from rgenv.atropos.options import Options, ServerOptions, own_options
from rgenv.errors import BadUsage
from rgenv.mistakes import invalid_values
from rgenv.text import did_you_mean, nearest


class ReasoningGymEnvConfig(Options, BaseEnvConfig):
    """The options of the environment. Unknown names are errors."""

    eval_handling: EvalHandlingEnum = Field(
        default=EvalHandlingEnum.STOP_TRAIN,
        description=Options.model_fields["eval_handling"].description,
    )

    if TYPE_CHECKING:  # a value may have any form that its validator reads

        def __init__(self, **values: Any) -> None: ...


def check_arguments(env_cls: Any, config: Any, servers: Any, *, asks: bool) -> None:
    """Check options, and servers if the class `asks` them; BadUsage: all that is wrong."""
    listed = servers if isinstance(servers, list) else [servers]
    kind = APIServerConfig if isinstance(servers, list) else ServerBaseline
    are_servers = listed and all(isinstance(one, kind) for one in listed)
    if not (are_servers and isinstance(config, ReasoningGymEnvConfig)):
        raise BadUsage(
            "An environment takes a ReasoningGymEnvConfig and a list of APIServerConfig, as "
            f"config_init() returns them, not {type(config).__name__} and "
            f"[{', '.join(type(one).__name__ for one in listed)}]."
        )
    wrong = wrong_values(config)
    if asks and isinstance(servers, list) and inspect.isabstract(env_cls.server_cls):
        wrong += [said for one in servers for said in _refused(ServerOptions, one)]
    if wrong:
        raise BadUsage(" ".join(dict.fromkeys(wrong)))


def wrong_values(config: ReasoningGymEnvConfig) -> list[str]:
    """Return what is wrong with options; values become what they stand for, such as 4 for ``"4"``.

    pydantic checks no value of `model_copy(update=...)` and none that is assigned. Options that a
    subclass declares are left to it: its validators may not take what they returned.
    """
    known = type(config).model_fields
    unknown = sorted(config.model_fields_set - known.keys() - (config.model_extra or {}).keys())
    hinted = "There is no option {}.{}".format
    wrong = [hinted(name, did_you_mean(nearest(name, known))) for name in unknown]
    return wrong + _refused(ReasoningGymEnvConfig, config, own_options(type(config)))


def _refused(options: type[BaseModel], given: Any, own: Iterable[str] = ()) -> list[str]:
    """Return what `options` refuse of the values of `given`, which else become theirs."""
    names = options.model_fields.keys() - own
    try:
        checked = options(**{name: getattr(given, name) for name in names})
    except ValidationError as error:
        return [invalid_values(error)]
    given.__dict__.update({name: getattr(checked, name) for name in names})
    return []


def combined_config(env_cls: type[BaseEnv]) -> type[BaseEnvConfig]:
    """Return a configuration class with all options of the class and its bases, in any order."""
    classes: list[type[BaseEnvConfig]] = []
    for base in env_cls.__mro__:
        config = base.__dict__.get("env_config_cls")
        if config is not None and not any(issubclass(known, config) for known in classes):
            classes.append(config)
    if len(classes) == 1:
        return classes[0]
    declared: dict[str, Any] = {
        name: (config.model_fields[name].annotation, config.model_fields[name])
        for config in reversed(classes)
        for name in own_options(config)
    }
    classes.sort(key=lambda config: not issubclass(config, Options))  # which decides the rest
    return create_model(f"{env_cls.__name__}Config", __base__=tuple(classes), **declared)


_CALLERS = {
    "setup": "_get_task_names _validate_discovered_tasks",
    "get_next_item": "make_item _get_complexity_params_for_task _get_task_complexity_level "
    "_update_task_performance _adjust_task_complexity _initialize_complexity_mapping "
    "_create_dataset_with_complexity",
    "collect_trajectories": "score_completions collect_trajectory score _extract_final_answer "
    "_score_answer_with_both_formats _save_rollouts_to_jsonl _save_failed_rollouts_to_jsonl "
    "_save_failed_group_for_debugging",
    "_send_scored_data_to_api": "_post_json_with_compression",
    "evaluate": "evaluate_log rollout_and_score_eval",
}
NOT_CALLED = {hook: caller for caller, hooks in _CALLERS.items() for hook in hooks.split()}
"""Method that no command calls -> the hook that may call it in a subclass that overrides both."""


def require_called(cls: type) -> None:
    """Raise BadUsage if a class before Atropos' own overrides methods that nothing calls."""
    mine = [base for base in cls.__mro__ if base.__module__.partition(".")[0] != "atroposlib"]
    own = [base for base in mine if base.__name__ not in ("ReasoningGymEnv", "Commands")]
    is_own = {name: next(x for x in mine if name in x.__dict__) in own for name in _CALLERS}
    idle = {name for name, caller in NOT_CALLED.items() if not is_own[caller]}
    while called := idle & _names_in(own, idle):
        idle -= called
    wrong = [n for n in NOT_CALLED if n in idle and any(n in base.__dict__ for base in own)]
    if wrong:
        named = ", ".join(f"{cls.__name__}.{name}" for name in wrong)
        hooks = " and ".join(dict.fromkeys(NOT_CALLED[name] for name in wrong))
        raise BadUsage(
            f"Nothing calls {named}: override {hooks}, or write a task of your own "
            "(docs/own_tasks.md)."
        )


def _names_in(classes: Iterable[type], idle: Container[str]) -> set[str]:
    """Return the names in the code of methods, but for the `idle` ones."""
    methods = [f for cls in classes for name, f in cls.__dict__.items() if name not in idle]
    found = [getattr(getattr(f, "__func__", f), "__code__", None) for f in methods]
    for code in found:  # which grows by the functions within functions
        found += [one for one in getattr(code, "co_consts", ()) if isinstance(one, CodeType)]
    return {name for code in found if code is not None for name in code.co_names}


def check_group(group: dict[str, Any]) -> None:
    """Make the scores of a group plain numbers; BadUsage: a subclass gave no number for each."""
    given, rows, scores = group.get("scores", ()), len(group.get("tokens", ())), list[float]()
    with contextlib.suppress(TypeError, ValueError):
        scores = [*map(float, given)]  # some are numpy's or torch's
    if len(scores) != rows or not all(map(math.isfinite, scores)):
        raise BadUsage(
            f"collect_trajectories returned the scores {given!s:.200} for {rows} completions: "
            "give each one finite number."
        )
    group["scores"] = scores
