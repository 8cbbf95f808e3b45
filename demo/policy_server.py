"""The stand-in policy over HTTP, in the wire format that Atropos expects of a vllm server.

    python -m demo.policy_server --port 0 --tokenizer demo_output/tokenizer
    {"port": 40213}

    POST /generate {"prompt": {"prompt_token_ids": [31, 7]}, "n": 1, "max_tokens": 2, "logprobs": 0}
    {"logprobs": [[[{"14": -0.21}], [{"9": -0.03}]]], "finish_reasons": ["length"], "text": [...]}

GET /health says that it is there. POST /v1/completions and /v1/chat/completions speak OpenAI's
format, text only. A request that makes no sense gets a 400 with the reason. The program ends on
SIGTERM, on Ctrl-C, and when its parent is gone.

Not here: streaming, stop strings, sampling parameters (accepted and ignored), prompt logprobs.
"""

import argparse
import asyncio
import inspect
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from aiohttp import web
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from .leash import told_or_orphaned
from .policy import Policy

MAX_CHOICES = 1024
MAX_BODY_BYTES = 64 * 2**20
DEFAULT_MAX_TOKENS = 16
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Work = Callable[[dict[str, Any]], Any]


class BadRequest(ValueError):
    """A request that cannot be answered; its text is the reason."""


class Choice(NamedTuple):
    token_ids: list[int]
    text: str
    finish_reason: str


