"""rgenv/errors.py: what is missing, and how to install it."""

import pytest

from tests.support.programs import run_python

pytestmark = pytest.mark.slow

BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"atroposlib", "jinja2", "markupsafe", "matplotlib", "wandb",
            "aiohttp", "jsonlines", "openai", "transformers"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Blocked())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name in ("atroposlib", "jinja2") else found(name)
"""
"""Makes a program that sees the core alone."""


def test_a_command_without_its_extra_ends_with_a_sentence() -> None:
    start = "from rgenv.cli.entry import main; sys.argv = ['rge', 'serve']; main()"
    done = run_python("-c", BLOCKED + start, check=False)
    told = 'The environment needs atroposlib: run `pip install ".[atropos]"` in the checkout.'
    assert (done.returncode, done.stderr) == (1, f"error: {told}\n")
