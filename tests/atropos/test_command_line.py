"""rgenv/atropos/command_line.py: words and a file become typed values, or sentences."""

import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
from atroposlib.envs.base import APIServerConfig, BaseEnvConfig
from pydantic import AfterValidator, BeforeValidator

from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig, main
from rgenv.atropos.command import surface
from rgenv.atropos.command_line import Surface, new_parser, read
from rgenv.atropos.options import Options, ServerOptions
from rgenv.cli.entry import Request
from rgenv.dialogue.formats import BOXED
from rgenv.errors import BadUsage
from tests.support.subclasses import Mine, TeacherFirst

MODEL = ["--openai.model_name", "m"]


def request(*words: str, command: str = "serve") -> Request:
    found = read(command, [*MODEL, *words])
    assert isinstance(found, Request)
    return found


def refused(*words: str) -> str:
    with pytest.raises(BadUsage) as error:
        read("serve", [*MODEL, *words])
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_options_are_those_of_the_configuration() -> None:
    """Help knows them without Atropos; a release of it with others is noticed here."""
    assert set(BaseEnvConfig.model_fields) <= set(Options.model_fields)
    assert set(ReasoningGymEnvConfig.model_fields) == set(Options.model_fields)
    assert set(APIServerConfig.model_fields) == set(ServerOptions.model_fields)
    ours = {"total_steps", "eval_handling"}
    for atropos, model in ((BaseEnvConfig, Options), (APIServerConfig, ServerOptions)):
        for name, field in atropos.model_fields.items():
            assert name in ours or model.model_fields[name].default == field.default, name


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("--env.seed -1", "seed", -1),
        ("--env.complexity_mode none", "complexity_mode", None),
        ("--tasks gcd,lcm --env.task_names maze", "task_names", ["gcd", "lcm", "maze"]),
        ("--env.task_weights gcd=1 --env.task_weights lcm=2", "task_weights", {"gcd": 1, "lcm": 2}),
        ("--env.random_level_range 0.5 1", "random_level_range", (0.5, 1)),
        ("--force --env.seed 1", "force", True),
        ("--env.answer_format boxed", "answer_format", BOXED),
        ("--env.eval_levels none,0.5", "eval_levels", [None, 0.5]),
    ],
)
def test_words_become_typed_values(words: str, name: str, value: Any) -> None:
    """Values follow a space or an equals sign, may begin with a minus, be none or a list."""
    assert getattr(request(*words.split()).config, name) == value


def test_options_of_a_subclass_may_be_words_too() -> None:
    """Where its own validators do not read them."""
    words = "--env.names a,b --env.names c --env.pairs k=1 --env.pairs l=2 --env.pause 1-2"
    words += " --env.anything n=1,w=x"
    found: Any = read("process", [*MODEL, *words.split()], surface(Mine, "process"))
    config = found.config
    assert (config.names, config.pairs) == ({"a", "b", "c"}, {"k": 1, "l": 2})
    assert (config.pause, config.anything) == ([1, 2], {"n": 1, "w": "x"})
    with pytest.raises(BadUsage, match=r"--env\.pairs: write name=value,... or JSON, not 'k'"):
        read("process", [*MODEL, "--env.pairs", "k"], surface(Mine, "process"))


class Further(Mine):
    """Its options include ours with other defaults, and are declared as Atropos does it."""

    class env_config_cls(BaseEnvConfig):
        group_size: int = 16
        include_messages: bool = False
        judge: str | None = "gpt-4o"
        word_list: Annotated[Path | None, AfterValidator(lambda path: path and path.stem)] = None
        most: int | None = 3
        read: Annotated[str | None, BeforeValidator(lambda text: f"<{text}>")] = None


def test_none_stands_for_no_value_in_options_of_a_subclass(tmp_path: Path) -> None:
    """Unless a validator of its own reads the text."""
    (tmp_path / "run.yaml").write_text("env: {judge: none, word_list: null}")
    own = "--env.word_list none --env.most none --env.read none --env.greeting none"
    words = [*MODEL, "--config", str(tmp_path / "run.yaml"), *own.split()]
    config: Any = read("process", words, surface(Further, "process")).config
    assert (config.judge, config.word_list, config.most) == (None, None, None)
    assert (config.read, config.greeting) == ("<none>", "none")


