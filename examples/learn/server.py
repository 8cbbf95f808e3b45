"""The model over HTTP, in the format that Atropos expects of a vLLM server.

    python -m examples.learn.server --port 0 --tokenizer learn_output/tokenizer \\
        --weights learn_output/warmup/model
    {"port": 40213}

    POST /generate   demo/wire_format.py; also "temperature"
    POST /weights    {"path": "learn_output/weights"}
    GET  /health

Requests that arrive within a few milliseconds are sampled as one batch. Weights change only between
batches, so a completion and its log probabilities come from one model. An invalid request is
answered with status 400 and the reason. So is a top_p below 1: log probabilities would not be those
of the distribution that was sampled from.
"""

import argparse
import asyncio
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoTokenizer, PreTrainedModel

from demo.command import port_number
from demo.http_server import serve_until_ended, start_json_server
from demo.wire_format import Completion, generate_answer
from rgenv.cli.parser import positive

from .model import load_model, use_half_the_threads
from .sampler import Request, sample

GATHER_SECONDS = 0.005
"""Seconds that the first request of a batch waits for others."""

BATCH_TOKENS = 2**15
"""The most tokens of a batch with its padding, unless one request has more."""

Waiting = tuple[list[Request], asyncio.Future[list[Completion]]]


@dataclass
class Service:
    """Answers requests from one queue.

    Args:
        end: the end token.
        most: no completion is longer, even if a request allows it.
    """

    model: PreTrainedModel
    end: int
    most: int | None = None
    _waiting: list[Waiting] = field(default_factory=list)
    _queue: asyncio.Queue[Waiting] = field(default_factory=asyncio.Queue)
    _model_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        requests = requests_of(body, self.model.config.max_position_embeddings, self.most)
        done: asyncio.Future[list[Completion]] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait((requests, done))
        return generate_answer(await done)

    async def weights(self, body: dict[str, Any]) -> dict[str, Any]:
        """Load the weights in a folder; the next batch is sampled from them."""
        async with self._model_lock:
            try:
                self.model = await asyncio.to_thread(load_model, Path(str(body.get("path"))))
            except (OSError, ValueError, SafetensorError) as error:
                raise ValueError(f"no weights there: {error}") from error
        return {}

    async def run(self) -> None:
        """Sample one batch after another."""
        while True:
            waiting = await self._next_batch()
            requests = [request for some, _ in waiting for request in some]
            async with self._model_lock:
                completions = iter(await asyncio.to_thread(sample, self.model, requests, self.end))
            for some, done in waiting:
                answer = [next(completions) for _ in some]
                if not done.done():  # the client may have disconnected
                    done.set_result(answer)

    async def _next_batch(self) -> list[Waiting]:
        """Return requests of similar length, the shortest first: they are padded to the longest."""
        if not self._waiting:
            self._waiting.append(await self._queue.get())
        await asyncio.sleep(GATHER_SECONDS)
        while not self._queue.empty():
            self._waiting.append(self._queue.get_nowait())
        self._waiting.sort(key=_length)
        rows = 0
        batch: list[Waiting] = []
        while self._waiting:
            rows += len(self._waiting[0][0])
            if batch and rows * _length(self._waiting[0]) > BATCH_TOKENS:
                break
            batch.append(self._waiting.pop(0))
        return batch


def _length(waiting: Waiting) -> int:
    return max(len(request.prompt) + request.limit for request in waiting[0])


def requests_of(body: dict[str, Any], context: int, most: int | None) -> list[Request]:
    """Return a request to the sampler for each completion of a request to /generate.

    ValueError: it has more tokens than the model's context, or log probabilities would not be those
    of what was sampled.
    """
    prompt, limit = tuple(body["prompt"]["prompt_token_ids"]), body["max_tokens"]
    if len(prompt) + limit > context:
        raise ValueError(f"prompt and max_tokens together must not exceed {context} tokens")
    if body.get("top_p", 1) != 1:
        raise ValueError(f"top_p must be 1, not {body['top_p']}")
    limit = min(limit, most or limit)
    return [Request(prompt, limit, float(body.get("temperature", 1.0)))] * body.get("n", 1)


async def serve(options: argparse.Namespace) -> None:
    use_half_the_threads()
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    model = load_model(options.weights)
    service = Service(model, tokenizer.eos_token_id, options.most)
    handlers = {"/generate": service.generate, "/weights": service.weights}
    server = await start_json_server(handlers, port=options.port)
    await serve_until_ended(server.port, server.close, service.run())


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small model over HTTP.")
    parser.add_argument("--port", type=port_number, default=0, help="0 picks a free one")
    parser.add_argument("--tokenizer", required=True, help="folder of a tokenizer")
    parser.add_argument("--weights", type=Path, required=True, help="folder of a model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=positive, help="the most tokens of a completion")
    try:
        asyncio.run(serve(parser.parse_args()))
    except OSError as error:  # a port in use, a missing folder
        sys.exit(f"The inference server cannot start: {error}")


if __name__ == "__main__":
    main()
