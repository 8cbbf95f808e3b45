"""README.md: its complete starts run as they stand, on the stand-in and on a double of vLLM."""

import json
import re
import shlex
from pathlib import Path

import pytest

from demo.processes import Children, free_port
from tests.repository.test_first_training import checkout, opened
from tests.support.commands import exit_code, log_of
from tests.support.paths import ROOT
from tests.support.polling import until

__all__ = ["checkout"]

README = (ROOT / "README.md").read_text(encoding="utf-8")
STARTS = README.partition("\n## Three starts\n")[2].partition("\n## ")[0]
CHAT, VLLM, SERVER, BOTH = re.findall(r"```bash\n(.*?)```", STARTS, re.DOTALL)
"""A chat endpoint, vLLM, the stand-in, and two commands that ask it."""


@pytest.mark.soak
async def test_the_starts_run_as_they_stand(checkout: Path) -> None:
    """Only addresses and names of models are replaced."""
    port = str(free_port())
    stand_in = f"http://localhost:{port}/v1"
    chat = CHAT.replace("https://HOST/v1", stand_in).replace("MODEL", "stand-in")
    # The same words as for the stand-in, but for tokenizer and token limit.
    vllm = shlex.split(VLLM.replace("\\\n", " "))
    nothing = shlex.split(BOTH.replace("\\\n", " "))
    assert {word for word in vllm if word.startswith("--")} <= set(nothing)
    async with Children(logs=checkout) as children:
        server = await opened(children, SERVER.replace("9004", port), checkout, 0)
        await children.while_alive(until(lambda: "port" in log_of(server)))
        for number, commands in enumerate((chat, BOTH.replace("9004", port)), 1):
            child = await opened(children, f"set -e\n{commands}", checkout, number)
            assert await exit_code(child) == 0, log_of(child)
            assert "report.html" in log_of(child)
    groups = (checkout / "groups.jsonl").read_text().splitlines()
    assert len(groups) == 50 and len(json.loads(groups[0])["scores"]) == 8
