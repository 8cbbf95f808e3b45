"""Read a configuration file: YAML with a section for each namespace of options.

Keys and values of the sections are checked together with the words of the command line.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from rgenv.cli.parser import near
from rgenv.errors import BadUsage
from rgenv.runtime.files import read_file
from rgenv.text import did_you_mean, refusal

SERVERS = "openai"
"""The section of the inference servers: a mapping, or a list with a mapping for each server."""

PLAIN = {
    "cannot start any token": "a tab, or a sign that must stand in quotes",
    "could not find expected": "a key without a colon",
    "end of stream": "a quote that is not closed",
    "expected": "brackets or indentation do not fit the lines above",
    "mapping values": "a colon too many, or the line above lacks one or is indented otherwise",
}
"""A part of a message of PyYAML -> what is wrong; the first one counts."""


def read(path: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the sections of a file; `names` are those of all options, such as ``env.seed``.

    BadUsage: the file can't be read, is not YAML, or has an unknown section.
    """
    if not path:
        raise BadUsage("--config is empty: name a YAML file, or leave it out.")
    known = [name for name in names if name != "config"]
    sections = sorted({name.partition(".")[0] for name in known})
    content = _load(path)
    if not isinstance(content, dict):
        kind = "empty" if content is None else _kind(content)
        raise BadUsage(
            f"{path}: the top level must be a mapping with keys among {', '.join(sections)}; it is "
            f"{kind}."
        )
    if content.pop("testing", False):
        raise BadUsage(f"{path}: testing is for programs that call the class: leave it out.")
    if other := [str(section) for section in content if section not in sections]:
        hints = [hint for one in other for hint in near(one, sections) or _nested(one, known)]
        none = "is no section" if len(other) == 1 else "are no sections"
        raise BadUsage(
            f"{path}: there {none} {', '.join(map(repr, other))}; the keys of the top level are "
            f"{', '.join(sections)}.{did_you_mean(list(dict.fromkeys(hints)))}"
        )
    for section, values in content.items():
        if section not in known:  # `slurm` is an option at the top level
            _require_mapping(path, section, values)
    return content


class _NoDoubles(yaml.SafeLoader):
    """A safe loader that refuses a key that comes twice, and a value that contains itself."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: list[Any] = []
        for key, _ in node.value:
            if (name := key.value) in seen and key.tag != "tag:yaml.org,2002:merge":
                problem = f"the key {name!r:.80} comes twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.append(name)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        if node in self.recursive_objects:  # an alias in what it stands for
            raise RecursionError
        return super().construct_object(node, deep=True)  # which that shows


def _load(path: str) -> Any:
    try:
        return yaml.load(read_file(Path(path), at_most=1 << 20).decode(), Loader=_NoDoubles)
    except FileNotFoundError:
        why = "there is no such file"
    except OSError as error:
        why = refusal(error)
    except UnicodeDecodeError:
        why = "it is not a text file"
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        said = str(error.problem)
        if not said.endswith("comes twice"):
            plain = (words for part, words in PLAIN.items() if part in said)
            unquoted = re.sub(r"""['"].*['"]""", "…", said)  # which may be a key
            said = f"this is not YAML: {next(plain, unquoted)}"
        why = line + said
    except RecursionError:
        why = "it is nested too deeply"
    except (yaml.YAMLError, ValueError, TypeError, AttributeError, LookupError, OverflowError):
        why = "a value does not fit its tag"  # what PyYAML's constructors raise
    raise BadUsage(f"--config {path} can't be read: {why}.")


def _require_mapping(path: str, section: str, values: Any) -> None:
    servers = ", or a list with a mapping for each server" if section == SERVERS else ""
    for one in values if servers and isinstance(values, list) and values else [values]:
        if not isinstance(one, dict):
            kind = "empty: remove it" if one in (None, []) else _kind(one)
            raise BadUsage(f"{path}: {section} must be a mapping{servers}; it is {kind}.")


def _nested(written: str, names: Sequence[str]) -> list[str]:
    """Return how an option is written in a file that stands at its top level, if it is one."""
    key = written.rpartition(".")[2]
    found = [name for name in names if name.partition(".")[2] == key]
    return [f"`{name.partition('.')[0]}: {{{key}: ...}}`" for name in found[:1]]


def _kind(value: Any) -> str:
    """Name the kind of a value; a text may be a key in the wrong place, so it is not quoted."""
    kinds: dict[type, str] = {list: "a list", str: "a text"}
    return kinds.get(type(value), f"{value!r:.60}")
