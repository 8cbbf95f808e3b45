"""The type of an entry, which the library makes and every part of the worker reads."""

from typing import Any

Entry = dict[str, Any]
"""An entry of a data set of the library: question, answer, metadata and, added to it, its seed."""