def test_defaults_of_a_subclass_win_over_those_of_the_commands() -> None:
    found: Any = read("process", MODEL, surface(Further, "process"))
    config = found.config
    assert isinstance(config, ReasoningGymEnvConfig) and config.names is None
    assert (config.group_size, config.include_messages, config.judge) == (16, False, "gpt-4o")
    assert (config.seed, config.ensure_scores_are_not_same) == (1918, False)
    with pytest.raises(BadUsage, match="group_size"):
        read("process", [*MODEL, "--env.group_size", "0"], surface(Further, "process"))


def test_config_init_may_return_what_atropos_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    returned: list[Any] = [BaseEnvConfig(group_size=3), ReasoningGymEnv.config_init()[1]]
    monkeypatch.setattr(Further, "config_init", lambda: returned)
    found: Any = read("serve", MODEL, surface(Further, "serve"))
    assert (found.config.group_size, found.config.judge) == (3, "gpt-4o")


def test_words_win_over_the_file_and_the_file_over_defaults(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        "env: {seed: 3, group_size: 5}\nopenai: [{model_name: other, timeout: 7, weight: 1.0}]\n"
        "slurm: false"
    )
    found = request("--config", str(tmp_path / "run.yaml"), "--env.seed=4")
    assert (found.config.seed, found.config.group_size, found.config.batch_size) == (4, 5, 1024)
    [server] = found.servers
    assert (server.model_name, server.timeout, server.server_type) == ("m", 7, "vllm")
    assert found.config.tokenizer_name == "m"
    assert {"seed", "group_size"} <= found.config.model_fields_set
    assert "max_token_length" not in found.config.model_fields_set
    (tmp_path / "two.yaml").write_text("openai: [&one {model_name: a}, {<<: *one, timeout: 7}]")
    both: Any = read("evaluate", ["--config", str(tmp_path / "two.yaml")])
    assert [(one.model_name, one.timeout) for one in both.servers] == [("a", 1200), ("a", 7)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env.sed", "1", "--b"], "option --env.sed. Did you mean --env.seed? There is no op"),
        (["--env.seed"], "--env.seed needs a value"),
        (["--env.seed", "1", "2"], "'2' belongs to no option; options are written --name value."),
        (["--level", "1"], "Did you mean --env.complexity_mode?"),
        (["--env.task_weights", '{"a": 1}'] * 2, "--env.task_weights is given twice: write one"),
        (["--env.eval_request", "max_tokens=abc"], "max_tokens must be a positive whole number"),
        (["--env.eval_request", "top_p=[1]"], "top_p must be a number or null, not [1]."),
        (["--config", ""], "--config is empty: name a YAML file"),
    ],
)
def test_a_wrong_word_is_a_sentence(words: list[str], message: str) -> None:
    assert message in refused(*words)


