"""The stand-in policy over HTTP, in vLLM's format as Atropos uses it, and in OpenAI's.

    python -m demo.policy_server --port 9004
    {"port": 9004}

    POST /generate              token ids in, token ids and log probabilities out: wire_format.py
    POST /v1/chat/completions   OpenAI's format
    GET  /health

An invalid request is answered with status 400 and the reason. Sampling parameters are accepted and
ignored. The program ends after SIGTERM or
Ctrl-C. Without --tokenizer it writes one, into demo_output/tokenizer.
"""

import argparse
import asyncio
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from transformers import AutoTokenizer, PreTrainedTokenizerBase

from .command import existing_folder, port_number
from .http_server import Server, serve_until_ended, start_json_server
from .policy import Policy
from .tokenizer import build_tokenizer
from .wire_format import Completion, generate_answer

DEFAULT_MAX_TOKENS = 16
TOKENIZER = Path("demo_output/tokenizer")


async def start(
    policy: Policy, tokenizer: PreTrainedTokenizerBase, host: str = "127.0.0.1", port: int = 0
) -> Server:
    """Start the server in this process. Port 0 picks a free one."""
    service = Service(policy, tokenizer)
    handlers = {
        "/generate": service.generate,
        "/v1/chat/completions": service.chat_completions,
    }
    return await start_json_server(handlers, host, port)


class Choice(NamedTuple):
    """A completion as tokens and as text without the end token."""

    token_ids: list[int]
    text: str
    finish_reason: str


@dataclass(frozen=True)
class Service:
    """Answers requests: one method for each endpoint."""

    policy: Policy
    tokenizer: PreTrainedTokenizerBase

    def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        choices = self._choices(body["prompt"]["prompt_token_ids"], body)
        completions = [
            Completion(choice.token_ids, logprobs(choice.token_ids), choice.finish_reason)
            for choice in choices
        ]
        return {"text": [choice.text for choice in choices], **generate_answer(completions)}

    def chat_completions(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = self.tokenizer.apply_chat_template(
            body["messages"], tokenize=False, add_generation_prompt=True
        )
        ids = self._encode(str(prompt))
        return openai_answer(body, len(ids), self._choices(ids, body))

    def _choices(self, prompt_ids: list[int], body: dict[str, Any]) -> list[Choice]:
        """Ask the policy, and cut each text at the token limit of the request."""
        n, asked = body.get("n") or 1, body.get("max_tokens") or body.get("max_completion_tokens")
        limit = min(asked or DEFAULT_MAX_TOKENS, self.tokenizer.model_max_length)
        prompt = str(self.tokenizer.decode(prompt_ids, skip_special_tokens=False))
        return [self._cut(text, limit) for text, _ in self.policy.complete(prompt, n, limit)]

    def _cut(self, text: str, limit: int) -> Choice:
        ids = [*self._encode(text), self.tokenizer.eos_token_id]
        if len(ids) <= limit:
            return Choice(ids, text, "stop")
        return Choice(ids[:limit], str(self.tokenizer.decode(ids[:limit])), "length")

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))


def logprobs(ids: list[int]) -> list[float]:
    """Invent log probabilities: finite, below zero, and the same for the same tokens."""
    rng = random.Random(str(ids))
    return [-0.001 - rng.expovariate(4.0) for _ in ids]


def openai_answer(
    body: dict[str, Any], prompt_tokens: int, choices: list[Choice]
) -> dict[str, Any]:
    """Return a chat completion in OpenAI's format."""
    written = sum(len(choice.token_ids) for choice in choices)
    return {
        "id": f"chat-{time.time_ns()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model") or "stand-in",
        "choices": [
            {
                "index": index,
                "finish_reason": choice.finish_reason,
                "logprobs": None,
                "message": {"role": "assistant", "content": choice.text},
            }
            for index, choice in enumerate(choices)
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": written,
            "total_tokens": prompt_tokens + written,
        },
    }


async def serve(policy: Policy, options: argparse.Namespace) -> None:
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer or build_tokenizer(TOKENIZER))
    server = await start(policy, tokenizer, options.host, options.port)
    await serve_until_ended(server.port, server.close)


def main(words: Sequence[str] | None = None) -> None:
    """Serve until a signal arrives.

    Raises:
        SystemExit: 2 for a bad command line, 1 if the server can't start, else 128 plus the signal.
    """
    default = Policy()
    parser = argparse.ArgumentParser(description="Serve the stand-in policy over HTTP.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=port_number, default=0, help="0 picks a free one")
    written = f"its folder; by default the demo's, written to {TOKENIZER}"
    parser.add_argument("--tokenizer", type=existing_folder, help=written)
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument("--error-rate", type=float, default=default.error_rate)
    parser.add_argument("--format-error-rate", type=float, default=default.format_error_rate)
    parser.add_argument("--overlong-rate", type=float, default=default.overlong_rate)
    options = parser.parse_args(words)
    try:
        rates = (options.error_rate, options.format_error_rate, options.overlong_rate)
        asyncio.run(serve(Policy(options.seed, *rates), options))
    except ValueError as error:  # a rate, or files without a tokenizer
        parser.error(str(error))
    except OSError as error:  # a port in use
        sys.exit(f"The policy server cannot start: {error}. --port 0 picks a free port.")


if __name__ == "__main__":
    main()
