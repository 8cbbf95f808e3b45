"""The state of a sample."""

from typing import Any

TaskState = Any
