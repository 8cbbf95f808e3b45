"""Options of a command from the fields of a settings model: their words, types and help.

::

    parser = CommandParser("view", "Show problems.")
    add_setting(parser, Settings, "answer_format")      # --answer-format, as ReasoningGym takes it
"""

import argparse
import shutil
import types
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from rgenv.errors import BadUsage
from rgenv.mistakes import invalid_values
from rgenv.text import did_you_mean, nearest

MAX_WIDTH = 100
"""The maximum number of characters in a line of the help."""

TYPE_NAMES = {
    int: "integer",
    float: "number",
    bool: "boolean",
    str: "string",
    type(None): "none",
}

OTHER_WORDS = {
    "level": "env.complexity_mode",
    "difficulty": "env.complexity_mode",
    "curriculum": "env.complexity_mode",
    "num_steps": "env.total_steps",
    "output": "env.data_path_to_save_groups",
}
"""Words that other commands and users have for an option -> its name."""


class Help(argparse.HelpFormatter):
    """Shows names, type and default of an option in a line, and its description below."""

    def __init__(self, prog: str) -> None:
        width = min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 0)).columns)
        super().__init__(prog, max_help_position=6, width=max(40, width))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        return f"{' or '.join(action.option_strings)}  {action.metavar or ''}".rstrip()


def add_field(
    group: Any, name: str, field: FieldInfo, default: str, shorts: Iterable[str] = ()
) -> None:
    """Add a field of a model as an option; what is given stays text, which the model reads.

    Args:
        group: of a parser with the formatter `Help`.
        shorts: other names of the option.
    """
    origin = get_origin(field.annotation)
    is_switch = field.annotation is bool
    group.add_argument(
        *(f"--{word}" for word in (name, *shorts)),
        dest=name,
        nargs="+" if origin in (list, tuple, dict) else "?" if is_switch else None,
        const="true" if is_switch else None,
        action="extend" if origin in (list, dict) else "store",
        default=argparse.SUPPRESS,
        metavar=f"{type_name(field.annotation).replace('`', '')}; default: {default}",
        help=(field.description or "").replace("`", "").replace("%", "%%"),
    )


def given(parser: argparse.ArgumentParser, words: Sequence[str]) -> dict[str, str]:
    """Return option -> its value as text; values of a list or mapping are joined by commas.

    Raises:
        BadUsage: an unknown option, an option without a value, or a word that belongs to none.
    """
    found, rest = parser.parse_known_args(words)
    values: dict[str, Any] = vars(found)
    if rest and not rest[0].startswith("--"):
        raise BadUsage(f"{rest[0]!r} belongs to no option; options are written --name value.")
    if rest:
        written = rest[0][2:].partition("=")[0]
        hint = did_you_mean([f"--{one}" for one in near(written, names_of(parser))])
        raise BadUsage(f"There is no option --{written}.{hint} See --help.")
    for name, value in values.items():
        if isinstance(value, list):
            if len(value) > 1 and any(one.lstrip().startswith("{") for one in value):
                raise BadUsage(f"--{name} is given twice: write one JSON object with all of it.")
            values[name] = ",".join(one for one in value if one)
    return values


def names_of(parser: argparse.ArgumentParser) -> list[str]:
    """Return the names of the options of a parser."""
    return [action.dest for action in parser._actions if action.dest != "help"]


def near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known name that `name` is probably meant to be, if there is one.

    The part after the namespace decides, so ``seed``, ``openai.seed`` and ``env.sed`` are all near
    ``env.seed``.
    """
    names = list(known)
    if (meant := OTHER_WORDS.get(_tail(name))) in names:
        return [meant]
    tails = {_tail(candidate): candidate for candidate in reversed(names)}
    same_space = [n for n in names if n.rpartition(".")[0] == name.rpartition(".")[0]]
    tails |= {_tail(candidate): candidate for candidate in same_space}
    return [tails[tail] for tail in nearest(_tail(name), tails)]


def _tail(name: str) -> str:
    return name.rpartition(".")[2].lower().replace("-", "_")


def add_setting(
    parser: argparse.ArgumentParser, settings: type[BaseModel], name: str, help: str = ""
) -> None:
    """Add a setting of the library as an option, which has the name of the library's argument.

    Args:
        help: what the option does, where that is more special than what the setting does.
    """
    field = settings.model_fields[name]

    def read(text: str) -> Any:
        try:
            return getattr(settings(**{name: text}), name)
        except ValidationError as error:
            raise argparse.ArgumentTypeError(invalid_values(error).removesuffix(".")) from None

    described = (help or str(field.description)).removesuffix(".").replace("`", "")
    parser.add_argument(
        f"--{(field.alias or name).replace('_', '-')}",
        type=read,
        default=field.get_default(),
        metavar="A,B" if get_origin(field.annotation) is list else name.rpartition("_")[2].upper(),
        help=f"{described.replace('%', '%%')}; default: {shown_value(field.default)}",
    )


def type_name(annotation: Any) -> str:
    """Return the type of an option in words, with fixed words in backticks."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in TYPE_NAMES:
        return TYPE_NAMES[annotation]
    if origin is Annotated:
        return type_name(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(type_name(argument) for argument in arguments)
    if origin in (list, tuple) and (origin is list or arguments[-1] is ...):
        return f"list of {_plural(arguments[0])}"
    if origin is tuple:
        return f"{len(arguments)} {_plural(arguments[0])}"
    if origin is dict:
        return "mapping"
    if hasattr(annotation, "__members__"):  # an enumeration
        return ", ".join(f"`{member.value}`" for member in annotation)
    return "string"


def _plural(annotation: Any) -> str:
    names = [type_name(argument) for argument in get_args(annotation) or (annotation,)]
    return " or ".join(name if name == "none" else f"{name}s" for name in names)


def shown_value(value: Any) -> str:
    """Return a default as a user would write it."""
    if value is None or value in ([], {}, ""):
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown_value, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(getattr(value, "name", value) if not hasattr(value, "value") else value.value)