@pytest.mark.parametrize(
    ("tokenizer", "model", "words", "found"),
    [
        (None, None, ["--openai.model_name", "a"], ("a", "a")),
        ("t", None, ["--openai.model_name", "a"], ("t", "a")),
        ("t", None, [], ("t", "t")),
        (None, "m", [], ("m", "m")),
        ("t", "m", [], ("t", "m")),
        ("t", "m", ["--env.tokenizer_name", "b"], ("b", "m")),
    ],
)
def test_model_and_tokenizer_may_be_named_by_a_class_or_by_words(
    tokenizer: str | None, model: str | None, words: list[str], found: tuple[str, str]
) -> None:
    surface = Surface()
    surface.config.tokenizer_name = tokenizer or surface.config.tokenizer_name
    surface.servers[0].model_name = model or surface.servers[0].model_name
    request = read("process", words, surface)
    assert isinstance(request, Request)
    [server] = request.servers or surface.servers
    assert (request.config.tokenizer_name, server.model_name) == found


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "run.yaml").write_text(
        "env: {sed: 1, top_p: 2, eval_tasks: mais, task_weights: {gcd: -1}, seed: true, "
        "random_level_range: [0, true]}\nopenai: {tiemout: 1, timeout: true}"
    )
    words = "--env.group_size x --tasks gdc,lcmm --env.start_levels gcdd=0.5 --env.exclude_tasks x"
    words += " --env.sead 1 --frob --env.data_path_to_save_groups /proc/a/b --env.profile_dir /proc"
    with pytest.raises(BadUsage) as error:
        read("serve", ["--config", str(tmp_path / "run.yaml"), *words.split()])
    for part in (
        "There is no option --env.sead. Did you mean --env.seed? There is no option --frob. See --",
        "run.yaml: there are no options",
        "Did you mean ",
        "env.seed",
        "openai.timeout? See --help.",
        "run.yaml: env.top_p must be at most 1, not 2.",
        "--env.group_size must be a whole number, not 'x'.",
        "env.task_weights (gcd): must be a positive number",
        *(f"{n}: write a number" for n in ("env.seed", "env.random_level_range", "openai.timeout")),
        "/proc/a can't be written",
        *("'gdc'", "'lcmm'", "'mais'", "'x'", "start_levels: there is no task 'gcdd'"),
        "No model is named: give the server with --openai.base_url",
    ):
        assert part in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the top level must be a mapping with keys among env, openai, slurm; it is empty"),
        ("evn: {seed: 1}", "there is no section 'evn'; .* Did you mean env"),
        ("seed: 1\nfrob: 2", r"are no sections 'seed', 'frob'; .* mean `env: {seed: \.\.\.}`\?"),
        ("testing: true", "testing is for programs that call the class: leave it out"),
        ("env:", "env must be a mapping; it is empty: remove it"),
        ("env: {random_level_range: high}", "run.yaml: env.random_level_range"),
        ("openai: [{api_key: 17}]", r"run.yaml: openai.api_key must be text\.$"),
        ("openai: [{}, {}]", "has 2 inference servers, so --openai.model_name can't say which"),
        ("openai: []", "openai must be a mapping, or a list .*; it is empty: remove it"),
        ("env:\n  seed: 1\n top_p: 1", "line 3: this is not YAML: brackets or indentation do not"),
        ("env: {seed: 1, seed: 2}", "can't be read: line 1: the key 'seed' comes twice"),
        ("env: " + "[" * 9999, "can't be read: it is nested too deeply"),
        ("env: {task_configs: &a {gcd: *a}}", "can't be read: it is nested too deeply"),
        ("env: !!python/name:os.system {}", "can't be read: line 1: this is not YAML: "),
        ("env: *sk-secret", "undefined alias …"),
        ("openai: {api_key: !!bool sk-secret}", r"can't be read: a value does not fit its tag\.$"),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(BadUsage, match=message) as error:
        read("serve", ["--config", str(path), *MODEL])
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    assert "sk-secret" not in str(error.value)


@pytest.mark.parametrize("command", ["serve", "process", "evaluate", "profile"])
def test_what_is_read_without_the_class_is_what_it_gets(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[tuple[Any, Any]] = []

    def remember(self: Any, config: Any, server_configs: Any, **_: Any) -> None:
        made.append((config.model_copy(), server_configs))
        raise KeyboardInterrupt

    monkeypatch.setattr(ReasoningGymEnv, "__init__", remember)
    monkeypatch.setattr(sys, "argv", ["reasoning_gym_environment.py"])
    monkeypatch.chdir(tmp_path)
    assert main([command, *MODEL]) == 130
    [(config, [server])] = made
    found = request(command=command)
    assert config.model_dump(mode="json") == found.config.model_dump(mode="json")
    assert [server.model_dump()] == [one.model_dump() for one in found.servers]
    assert (config.group_size, config.seed, server.server_type) == (8, 1918, "vllm")


def test_help_has_types_defaults_and_what_a_subclass_adds() -> None:
    plain = new_parser("serve", Surface()).format_help()
    assert "--env.seed  integer; default: 1918" in plain
    assert "--env.task_names or --tasks  list of strings; default: none" in plain
    mine = new_parser("serve", surface(Mine, "serve")).format_help()
    assert "Options of Mine:\n  --env.greeting  string; default: none\n" in mine
    teacher = new_parser("serve", surface(TeacherFirst, "serve")).format_help()
    assert "Options of teacher:\n  --teacher." in teacher and "env.teacher_top_k" in teacher
    assert "--teacher." not in new_parser("process", surface(TeacherFirst, "process")).format_help()


def test_home_folder_and_replica_are_those_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"HOME": "/home/me", "SLURM_PROCID": "3", "SLURM_NTASKS": "16"}.items():
        monkeypatch.setenv(name, value)
    found = Options(data_dumps_dir="~/dumps", data_path_to_save_groups="a~b")
    assert (found.data_dumps_dir, found.data_path_to_save_groups) == ("/home/me/dumps", "a~b")
    assert (found.replica_id, found.num_replicas) == (3, 16)
    assert Options(replica_id=1).replica_id == 1