@dataclass(frozen=True)
class Service:
    policy: Policy
    tokenizer: PreTrainedTokenizerBase

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        ids = generate_ids(body, len(self.tokenizer))
        choices = self.choices(ids, body)
        return {
            "text": [choice.text for choice in choices],
            "logprobs": [logprobs(choice.token_ids) for choice in choices],
            "finish_reasons": [choice.finish_reason for choice in choices],
        }

    def completions(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = body.get("prompt")
        ids = self.encode(prompt) if type(prompt) is str else self.checked(prompt)
        found = self.choices(ids, body)
        texts = [{"text": choice.text} for choice in found]
        return openai_answer("text_completion", body, ids, found, texts)

    def chat_completions(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = checked_messages(body.get("messages"))
        prompt = self.tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        ids = self.encode(prompt)
        found = self.choices(ids, body)
        texts = [{"message": {"role": "assistant", "content": choice.text}} for choice in found]
        return openai_answer("chat.completion", body, ids, found, texts)

    def choices(self, prompt_ids: list[int], body: dict[str, Any]) -> list[Choice]:
        """The policy's texts as tokens, cut at the limit; one that ended carries the end token."""
        n = positive(body, "n", 1, MAX_CHOICES)
        longer_name = body.get("max_tokens") is None and "max_completion_tokens" in body
        field = "max_completion_tokens" if longer_name else "max_tokens"
        limit = positive(body, field, DEFAULT_MAX_TOKENS, self.tokenizer.model_max_length)
        prompt = self.tokenizer.decode(prompt_ids, skip_special_tokens=False)
        return [self.cut(text, limit) for text, _ in self.policy.complete(prompt, n, limit)]

    def cut(self, text: str, limit: int) -> Choice:
        ids = [*self.encode(text), self.tokenizer.eos_token_id]
        if len(ids) <= limit:
            return Choice(ids, text, "stop")
        return Choice(ids[:limit], self.tokenizer.decode(ids[:limit]), "length")

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False)

    def checked(self, ids: Any) -> list[int]:
        return checked_ids(ids, len(self.tokenizer))


def generate_ids(body: dict[str, Any], vocabulary: int) -> list[int]:
    """The prompt of a request to /generate."""
    prompt = body.get("prompt")
    return checked_ids(prompt.get("prompt_token_ids") if type(prompt) is dict else None, vocabulary)


def checked_ids(ids: Any, vocabulary: int) -> list[int]:
    if type(ids) is not list or not ids:
        raise BadRequest("prompt must hold token ids: a list that is not empty")
    if not all(type(token) is int and 0 <= token < vocabulary for token in ids):
        raise BadRequest(f"every token id must be an integer from 0 to {vocabulary - 1}")
    return ids


def logprobs(token_ids: list[int]) -> list[list[dict[str, float]]]:
    """Made-up, finite, below zero, and the same for the same tokens."""
    rng = random.Random(str(token_ids))
    return [[{str(token): -0.001 - rng.expovariate(4.0)}] for token in token_ids]


def openai_answer(
    kind: str,
    body: dict[str, Any],
    prompt: list[int],
    found: list[Choice],
    texts: list[dict[str, Any]],
) -> dict[str, Any]:
    written = sum(len(choice.token_ids) for choice in found)
    return {
        "id": f"{kind}-{time.time_ns()}",
        "object": kind,
        "created": int(time.time()),
        "model": body.get("model") or "stand-in",
        "choices": [
            {"index": i, "finish_reason": choice.finish_reason, "logprobs": None, **text}
            for i, (choice, text) in enumerate(zip(found, texts, strict=True))
        ],
        "usage": {
            "prompt_tokens": len(prompt),
            "completion_tokens": written,
            "total_tokens": len(prompt) + written,
        },
    }


def positive(body: dict[str, Any], field: str, default: int, most: int) -> int:
    value = default if body.get(field) is None else body[field]
    if type(value) is not int or not 1 <= value <= most:
        raise BadRequest(f"{field} must be an integer from 1 to {most}, not {value!r:.40}")
    return value


def checked_messages(messages: Any) -> list[dict[str, str]]:
    if type(messages) is not list or not messages:
        raise BadRequest("messages must be a list that is not empty")
    for message in messages:
        fields = message if type(message) is dict else {}
        if type(fields.get("role")) is not str or type(fields.get("content")) is not str:
            raise BadRequest("every message needs a role and a content, both text")
    return messages


def parsed(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
        json.dumps(body, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    if type(body) is not dict:
        raise BadRequest("the body must be a JSON object")
    if body.get("stream"):
        raise BadRequest("streaming is not supported")
    return body


def endpoint(work: Work) -> Handler:
    """JSON in, JSON out, and a reason with status 400 for what makes no sense."""

    async def handle(request: web.Request) -> web.Response:
        try:
            answer = work(parsed(await request.read()))
            return web.json_response(await answer if inspect.isawaitable(answer) else answer)
        except BadRequest as error:
            return web.json_response({"error": str(error)}, status=400)

    return handle


async def health(request: web.Request) -> web.Response:
    return web.json_response({"status": "ok"})


@dataclass(frozen=True)
class Runner:
    """A server that is up: `port` says where, `close` ends it."""

    port: int
    app_runner: web.AppRunner

    async def close(self) -> None:
        await self.app_runner.cleanup()


async def start(
    policy: Policy, tokenizer: PreTrainedTokenizerBase, host: str = "127.0.0.1", port: int = 0
) -> Runner:
    service = Service(policy, tokenizer)
    works = {
        "/generate": service.generate,
        "/v1/completions": service.completions,
        "/v1/chat/completions": service.chat_completions,
    }
    return await listen(works, host, port)


async def listen(works: Mapping[str, Work], host: str = "127.0.0.1", port: int = 0) -> Runner:
    """A server that answers GET /health, and JSON that is posted to the paths of `works`."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_get("/health", health)
    for path, work in works.items():
        app.router.add_post(path, endpoint(work))
    app_runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
    await app_runner.setup()
    await web.TCPSite(app_runner, host, port).start()
    return Runner(port=app_runner.addresses[0][1], app_runner=app_runner)


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal arrives or the parent is gone."""
    policy = Policy(
        options.seed, options.error_rate, options.format_error_rate, options.overlong_rate
    )
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    runner = await start(policy, tokenizer, options.host, options.port)
    print(json.dumps({"port": runner.port}), flush=True)
    await told_or_orphaned()
    await runner.close()


def main() -> None:
    default = Policy()
    parser = argparse.ArgumentParser(description="Serve the stand-in policy over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--tokenizer", required=True, help="folder of a tokenizer")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--error-rate", type=float, default=default.error_rate)
    parser.add_argument("--format-error-rate", type=float, default=default.format_error_rate)
    parser.add_argument("--overlong-rate", type=float, default=default.overlong_rate)
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
