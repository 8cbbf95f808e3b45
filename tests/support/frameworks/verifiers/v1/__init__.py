"""What the adapter imports of verifiers 0.4: data as pydantic models, tasks and tasksets."""

from typing import Any, Generic, TypeVar, get_args

from pydantic import BaseModel

State = Trace = Runtime = Any


class TaskData(BaseModel):
    """The fields that the adapter fills."""

    name: str | None = None
    prompt: str | None = None
    system_prompt: str | None = None


class TaskConfig(BaseModel):
    """No fields of its own."""


class TasksetConfig(BaseModel):
    """No fields of its own."""


DataT, StateT, ConfigT = TypeVar("DataT"), TypeVar("StateT"), TypeVar("ConfigT")


class Task(Generic[DataT, StateT, ConfigT]):
    """Data and configuration."""

    def __init__(self, data: DataT, config: ConfigT | None = None) -> None:
        config_type = get_args(type(self).__orig_bases__[0])[2]  # type: ignore[attr-defined]
        self.data, self.config = data, config or config_type()


TaskT, TasksetConfigT = TypeVar("TaskT"), TypeVar("TasksetConfigT")


class Taskset(Generic[TaskT, TasksetConfigT]):
    """A configuration."""

    INFINITE = False

    def __init__(self, config: TasksetConfigT) -> None:
        self.config = config


def reward(function: Any) -> Any:
    """Mark a method as a reward."""
    return function
