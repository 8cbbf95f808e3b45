"""Documents agree with the code: options, metrics, formats, commands, pictures, paths."""

import gzip
import json
import re
from typing import Any

import pytest
import yaml
from atroposlib.envs.base import APIServerConfig

from reasoning_gym_environment import ReasoningGymEnvConfig
from rgenv.cli.entry import COMMANDS
from rgenv.task_names import KNOWN_TASKS, choose_tasks
from scripts import draw_packages, generate_docs
from tests.support.paths import DATA, ROOT

DOCUMENTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
}
PROSE = {name: re.sub(r"```.*?```", "", text, flags=re.DOTALL) for name, text in DOCUMENTS.items()}
"""Documents without their blocks of code."""

FORMATS = DOCUMENTS["docs/files.md"]


@pytest.mark.parametrize("name", generate_docs.DOCUMENTS)
def test_generated_documents_are_current(name: str) -> None:
    """`python scripts/generate_docs.py` would change nothing."""
    assert generate_docs.current(name) == DOCUMENTS[name]


def test_the_picture_of_the_packages_is_current() -> None:
    """`python scripts/draw_packages.py` would change nothing."""
    assert draw_packages.dot(draw_packages.arrows()) == draw_packages.DOT.read_text()
    assert draw_packages.DOT.with_suffix(".png").exists()


def test_options_that_documents_name_exist() -> None:
    for name, text in DOCUMENTS.items():
        # verifiers has options of the same section
        env = set(re.findall(r"--env\.([a-z_]+)", text)) - {"agent", "taskset"}
        servers = set(re.findall(r"--openai\.([a-z_]+)", text))
        assert env <= ReasoningGymEnvConfig.model_fields.keys(), name
        assert servers <= APIServerConfig.model_fields.keys(), name


def test_commands_that_documents_name_exist() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for name, text in DOCUMENTS.items():
        code = " ".join(re.findall(r"`[^`]+`", text)) + text
        made = set(re.findall(r"(?:^|`)make ([a-z-]+)", code, re.MULTILINE))
        assert made <= set(targets), name
        run = set(re.findall(r"reasoning_gym_environment\.py ([a-z]\w+)", text))
        assert run <= COMMANDS.keys(), name


def test_examples_of_configuration_files_are_valid() -> None:
    [block] = re.findall(r"```yaml\n(.*?)```", DOCUMENTS["docs/options.md"], re.DOTALL)
    for text in (block, (ROOT / "configs" / "recommended.yaml").read_text()):
        content = yaml.safe_load(text)
        config = ReasoningGymEnvConfig(**content["env"])
        assert choose_tasks(KNOWN_TASKS, config.task_names, config.exclude_tasks)
        for server in content.get("openai", []):
            assert set(server) <= APIServerConfig.model_fields.keys()


def anchor(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", PROSE[name]):
        if not link.startswith("http"):
            path, _, place = link.partition("#")
            target = (ROOT / name).parent / path if path else ROOT / name
            assert target.exists(), link
            if place:
                headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
                assert place in map(anchor, headings), link


@pytest.mark.parametrize("name", DOCUMENTS)
def test_paths_exist(name: str) -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] != "."}
    folders -= {"demo_output", "first_output", "learn_output", "model_output"}  # written
    text = DOCUMENTS[name].replace("rgenv/reasoning_gym ", "")  # a task of inspect-ai
    for path in re.findall(r"[`\s(]([\w-]+/[\w./-]*\w/?)(?=[`\s),.:;#])", text):
        if path.split("/")[0] in folders and "a/b.py" not in path and "test_b.py" not in path:
            assert (ROOT / path).exists(), path


# Formats

RECORDINGS: dict[str, Any] = json.loads(gzip.decompress((DATA / "recordings.json.gz").read_bytes()))
EXAMPLES = {
    name: json.loads(block)
    for name, block in re.findall(
        r"<!-- example: ([\w.]+) -->\n```json\n(.*?)```", FORMATS, re.DOTALL
    )
}

FREE_KEYS = {"config"}
"""Mappings whose keys are parameters of a task."""

OPEN_LISTS = {"tokens", "masks", "inference_logprobs", "overrides"}
"""Lists that the recordings shorten, or whose elements differ."""


def keys_of(value: Any) -> Any:
    """Return the keys of a JSON value, level by level; of a list, those of its first element."""
    if isinstance(value, dict):
        return {
            key: None if key in FREE_KEYS | OPEN_LISTS else keys_of(inner)
            for key, inner in value.items()
        }
    return [keys_of(value[0])] if isinstance(value, list) and value else None


def test_examples_of_formats_have_the_recorded_keys() -> None:
    assert set(EXAMPLES) == {"dump", "groups", "samples"}
    for name, example in EXAMPLES.items():
        recorded = RECORDINGS[name]
        first = recorded[0] if isinstance(recorded, list) else recorded
        assert keys_of(example) == keys_of(first)
