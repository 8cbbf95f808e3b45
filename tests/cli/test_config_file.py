"""rgenv/cli/config_file.py: a YAML file, its sections and its keys."""

from pathlib import Path

import pytest

from rgenv.cli.arguments import Option
from rgenv.cli.config_file import read
from rgenv.errors import BadUsage

OPTIONS = [
    Option("config"),
    Option("slurm"),
    Option("env.seed"),
    Option("env.task_names"),
    Option("env.batch_size"),
    Option("env.debug_logging"),
    Option("openai.model_name"),
]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("env: {seed: 1}", {"env": {"seed": 1}}),
        ("env: {}\nslurm: true", {"env": {}, "slurm": True}),
        ("testing: false\nopenai: [{weight: 1.0}]", {"openai": [{}]}),
        ("openai: {model_name: m}", {"openai": {"model_name": "m"}}),
        ("openai: [{model_name: m}]", {"openai": [{"model_name": "m"}]}),
        (
            "openai: [&one {model_name: m}, {<<: *one}]",
            {"openai": [{"model_name": "m"}, {"model_name": "m"}]},
        ),
    ],
)
def test_known_sections_and_keys_are_read(tmp_path: Path, text: str, content: object) -> None:
    """Sections are mappings; that of the servers may be a list; merge keys work."""
    path = tmp_path / "run.yaml"
    path.write_text(text)
    assert read(str(path), OPTIONS) == content


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the top level must be a mapping with keys among env, openai, slurm; it is empty"),
        ("- env", "the top level must be a mapping with keys among env, openai, slurm; it is a l"),
        ("evn: {seed: 1}", "there is no section 'evn'; .* Did you mean env"),
        ("1: 2", "there is no section '1'"),
        ("config: other.yaml", "there is no section 'config'"),
        ("testing: true", "testing is for programs that call the class: leave it out"),
        ("env: {sed: 1}", r"there is no option env\.sed\. Did you mean env\.seed"),
        ("env: {model_name: m}", r"there is no option env\.model_name\. Did you mean openai\.m"),
        ("env: {env.seed: 1}", r"there is no option env\.env\.seed\. Did you mean env\.seed"),
        ("openai: [{model_name: m}, {modelname: m}]", r"there is no option openai\.modelname\. Di"),
        (
            "env: {sed: 1, batch_size: 2, frobnicate: 3}\nopenai: [{weight: 2.0}, {weight: 2.0}]",
            r"are no options env\.sed, env\.frobnicate, openai\.weight\. Did you mean env\.seed\?",
        ),
        (
            "seed: 1\ntask_names: gcd\nfrobnicate: 3\nenv: {sed: 2}",
            r"are no sections 'seed', 'task_names', 'frobnicate'; the keys of the top level are .* "
            r"Did you mean `env: {seed: \.\.\.}` or `env: {task_names: \.\.\.}`\? And there is no "
            r"option env\.sed\. Did you mean env\.seed\? See",
        ),
        ("env:", "env must be a mapping; it is empty: remove it"),
        ("env: 3", "env must be a mapping; it is 3"),
        ("openai:", "openai must be a mapping, or a list with a mapping for each server; it is em"),
        ("openai: []", "openai must be a mapping, or a list .*; it is empty: remove it"),
        ("env:\n  seed: 1\n  seed: 2", "line 3: this is not YAML: a key comes twice"),
        ("env: [", "can't be read: line 1: this is not YAML: "),
        ("env: {seed: 2024-13-45}", "can't be read: this is not YAML: month must be in"),
        ("task_names: gcd", "no section 'task_names'.* Did you mean `env: {task_names: ...}`"),
        ("env.seed: 1", "no section 'env.seed'.* Did you mean `env: {seed: ...}`"),
        ("env: " + "[" * 9999, "can't be read: it is nested too deeply"),
        ("env: !!python/name:os.system {}", "can't be read: line 1: this is not YAML: "),
        ("env: {!sk-secret: 1}", "tag …$|tag ….$"),
        ("env: *sk-secret", "undefined alias …"),
        ("openai: {api_key: !!bool sk-secret}", r"can't be read: a value does not fit its tag\.$"),
        ('env: {seed: !!int ""}', "a value does not fit its tag"),
        ("env: {seed: " + "1:" * 190 + "1.5}", "a value does not fit its tag"),
        ("env: {seed: !!timestamp x}", "a value does not fit its tag"),
    ],
)
def test_a_mistake_is_a_sentence_with_the_file(tmp_path: Path, text: str, message: str) -> None:
    """Unknown names get the nearest one; a file that is not YAML, the line; doubled keys, too."""
    path = tmp_path / "run.yaml"
    path.write_text(text)
    with pytest.raises(BadUsage, match=message) as refused:
        read(str(path), OPTIONS)
    assert str(path) in str(refused.value) and "\n" not in str(refused.value)
    assert "sk-secret" not in str(refused.value)


def test_what_is_no_text_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large").write_text("#" * (1 << 21))
    for path, why in (
        (tmp_path / "binary", "it is not a text file"),
        (tmp_path / "no.yaml", "there is no such file"),
        (tmp_path, "it is a folder"),
        (tmp_path / "large", "it has more than 1 MB"),
    ):
        with pytest.raises(BadUsage, match=f"can't be read: {why}"):
            read(str(path), OPTIONS)
