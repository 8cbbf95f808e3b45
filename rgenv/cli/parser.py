"""The parser of a command, and options from the fields of a settings model."""

import argparse
import contextlib
import re
import shutil
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from rgenv.errors import BadUsage
from rgenv.mistakes import invalid_values
from rgenv.text import did_you_mean, nearest

MAX_WIDTH = 100
"""The maximum number of characters in a line of the help."""

TYPE_NAMES = {int: "integer", float: "number", bool: "boolean", str: "string", type(None): "none"}

OTHER_WORDS = {
    "level": "env.complexity_mode",
    "difficulty": "env.complexity_mode",
    "curriculum": "env.complexity_mode",
    "num_steps": "env.total_steps",
    "output": "env.data_path_to_save_groups",
}
"""Words that other commands and users have for an option -> its name."""


class CommandParser(argparse.ArgumentParser):
    """A parser that raises BadUsage, with all that is wrong, as each `type` of an argument may.

    Attributes:
        wrong: a sentence for each mistake in the words that were read.
        elsewhere: an option of another form of the command -> how that is written.
    """

    def __init__(self, command: str, description: str, **options: Any) -> None:
        program = f"{Path(sys.argv[0]).name} {command}"  # as it was called
        super().__init__(program, description=description, allow_abbrev=False, **options)
        self.wrong: list[str] = []
        self.elsewhere: dict[str, str] = {}

    @property
    def names(self) -> list[str]:
        """The names of its options, without those that are a second way to write one."""
        written = (action.option_strings for action in self._actions if action.dest != "help")
        return [words[0].removeprefix("--") for words in written if words]

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        if read := options.get("type"):
            options["type"] = self.noting(f"{names[0]}: ")(read)
        return super().add_argument(*names, **options)

    @contextlib.contextmanager
    def noting(self, start: str = "") -> Iterator[None]:
        """Add a BadUsage of the block to what is `wrong`, behind a start of its sentence."""
        try:
            yield
        except BadUsage as error:
            said = f"{start}{error}"
            self.wrong.append(said if said.endswith((".", "?")) else f"{said}.")

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return the values of all arguments, which may stand in any order, or raise BadUsage."""
        found = self.values_of(words)
        self.require_right()
        return found

    def require_right(self) -> None:
        """Raise BadUsage if anything is `wrong`."""
        if self.wrong:
            raise BadUsage(" ".join(dict.fromkeys(self.wrong)))

    def values_of(self, words: Sequence[str]) -> argparse.Namespace:
        """As `read`, but leave it to the caller to raise what is `wrong`."""
        found, rest = self.parse_known_intermixed_args(words)
        if rest and not rest[0].startswith("--"):
            self.wrong.append(
                f"{rest[0]!r} belongs to no option; options are written --name value."
            )
        elif rest:
            for word in (one[2:].partition("=")[0] for one in rest if one.startswith("--")):
                hint = did_you_mean([f"--{name}" for name in near(word, self.names)])
                form = self.elsewhere.get(word)
                none = f"There is no option --{word}.{hint}"
                self.wrong.append(f"--{word} is for {form}." if form else none)
            self.wrong.append("See --help.")
        return found

    def error(self, message: str) -> NoReturn:
        missing = re.match(r"argument (--[\w.-]+).*expected (?:at least )?one arg", message)
        said = f"{missing[1]} needs a value: write {missing[1]} VALUE" if missing else message
        raise BadUsage(" ".join([*self.wrong, f"{said}. See --help."]))


# Readers of values, for the `type` of an argument


def one_of(words: Sequence[str]) -> Callable[[str], str]:
    """Return what reads one of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise BadUsage(f"write {' or '.join(words)}, not {text!r:.80}")
        return text

    return read


def natural(text: str) -> int:
    """Read a whole number from 0."""
    if not text.isdecimal():
        raise BadUsage(f"{text!r} is not a whole number from 0")
    return int(text)


def positive(text: str, most: int = 10**9) -> int:
    """Read a positive whole number."""
    if not text.isdecimal() or not text.strip("0"):
        raise BadUsage(f"{text!r} is not a positive whole number")
    if len(text) > len(str(most)) or int(text) > most:
        raise BadUsage(f"{text:.80} is more than {most}")
    return int(text)


# Paths


def named_path(text: str) -> Path:
    """Read a path, which an empty text is not, although Python takes it for the current folder."""
    if not text:
        raise BadUsage("is empty: name a file or a folder")
    return Path(text)


def require_existing(paths: Iterable[Path]) -> None:
    """Raise BadUsage for the paths of a run that do not exist."""
    said = "{} does not exist: name the folder of a run, or a file.".format
    if wrong := [said(path) for path in paths if not path.exists()]:
        raise BadUsage(" ".join(wrong))


