"""README.md: its complete starts run as they stand, on the stand-in and on a double of vLLM."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo.processes import free_port
from tests.repository.test_first_training import Terminal, checkout, terminal
from tests.support.paths import ROOT

__all__ = ["checkout"]

README = (ROOT / "README.md").read_text(encoding="utf-8")
STARTS = README.partition("\n## Three starts\n")[2].partition("\n## ")[0]
CHAT, VLLM, SERVER, BOTH = re.findall(r"```bash\n(.*?)```", STARTS, re.DOTALL)
"""A chat endpoint, vLLM, the stand-in, and two commands that ask it."""

SECONDS = 240.0


@pytest.fixture(scope="module")
def port() -> str:
    return str(free_port())


@pytest.fixture
def server(checkout: Path, port: str) -> Iterator[Terminal]:
    """The stand-in, started by the command of the page."""
    with terminal(SERVER.replace("9004", port), checkout, 0) as opened:
        while "port" not in opened.printed():
            assert opened.process.poll() is None, opened.printed()
        yield opened


def run(commands: str, checkout: Path, number: int) -> str:
    """Run commands in a shell and return what they print; each has to end well."""
    with terminal(f"set -e\n{commands}", checkout, number) as opened:
        assert opened.process.wait(timeout=SECONDS) == 0, opened.printed()
        return opened.printed()


@pytest.mark.soak
@pytest.mark.usefixtures("server")
def test_the_starts_run_as_they_stand(checkout: Path, port: str) -> None:
    """Only addresses and names of models are replaced."""
    stand_in = f"http://localhost:{port}/v1"
    chat = CHAT.replace("https://HOST/v1", stand_in).replace("MODEL", "stand-in")
    assert "report.html" in run(chat, checkout, 1)
    # The same words as for the stand-in, but for tokenizer and token limit.
    vllm = shlex.split(VLLM.replace("\\\n", " "))
    nothing = shlex.split(BOTH.replace("\\\n", " "))
    assert {word for word in vllm if word.startswith("--")} <= set(nothing)
    printed = run(BOTH.replace("9004", port), checkout, 2)
    assert "report.html" in printed
    groups = (checkout / "groups.jsonl").read_text().splitlines()
    assert len(groups) == 50 and len(json.loads(groups[0])["scores"]) == 8
