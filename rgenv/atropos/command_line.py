"""Read the command line of the environment: its words and its file become typed values, once.

Words win over the file, and the file over the defaults. All that is wrong is said at once. This
file does not import Atropos, which takes seconds.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from rgenv.atropos.options import (
    COMMAND_LINE_SERVER,
    MODEL,
    SECTIONS,
    CommandOptions,
    OfAtropos,
    Options,
    ServerOptions,
    default_options,
    own_options,
    unwritable,
)
from rgenv.cli import config_file
from rgenv.cli.config_file import SERVERS
from rgenv.cli.entry import COMMANDS, Request
from rgenv.cli.parser import CommandParser, Help, add_field, given, near, shown_value
from rgenv.errors import DONE, BadUsage
from rgenv.gym.gym import chosen_tasks
from rgenv.mistakes import invalid_values
from rgenv.pool.library import is_measured
from rgenv.secrets import is_secret, remember
from rgenv.task_names import KNOWN_TASKS, choose_tasks
from rgenv.text import did_you_mean

SHORT_OPTIONS = {
    "env.task_names": "tasks",
    "env.problems": "problems",
    "env.task_modules": "task-modules",
    "env.force": "force",
    "env.eval_limit": "limit",
    "env.eval_compare": "compare",
    "env.debug_logging": "debug",
}
"""Option -> how it may be written without its namespace, as in ``--force``."""

APART = (
    *("task_names", "exclude_tasks", "task_modules", "eval_tasks"),
    *("task_weights", "task_configs", "start_levels"),
    *("dump_rollouts", "dump_failed_rollouts", "data_dumps_dir", "profile_dir"),
    *("data_dir_to_save_evals", "data_path_to_save_groups"),
)
"""Options with names of tasks and folders, which are checked even if others are wrong."""


@dataclass(frozen=True)
class Surface:
    """What the command line of a class may say.

    Attributes:
        config, servers: the defaults of the options; their types are those of the class.
        more: further options, of namespaces that a base class adds.
        groups: what the file of `process` is named after.
        own_client: whether the class asks its servers in a way of its own, whatever their type.
    """

    config: Any = field(default_factory=default_options)
    servers: Any = field(default_factory=lambda: [ServerOptions(**COMMAND_LINE_SERVER)])
    more: Mapping[str, FieldInfo] = field(default_factory=dict)
    name: str = "ReasoningGymEnv"
    groups: str = "reasoning_gym"
    own_client: bool = False

    def defaults(self, command: str) -> dict[str, Any]:
        """Return the options of the environment by default; `process` has some as in Atropos."""
        values = dict(self.config)
        if command == "process":
            path = values["data_path_to_save_groups"] or f"data/{self.groups}.jsonl"
            of_process = {"include_messages": True, "ensure_scores_are_not_same": False}
            own = own_options(type(self.config))
            values |= {name: x for name, x in of_process.items() if name not in own}
            values["data_path_to_save_groups"] = path
        return values


def read(command: str, words: list[str], surface: Surface | None = None) -> int | Request:
    """Read the words of a command, or print its help if they ask for it; BadUsage: all mistakes."""
    surface = surface or Surface()
    parser = new_parser(command, surface)
    if {"-h", "--help"} & set(words):
        print(parser.format_help())
        return DONE
    options = {word.partition("=")[0] for word in words}
    if "--testing" in options:
        raise BadUsage("--testing is for programs that call the class themselves: leave it out.")
    values, content = given(parser, words), dict[str, Any]()
    if "config" in values:
        with parser.noting():
            content = config_file.read(values["config"], parser.names)
        if not content:
            parser.require_right()
        remember(content)
    return _Reader(surface, command, parser, options, values, content).request()


def new_parser(command: str, surface: Surface) -> CommandParser:
    """Return the parser of a command, with the options in the order of their sections."""
    about = COMMANDS[command]
    parser = CommandParser(
        command,
        f"{about[0].upper()}{about[1:]}. Lists are words with commas or spaces between them, "
        "mappings are name=value pairs or JSON, and none stands for no value. A list or mapping "
        "that is given twice adds up; of other options the last value counts.",
        usage="%(prog)s [--OPTION VALUE ...]",
        formatter_class=Help,
    )
    defaults = {f"env.{name}": value for name, value in surface.defaults(command).items()}
    defaults |= {f"{SERVERS}.{name}": value for name, value in _as_list(surface.servers)[0]}
    groups: dict[str, Any] = {}
    for heading, name, info in options_of(surface):
        if heading not in groups:
            groups[heading] = parser.add_argument_group(heading)
        value = defaults.get(name, info.get_default(call_default_factory=True))
        is_key = is_secret(name) and value not in (None, "", "x")
        shown = "not shown" if is_key else shown_value(None if value == MODEL else value)
        add_field(groups[heading], [name, *SHORT_OPTIONS.get(name, "").split()], info, shown)
    return parser


def options_of(surface: Surface) -> Iterator[tuple[str, str, FieldInfo]]:
    """Yield heading, name and field of each option, in the order of the help."""
    known = type(surface.config).model_fields
    ours = {name for section in SECTIONS for name in section.model_fields}
    own = {f"env.{name}": info for name, info in known.items() if name not in ours}
    for section in SECTIONS:
        if section is OfAtropos:  # what a class adds stands before what is Atropos'
            for name, info in {**own, **surface.more}.items():
                space = surface.name if name in own else name.partition(".")[0]
                yield f"Options of {space}", name, info
        heading = str(section.__doc__)
        for name, info in section.model_fields.items():
            if section is CommandOptions:
                yield heading, name, info
            elif section is ServerOptions:
                yield heading, f"{SERVERS}.{name}", info
            else:
                yield heading, f"env.{name}", known[name]


@dataclass
class _Reader:
    """Makes typed values of words and file, and collects what is wrong with them."""

    surface: Surface
    command: str
    parser: CommandParser
    options: set[str]  # as they are written on the command line
    values: dict[str, str]  # option -> its text there
    content: dict[str, Any]  # of the file

    def request(self) -> Request:
        self._check_keys()
        is_named = self._name_model()
        default, in_file, given = self.surface.config, self.content.get("env", {}), self._of("env")
        values = {**self.surface.defaults(self.command), **in_file, **given}
        config = self._checked("env.", type(default), values)
        servers = self._servers()
        if not is_named:
            self.parser.wrong.append(
                "No model is named: give the server with --openai.base_url http://HOST:PORT/v1 and "
                "its model with --openai.model_name NAME; for a chat endpoint, which evaluate and "
                "profile can ask, also --openai.server_type openai."
            )
        slurm = self.values.get("slurm", self.content.get("slurm", False))
        options = self._checked("", CommandOptions, {"slurm": slurm})
        if options is not None and options.slurm and "SLURM_JOB_NODELIST" not in os.environ:
            self.parser.wrong.append(
                "--slurm finds inference servers on the nodes of a SLURM job, and this is none: "
                "leave it out."
            )
        if config is not None:
            used = _as_list(self.surface.servers if servers is None else servers)
            self.parser.wrong += self._unsuitable(config, sorted({one.server_type for one in used}))
        self._check_apart(values)
        self.parser.require_right()
        set_by_somebody = default.model_fields_set | in_file.keys() | given.keys()
        config.model_fields_set.intersection_update(set_by_somebody)
        file = self.values.get("config")
        return Request(self.command, config, servers, options.slurm, self.values, file)

    def _check_keys(self) -> None:
        """Take the unknown keys out of the file, and name them with what is near each."""
        unknown, names = dict[str, None](), self.parser.names
        for section in (name for name in self.content if name != "slurm"):
            for mapping in _as_list(self.content[section]):
                if section == SERVERS and mapping.get("weight") == 1:
                    del mapping["weight"]  # Atropos' default, which has no effect
                for key in [key for key in mapping if f"{section}.{key}" not in names]:
                    unknown[f"{section}.{key}"] = None
                    del mapping[key]
        if unknown:
            none = "is no option" if len(unknown) == 1 else "are no options"
            hints = dict.fromkeys(hint for name in unknown for hint in near(name, names))
            self.parser.wrong.append(
                f"{self.values['config']}: there {none} {', '.join(unknown)}."
                f"{did_you_mean([*hints])} See --help."
            )

    def _name_model(self) -> bool:
        """Give model and tokenizer the same name where one is given; return whether it is.

        A subclass may give one, too; our own default is none.
        """
        env, in_file = self.content.get("env", {}), _as_list(self.content.get(SERVERS, []))
        of_class, ours = _as_list(self.surface.servers), (MODEL, "default", None)
        own = [one.model_name for one in of_class if one.model_name not in ours and not in_file]
        name = getattr(self.surface.config, "tokenizer_name", None)
        tokenizers = [self.values.get("env.tokenizer_name"), env.get("tokenizer_name")]
        tokenizers.append(None if name in ours else name)
        models = [self.values.get(f"{SERVERS}.model_name")]
        models += [one.get("model_name") for one in in_file] + own
        tokenizer, model = (next(filter(None, names), None) for names in (tokenizers, models))
        if model and not tokenizer:
            self.values["env.tokenizer_name"] = str(model)
        elif tokenizer and not model and len(in_file or of_class) < 2:
            self.values[f"{SERVERS}.model_name"] = str(tokenizer)
        return bool(tokenizer or model)

    def _servers(self) -> list[ServerOptions] | None:
        """Return the options of each server; None if those of the class are to be taken."""
        given, in_file = self._of(SERVERS), _as_list(self.content.get(SERVERS, []))
        defaults = _as_list(self.surface.servers)
        if given and len(in_file or defaults) > 1:
            where = self.values["config"] if in_file else "This class"
            self.parser.wrong.append(
                f"{where} has {len(in_file or defaults)} inference servers, so "
                f"--{SERVERS}.{next(iter(given))} can't say which it is for: write it into the "
                "file."
            )
        if not (in_file or given):
            return None
        base = dict(defaults[0]) if len(defaults) == 1 and len(in_file) < 2 else {}
        base = {name: base[name] for name in ServerOptions.model_fields if name in base}
        made = [
            self._checked(f"{SERVERS}.", ServerOptions, {**base, **one, **given})
            for one in in_file or [{}]
        ]
        return [server for server in made if server is not None]

    def _of(self, namespace: str) -> dict[str, str]:
        """Return the words of a namespace."""
        split = ((name.partition("."), value) for name, value in self.values.items())
        return {name: value for (space, _, name), value in split if space == namespace}

    def _checked(self, prefix: str, model: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        """Return a model, or None after noting what is wrong with its values."""
        try:
            return model(**values)
        except ValidationError as error:
            said = invalid_values(error, lambda name: self._as_written(f"{prefix}{name}"))
            self.parser.wrong.append(said)
            return None

    def _as_written(self, name: str) -> str:
        """Return the name of an option as the user wrote it: as a word, or as a key of the file."""
        section, _, key = name.rpartition(".")
        mappings = _as_list(self.content.get(section, {}) if section else self.content)
        if name not in self.values and any(key in mapping for mapping in mappings):
            return f"{self.values['config']}: {name}"
        short = f"--{SHORT_OPTIONS.get(name, name)}"
        return short if short in self.options else f"--{name}"

    def _check_apart(self, values: Mapping[str, Any]) -> None:
        """Note unknown tasks, and folders if anything is wrong; else the command tells of them."""
        named = {name: values[name] for name in APART if name in values}
        try:
            config = Options(**named)
        except ValidationError as error:  # which is noted; the other names are checked
            wrong = {problem["loc"][0] for problem in error.errors()}
            config = Options(**{name: named[name] for name in named.keys() - wrong})
        if is_measured() and not config.task_modules:
            with self.parser.noting():
                chosen_tasks(config, KNOWN_TASKS)
            with self.parser.noting():
                choose_tasks(KNOWN_TASKS, config.eval_tasks, configured=list(config.task_configs))
        if self.parser.wrong:
            self.parser.wrong += map(str, unwritable(self.command, config))

    def _unsuitable(self, config: Any, types: list[str]) -> Iterator[str]:
        """Yield a sentence for each option that does not suit the command, or another option."""
        command, is_own = self.command, self.surface.own_client
        speaks_chat, asks_groups = "openai" in types and not is_own, command in ("serve", "process")
        if len(types) > 1:
            yield (
                f"The inference servers have server_type {' and '.join(types)}: give all of them "
                "the same, because Atropos treats all like the first."
            )
        elif ("trl" in types and not is_own) or (speaks_chat and asks_groups):
            yield (
                f"server_type {types[0]} returns no token ids and log probabilities, which "
                f"{command} needs: use --openai.server_type vllm or sglang (docs/running.md)."
            )
        if command in ("serve", "profile") and config.group_size < 2:
            yield (
                f"--env.group_size {config.group_size} trains nothing, because advantages compare "
                "the completions of a group: set it to at least 2."
            )
        if command != "evaluate" and config.eval_compare is not None:
            yield "--compare (--env.eval_compare) is for evaluate: leave it out."
        if command == "profile" and config.eval_limit is not None:
            yield "--limit (--env.eval_limit) is for evaluate: set --env.profile_completions."
        if config.start_levels and config.complexity_mode != "curriculum":
            yield (
                "--env.start_levels are those of the curriculum: set --env.complexity_mode "
                "curriculum, or leave them out."
            )
        if speaks_chat and config.chat_template is not None:
            yield (
                "--env.chat_template has no effect with server_type openai, where the server has "
                "the template: leave it out."
            )
        if config.eval_request and not speaks_chat:
            yield (
                "--env.eval_request changes requests to OpenAI's chat API: set "
                "--openai.server_type openai, or leave it out."
            )


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]