def require_output(path: Path, endings: Sequence[str]) -> None:
    """Raise BadUsage unless a file of this name can be in its folder."""
    if path.is_dir() or path.suffix not in endings:
        names = " or ".join(endings)
        raise BadUsage(f"--output: {path}: name a file that ends with {names}.")
    if not path.parent.is_dir():
        raise BadUsage(f"--output: {path.parent} is not a folder: create it first.")


# Options from fields


def add_setting(
    parser: argparse.ArgumentParser, settings: type[BaseModel], name: str, help: str = ""
) -> None:
    """Add a setting of the library as an option; `help` says what it does, if that is special."""
    field = settings.model_fields[name]

    def read(text: str) -> Any:
        try:
            return getattr(settings(**{name: text}), name)
        except ValidationError as error:
            raise BadUsage(invalid_values(error, lambda _: "").strip(": ")) from None

    described = (help or str(field.description)).removesuffix(".").replace("`", "")
    parser.add_argument(
        f"--{(field.alias or name).replace('_', '-')}",
        type=read,
        default=field.get_default(),
        metavar="A,B" if get_origin(field.annotation) is list else name.rpartition("_")[2].upper(),
        help=f"{described.replace('%', '%%')}; default: {shown_value(field.default)}",
    )


class Help(argparse.HelpFormatter):
    """Shows names, type and default of an option in a line, and its description below."""

    def __init__(self, prog: str) -> None:
        width = min(MAX_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 0)).columns)
        super().__init__(prog, max_help_position=6, width=max(40, width))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        return f"{' or '.join(action.option_strings)}  {action.metavar or ''}".rstrip()


def add_field(group: Any, names: Sequence[str], field: FieldInfo, default: str) -> None:
    """Add a field of a model as an option; what is given stays text, which the model reads.

    The parser of the group has the formatter `Help`; the values have the first of the names.
    """
    kind, is_switch = several(field.annotation), field.annotation is bool
    group.add_argument(
        *(f"--{word}" for word in names),
        dest=names[0],
        nargs="+" if kind else "?" if is_switch else None,
        const="true" if is_switch else None,
        action="extend" if kind and get_origin(field.annotation) is not tuple else "store",
        default=argparse.SUPPRESS,
        metavar=f"{type_name(field.annotation).replace('`', '')}; default: {default}",
        help=(field.description or "").replace("`", "").replace("%", "%%"),
    )


def given(parser: CommandParser, words: Sequence[str]) -> dict[str, str]:
    """Return option -> its value as text; values of a list or mapping are joined by commas.

    What is wrong with the words is then in `parser.wrong`. BadUsage: an option has no value.
    """
    values: dict[str, Any] = vars(parser.values_of(words))
    for name, value in values.items():
        if isinstance(value, list):
            if len(value) > 1 and any(one.lstrip().startswith("{") for one in value):
                said = f"--{name} is given twice: write one JSON object with all of it."
                parser.wrong.append(said)
                value = value[:1]
            values[name] = ",".join(one for one in value if one)
    return values


def near(name: str, known: Sequence[str]) -> list[str]:
    """Return the known name that `name` is probably meant to be, if there is one.

    The part after the namespace decides, so ``seed``, ``openai.seed`` and ``env.sed`` are all near
    ``env.seed``.
    """
    if (meant := OTHER_WORDS.get(_tail(name), "")) in known:
        return [meant]
    same_space = [n for n in known if n.rpartition(".")[0] == name.rpartition(".")[0]]
    tails = {_tail(candidate): candidate for candidate in (*reversed(known), *same_space)}
    return [tails[tail] for tail in nearest(_tail(name), tails)]


def _tail(name: str) -> str:
    return name.rpartition(".")[2].lower().replace("-", "_")


def several(annotation: Any) -> type | None:
    """Return list or dict if values of a type are several values or pairs, else None."""
    origin = get_origin(annotation) or annotation
    if origin in (Union, types.UnionType, Annotated):
        return next(filter(None, map(several, get_args(annotation))), None)
    if not isinstance(origin, type) or not issubclass(origin, Collection) or origin in (str, bytes):
        return None
    return dict if issubclass(origin, Mapping) else list


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
        return " or ".join(map(type_name, arguments))
    if origin is tuple and arguments[-1] is not ...:
        return f"{len(arguments)} {_plural(arguments[0])}"
    if (kind := several(annotation)) is list:
        return f"list of {_plural(arguments[0])}" if arguments else "list"
    if hasattr(annotation, "__members__"):  # an enumeration
        return ", ".join(f"`{member.value}`" for member in annotation)
    return "mapping" if kind is dict else "string"


def _plural(annotation: Any) -> str:
    names = map(type_name, get_args(annotation) or (annotation,))
    return " or ".join(name if name == "none" else f"{name}s" for name in names)


def shown_value(value: Any) -> str:
    """Return a default as a user would write it."""
    if value is None or value in ([], {}, ""):
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown_value, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(getattr(value, "value", None) or getattr(value, "name", value))
