"""The stand-in policy server: its formats, its limits, bad requests, and its end."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerFast

from demo.policy import Policy
from demo.policy_server import main, start
from tests.support.paths import ROOT
from tests.support.processes import ends_within

GCD = "Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. Give only the GCD"
FLAWLESS = {"error_rate": 0.0, "format_error_rate": 0.0, "overlong_rate": 0.0}


def ask(tokenizer: Any, path: str, body: Any, **rates: float) -> tuple[int, dict[str, Any]]:
    """Send one request to a new server: bytes as they are, anything else as JSON."""

    async def once() -> tuple[int, dict[str, Any]]:
        server = await start(Policy(**FLAWLESS | rates), tokenizer)
        data = body if isinstance(body, bytes) else json.dumps(body)
        try:
            url = f"http://127.0.0.1:{server.port}{path}"
            async with aiohttp.ClientSession() as session, session.post(url, data=data) as reply:
                return reply.status, await reply.json()
        finally:
            await server.close()

    return asyncio.run(asyncio.wait_for(once(), timeout=60))


def chat_ids(tokenizer: Any, question: str) -> list[int]:
    messages = [{"role": "system", "content": "Think."}, {"role": "user", "content": question}]
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return tokenizer.encode(text)


def split(positions: list[list[dict[str, float]]]) -> tuple[list[int], list[float]]:
    pairs = [next(iter(entry[0].items())) for entry in positions]
    return [int(token) for token, _ in pairs], [value for _, value in pairs]


class TestGenerate:
    def test_tokens_and_logprobs(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """A completion is a list of maps from one token id to a log probability below zero."""
        prompt = {"prompt_token_ids": chat_ids(tokenizer, GCD)}
        body = {"prompt": prompt, "n": 3, "max_tokens": 200, "logprobs": 0, "temperature": 1.0}
        status, reply = ask(tokenizer, "/generate", body)
        assert status == 200 and reply["finish_reasons"] == ["stop"] * 3
        for positions, text in zip(reply["logprobs"], reply["text"], strict=True):
            assert all(len(entry) == 1 and len(entry[0]) == 1 for entry in positions)
            ids, values = split(positions)
            assert ids[-1] == tokenizer.eos_token_id
            assert tokenizer.decode(ids, skip_special_tokens=True) == text
            assert text.endswith("<answer>6</answer>")
            assert all(-50 < value < 0 for value in values)

    @pytest.mark.parametrize("limit", [1, 5, 200])
    def test_overlong_is_cut_exactly(self, tokenizer: PreTrainedTokenizerFast, limit: int) -> None:
        """An overlong completion has max_tokens tokens and the finish reason "length"."""
        body = {"prompt": {"prompt_token_ids": chat_ids(tokenizer, GCD)}, "max_tokens": limit}
        _, reply = ask(tokenizer, "/generate", body, overlong_rate=1.0)
        assert reply["finish_reasons"] == ["length"]
        assert len(reply["logprobs"][0]) == limit

    def test_a_finished_text_that_does_not_fit_is_cut(
        self, tokenizer: PreTrainedTokenizerFast
    ) -> None:
        """The end token counts: a text without room for it has the finish reason "length"."""
        body = {"prompt": {"prompt_token_ids": chat_ids(tokenizer, GCD)}, "max_tokens": 1000}
        _, whole = ask(tokenizer, "/generate", body)
        length = len(whole["logprobs"][0])
        _, exact = ask(tokenizer, "/generate", body | {"max_tokens": length})
        _, short = ask(tokenizer, "/generate", body | {"max_tokens": length - 1})
        assert exact == whole
        assert short["finish_reasons"] == ["length"] and len(short["logprobs"][0]) == length - 1


class TestOpenAI:
    def test_completions(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """A text prompt is answered with numbered choices and token counts."""
        body = {"model": "m", "prompt": GCD, "n": 2, "max_tokens": 200}
        _, reply = ask(tokenizer, "/v1/completions", body)
        assert reply["object"] == "text_completion" and reply["model"] == "m"
        assert [choice["index"] for choice in reply["choices"]] == [0, 1]
        assert all(c["text"].endswith("<answer>6</answer>") for c in reply["choices"])
        assert reply["usage"]["prompt_tokens"] == len(tokenizer.encode(GCD))

    def test_completions_take_token_ids(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """The prompt may be a list of token ids."""
        body = {"prompt": tokenizer.encode(GCD), "max_tokens": 200}
        _, reply = ask(tokenizer, "/v1/completions", body)
        assert reply["choices"][0]["text"].endswith("<answer>6</answer>")

    @pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
    def test_chat_completions(self, tokenizer: PreTrainedTokenizerFast, field: str) -> None:
        """Messages are formatted with the chat template; the answer is a message."""
        body = {"model": "m", "messages": [{"role": "user", "content": GCD}], field: 200}
        _, reply = ask(tokenizer, "/v1/chat/completions", body)
        [choice] = reply["choices"]
        assert reply["object"] == "chat.completion" and choice["finish_reason"] == "stop"
        assert choice["message"]["role"] == "assistant"
        assert choice["message"]["content"].endswith("<answer>6</answer>")


IDS = {"prompt": {"prompt_token_ids": [1, 2]}}


class TestBadRequests:
    @pytest.mark.parametrize(
        ("path", "body", "reason"),
        [
            ("/generate", b"{not json", "not JSON"),
            ("/generate", b"\xff\xfe", "not JSON"),
            ("/generate", b"[" * 100_000, "not JSON"),
            ("/generate", [], "JSON object"),
            ("/generate", {}, "token ids"),
            ("/generate", {"prompt": "text"}, "token ids"),
            ("/generate", {"prompt": {"prompt_token_ids": []}}, "token ids"),
            ("/generate", {"prompt": {"prompt_token_ids": [10**9]}}, "token id"),
            ("/generate", {"prompt": {"prompt_token_ids": [-1]}}, "token id"),
            ("/generate", {"prompt": {"prompt_token_ids": [True]}}, "token id"),
            ("/generate", IDS | {"n": 0}, "n must be"),
            ("/generate", IDS | {"n": 10**9}, "n must be"),
            ("/generate", IDS | {"max_tokens": 0}, "max_tokens must be"),
            ("/generate", IDS | {"max_tokens": "9"}, "max_tokens must be"),
            ("/generate", IDS | {"max_tokens": 1.5}, "max_tokens must be"),
            ("/generate", IDS | {"stream": True}, "streaming"),
            ("/v1/completions", {"prompt": None}, "token ids"),
            ("/v1/completions", b'{"prompt": "\\ud800"}', "not JSON"),
            ("/v1/chat/completions", {"messages": []}, "messages"),
            ("/v1/chat/completions", {"messages": ["hi"]}, "role"),
            ("/v1/chat/completions", {"messages": [{"role": "user"}]}, "content"),
        ],
    )
    def test_bad_request(
        self, tokenizer: PreTrainedTokenizerFast, path: str, body: Any, reason: str
    ) -> None:
        """An invalid request is answered with status 400 and the reason."""
        status, reply = ask(tokenizer, path, body)
        assert status == 400
        assert reason in reply["error"]


@pytest.fixture
def program(tokenizer_dir: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "demo.policy_server", "--tokenizer", tokenizer_dir]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield child, json.loads(child.stdout.readline())["port"]
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


async def get_health(port: int) -> int:
    url = f"http://127.0.0.1:{port}/health"
    async with aiohttp.ClientSession() as session, session.get(url) as reply:
        return reply.status


class TestProgram:
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_ends_on_a_signal(
        self, program: tuple[subprocess.Popen[str], int], number: int
    ) -> None:
        """The program prints its port, answers there, and ends with 128 plus the signal."""
        child, port = program
        assert asyncio.run(get_health(port)) == 200
        child.send_signal(number)
        assert child.wait(timeout=300) == 128 + number

    def test_outlives_the_shell_that_started_it(self, tokenizer_dir: Path) -> None:
        """The end of the shell, even by SIGKILL, leaves the server running."""
        command = [sys.executable, "-m", "demo.policy_server", f"--tokenizer={tokenizer_dir}"]
        shell = subprocess.Popen(
            ["bash", "-c", '"$@" & echo $!; wait', "bash", *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        with shell:
            pid = int(shell.stdout.readline())
            port = json.loads(shell.stdout.readline())["port"]
            shell.kill()
            shell.wait()
            try:
                assert not ends_within(pid, seconds=1.5)
                assert asyncio.run(get_health(port)) == 200
            finally:
                os.kill(pid, signal.SIGTERM)
        assert ends_within(pid, seconds=30)

    def test_without_options_it_writes_a_tokenizer(self, tmp_path: Path) -> None:
        """The server of a new checkout needs no file that another program wrote."""
        child = subprocess.Popen(
            [sys.executable, "-m", "demo.policy_server"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        with child:
            try:
                assert json.loads(child.stdout.readline())["port"] > 0
            finally:
                child.terminate()
        assert AutoTokenizer.from_pretrained(tmp_path / "demo_output" / "tokenizer")

    @pytest.mark.parametrize(
        ("words", "code", "reason"),
        [
            (["--port", "99999"], 2, "must be a port, from 0 to 65535"),
            (["--tokenizer", "nowhere"], 2, "there is no folder nowhere"),
            (["--error-rate", "2"], 2, "error_rate is 2.0, not between 0 and 1"),
            (["--host", "256.0.0.1"], 1, "The policy server cannot start: "),
        ],
    )
    def test_a_server_that_cannot_start_says_why(
        self,
        tokenizer_dir: Path,
        words: list[str],
        code: int,
        reason: str,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        """One sentence, with exit code 2 for the command line and 1 for the machine."""
        with pytest.raises(SystemExit) as ended:
            main([f"--tokenizer={tokenizer_dir}", *words])
        said = str(ended.value.code) + capsys.readouterr().err
        assert reason in said and (ended.value.code == 2) == (code == 2)

    def test_a_port_in_use(self, tokenizer_dir: Path) -> None:
        """The sentence has the reason; the exit code is 1."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            with pytest.raises(SystemExit, match=r"cannot start: .*address already in use"):
                main([f"--tokenizer={tokenizer_dir}", f"--port={taken.getsockname()[1]}"])
