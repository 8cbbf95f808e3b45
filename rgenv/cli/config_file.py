"""Read a configuration file and check its sections and keys, which Atropos would not.

::

    read("run.yaml", options)   # {"env": {"seed": 1}, "openai": [{"model_name": "m"}]}

This file imports nothing heavy, because mistakes are reported before Atropos is imported.
"""

import re
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any

import yaml

from rgenv.cli.arguments import Option, near
from rgenv.errors import BadUsage
from rgenv.runtime.files import read_file
from rgenv.text import did_you_mean, refusal

SERVERS = "openai"
"""The section of the inference servers: a mapping, or a list with a mapping for each server."""


MOST_BYTES = 1 << 20
QUOTED = re.compile(r"""['"].*['"]""")


class _Loader(yaml.SafeLoader):
    """A loader that refuses a key that comes twice, of which YAML would keep the last."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.tag != "tag:yaml.org,2002:merge" and str(key.value) in seen:
                problem = "a key comes twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(str(key.value))
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def read(path: str, options: Iterable[Option]) -> dict[str, Any]:
    """Return the content of a configuration file.

    Raises:
        BadUsage: the file can't be read, is not YAML, or has an unknown section or key.
    """
    if not path:
        raise BadUsage("--config is empty: name a YAML file, or leave it out.")
    names = [option.name for option in options if option.name != "config"]
    sections = {name.partition(".")[0] for name in names}
    content = _load(path)
    if not isinstance(content, dict):
        raise BadUsage(
            f"{path}: the top level must be a mapping with keys among {_listed(sections)}; it is "
            f"{'empty' if content is None else _kind(content)}."
        )
    if content.pop("testing", False):
        raise BadUsage(f"{path}: testing is for programs that call the class: leave it out.")
    faults = []
    if other := [str(section) for section in content if section not in sections]:
        hints = [hint for one in other for hint in near(one, sections) or _nested(one, names)]
        faults.append(
            f"{_none_of('section', [repr(one) for one in other])}; the keys of the top level are "
            f"{_listed(sections)}.{did_you_mean(list(dict.fromkeys(hints)))}"
        )
    unknown: dict[str, list[str]] = {}
    for section, values in content.items():
        if section in sections and section not in names:  # `slurm` is an option at the top level
            unknown |= _unknown_keys(path, section, values, names)
    if unknown:
        hints = [hint for near_ones in unknown.values() for hint in near_ones]
        faults.append(
            f"{_none_of('option', [*unknown])}.{did_you_mean([*dict.fromkeys(hints)])} See --help."
        )
    if faults:
        raise BadUsage(f"{path}: {' And '.join(faults)}")
    return content


def _load(path: str) -> Any:
    try:
        content = read_file(Path(path), at_most=MOST_BYTES)
        return yaml.load(content.decode(), _Loader)
    except FileNotFoundError:
        why = "there is no such file"
    except OSError as error:
        why = refusal(error)
    except UnicodeDecodeError:
        why = "it is not a text file"
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        why = f"{line}{_without_content(error.problem)}"
    except RecursionError:
        why = "it is nested too deeply"
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date
        why = _without_content(error)
    # What PyYAML's own constructors raise, of `!!bool word` or `!!int ""` for example.
    except (LookupError, AttributeError, TypeError, OverflowError):
        why = "a value does not fit its tag"
    raise BadUsage(f"--config {path} can't be read: {why}.")


def _without_content(error: object) -> str:
    """Say what YAML says without what it quotes of the file, which may be a key."""
    return f"this is not YAML: {QUOTED.sub('…', ' '.join(str(error).split()))}"


def _none_of(kind: str, names: list[str]) -> str:
    begin = f"there is no {kind}" if len(names) == 1 else f"there are no {kind}s"
    return f"{begin} {', '.join(names)}"


def _unknown_keys(path: str, section: str, values: Any, names: list[str]) -> dict[str, list[str]]:
    """Return each key of a section that is no option -> the one that is near it, if there is one.

    A weight that is Atropos' default is removed, as it has no effect.
    """
    unknown = {}
    mappings = values if isinstance(values, list) and section == SERVERS and values else [values]
    for mapping in mappings:
        if not isinstance(mapping, MutableMapping):
            servers = ", or a list with a mapping for each server" if section == SERVERS else ""
            empty = mapping is None or mapping == []
            raise BadUsage(
                f"{path}: {section} must be a mapping{servers}; it is "
                f"{'empty: remove it' if empty else _kind(mapping)}."
            )
        if section == SERVERS and mapping.get("weight") == 1:
            del mapping["weight"]
        for name in (f"{section}.{key}" for key in mapping):
            if name not in names:
                unknown[name] = near(name, names)
    return unknown


def _nested(written: str, names: Iterable[str]) -> list[str]:
    """Return how an option is written in a file that stands at its top level, if it is one."""
    key = written.rpartition(".")[2]
    sections = [section for section, _, own in (n.partition(".") for n in names) if own == key]
    return [f"`{section}: {{{key}: ...}}`" for section in sections[:1]]


def _kind(value: Any) -> str:
    """Name the kind of a value; a text may be a key in the wrong place, so it is not quoted."""
    kinds: dict[type, str] = {list: "a list", str: "a text"}
    return kinds.get(type(value), f"{value!r:.60}")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))
