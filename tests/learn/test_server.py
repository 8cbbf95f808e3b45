"""The small model over HTTP."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.model import logprobs, new_model, padded
from tests.learn.models import END, VOCABULARY, serving_model
from tests.support.paths import ROOT

PROMPT = [5, 6, 7]


@pytest.fixture
def model() -> Any:
    return new_model("tiny", vocabulary=VOCABULARY, seed=1)


@pytest.fixture
async def url(model: Any) -> AsyncIterator[str]:
    """The address of a server in this process."""
    async with serving_model(model, END) as url:
        yield url


async def post(url: str, endpoint: str = "/generate", **body: Any) -> tuple[int, dict[str, Any]]:
    async with aiohttp.ClientSession() as session, session.post(url + endpoint, json=body) as reply:
        return reply.status, await reply.json()


async def generate(url: str, **changes: Any) -> tuple[int, dict[str, Any]]:
    body = {"prompt": {"prompt_token_ids": PROMPT}, "n": 2, "max_tokens": 5, "logprobs": 0}
    return await post(url, **body | changes)


def tokens_of(rows: list[Any]) -> list[int]:
    return [int(token) for [entry] in rows for token in entry]


def served(rows: list[Any]) -> list[float]:
    return [value for [entry] in rows for value in entry.values()]


def plain(model: Any, rows: list[Any]) -> list[float]:
    """Return the log probabilities of a completion's tokens from one forward pass."""
    with torch.no_grad():
        return logprobs(model, padded([PROMPT + tokens_of(rows)]))[0, len(PROMPT) - 1 :].tolist()


class TestGenerate:
    async def test_completions_have_tokens_and_log_probabilities(
        self, url: str, model: Any
    ) -> None:
        """A completion is a list of maps from one token to its log probability."""
        status, answer = await generate(url, n=20, temperature=1.0, top_p=1.0)
        assert status == 200 and len(answer["logprobs"]) == 20
        for rows, reason in zip(answer["logprobs"], answer["finish_reasons"], strict=True):
            tokens = tokens_of(rows)
            assert (reason == "stop") == (tokens[-1] == END)
            assert reason == "stop" or len(tokens) == 5
            assert served(rows) == pytest.approx(plain(model, rows), abs=1e-5)

    async def test_concurrent_requests_get_their_own_answers(self, url: str, model: Any) -> None:
        """Requests with different limits in one batch get the number of tokens they asked for."""
        wanted = [(n, limit) for n in (1, 4) for limit in (1, 3, 12)]
        answers = await asyncio.gather(
            *(generate(url, n=n, max_tokens=limit, temperature=0) for n, limit in wanted)
        )
        for (n, limit), (_, answer) in zip(wanted, answers, strict=True):
            assert [len(rows) for rows in answer["logprobs"]] == [limit] * n
            assert tokens_of(answer["logprobs"][0]) == tokens_of(
                answers[-1][1]["logprobs"][0][:limit]
            )

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"prompt": "hello"}, "token ids"),
            ({"prompt": {"prompt_token_ids": [VOCABULARY]}}, "token id"),
            ({"top_p": 0.9}, "top_p must be 1"),
            ({"temperature": -1}, "temperature"),
            ({"max_tokens": 1022}, "together"),
            ({"n": 0}, "n must be"),
        ],
    )
    async def test_a_bad_request_gets_a_reason(
        self, url: str, changes: dict[str, Any], reason: str
    ) -> None:
        """An invalid request gets status 400 and the reason, and the next one is answered."""
        status, answer = await generate(url, **changes)
        assert status == 400 and reason in answer["error"]
        assert (await generate(url))[0] == 200


class TestProgram:
    @pytest.mark.parametrize("trouble", ["port", "weights"])
    def test_a_failed_start_is_one_line(
        self, trouble: str, model: Any, tmp_path: Path, tokenizer_dir: Path
    ) -> None:
        """A port in use or missing weights are reported without a traceback."""
        model.save_pretrained(tmp_path)
        weights = tmp_path / "nothing" if trouble == "weights" else tmp_path
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1] if trouble == "port" else 0
            words = [f"--port={port}", f"--weights={weights}", f"--tokenizer={tokenizer_dir}"]
            done = subprocess.run(
                [sys.executable, "-m", "examples.learn.server", *words],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=120,
            )
        assert done.returncode == 1 and "cannot start" in done.stderr
        assert str(port if port else weights) in done.stderr and "Traceback" not in done.stderr


class TestWeights:
    async def test_new_weights_are_served(self, url: str, model: Any, tmp_path: Path) -> None:
        """After new weights are loaded, log probabilities are theirs."""
        other = new_model("tiny", vocabulary=VOCABULARY, seed=2)
        other.save_pretrained(tmp_path)
        status, answer = await post(url, "/weights", path=str(tmp_path))
        assert (status, answer) == (200, {"loads": 1})
        [rows] = (await generate(url, n=1))[1]["logprobs"]
        assert served(rows) == pytest.approx(plain(other, rows), abs=1e-5)
        assert served(rows) != pytest.approx(plain(model, rows), abs=1e-5)

    async def test_missing_weights_are_refused(self, url: str, model: Any, tmp_path: Path) -> None:
        """A folder without weights gets status 400, and the old weights stay."""
        status, answer = await post(url, "/weights", path=str(tmp_path / "nothing"))
        assert status == 400 and "no weights there" in answer["error"]
        [rows] = (await generate(url, n=1))[1]["logprobs"]
        assert served(rows) == pytest.approx(plain(model, rows), abs=1e-5)
