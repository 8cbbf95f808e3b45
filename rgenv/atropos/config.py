"""The configuration of the environment: `Options`, as a configuration that Atropos takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from atroposlib.envs.base import BaseEnv, BaseEnvConfig, EvalHandlingEnum
from pydantic import Field

from rgenv.atropos.options import Options


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
