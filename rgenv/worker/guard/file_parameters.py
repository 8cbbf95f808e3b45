"""Keep parameters of tasks from naming files of the user.

The library puts the name of a data file behind its folder of data and reads whatever that leads to.
The content would become a question, for a model and its server to see. A recipe may come from a
saved file, so the worker checks it, not only the command line.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from rgenv.tasks.registry import record_of


def require_data_files(task: str, config: Mapping[str, Any]) -> None:
    """Raise ValueError, which names the parameter, if one leads out of the library's data."""
    for part, parameters in _parts(task, config):
        name = record_of(part).file_parameter
        value = parameters.get(name) if name is not None else None
        if value is not None and not _is_plain(value):
            raise ValueError(
                f"{part}.{name} must be the name of a file of reasoning-gym's own, without a "
                f"folder, not {value!r:.80}"
            )


def _parts(task: str, config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a task and its parameters; for composite, those of each of its tasks."""
    yield task, config
    datasets = config.get("datasets")
    for part in datasets if task == "composite" and isinstance(datasets, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("config"), Mapping):
            yield from _parts(str(part.get("name")), part["config"])


def _is_plain(value: Any) -> bool:
    if not isinstance(value, str) or value in ("", ".", ".."):
        return False
    return not any(character in "/\\\0" for character in value)
