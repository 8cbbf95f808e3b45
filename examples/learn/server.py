"""The model over HTTP, in the format that Atropos expects of a vLLM server.

    python -m examples.learn.server --weights learn_output/weights
    {"port": 40213}

    POST /generate   demo/wire_format.py; also "temperature"
    POST /weights    {"path": "learn_output/weights"}
    GET  /health

Requests that arrive within a few milliseconds are sampled as one batch, from one model.
"""

import argparse
import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

from demo.http_server import serve_until_ended, start_json_server
from demo.wire_format import Completion, generate_answer
from rgenv.cli.parser import positive

from .model import load_model, use_half_the_threads
from .sampler import Request, sample

GATHER_SECONDS = 0.005
"""Seconds that the first request of a batch waits for others."""

BATCH_TOKENS = 2**15
"""The most tokens of a batch with its padding, unless one request has more."""


@dataclass
class Service:
    """Answers requests from one list.

    Args:
        most: no completion is longer, even if a request allows it.
    """

    model: PreTrainedModel
    most: int
    _waiting: list[tuple[Request, asyncio.Future[Completion]]] = field(default_factory=list)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = tuple(body["prompt"]["prompt_token_ids"])
        limit = min(body["max_tokens"], self.most)
        request = Request(prompt, limit, float(body.get("temperature", 1.0)))
        loop = asyncio.get_running_loop()
        done: list[asyncio.Future[Completion]] = [
            loop.create_future() for _ in range(body.get("n", 1))
        ]
        self._waiting += [(request, one) for one in done]
        self._arrived.set()
        return generate_answer(await asyncio.gather(*done))

    async def weights(self, body: dict[str, Any]) -> dict[str, Any]:
        """Load the weights in a folder; the next batch is sampled from them."""
        self.model = await asyncio.to_thread(load_model, Path(body["path"]))
        return {}

    async def run(self) -> None:
        """Sample one batch after another."""
        while True:
            await self._arrived.wait()
            await asyncio.sleep(GATHER_SECONDS)
            batch = self._next_batch()
            requests = [request for request, _ in batch]
            completions = await asyncio.to_thread(sample, self.model, requests)
            for (_, done), completion in zip(batch, completions, strict=True):
                if not done.done():  # the client may have disconnected
                    done.set_result(completion)

    def _next_batch(self) -> list[tuple[Request, asyncio.Future[Completion]]]:
        """Take the shortest requests, for all are padded to the longest of them."""
        self._waiting.sort(key=lambda waiting: waiting[0].longest)
        longest = [request.longest for request, _ in self._waiting]
        fitting = sum(rows * size <= BATCH_TOKENS for rows, size in enumerate(longest, start=1))
        taken = max(1, fitting)
        batch, self._waiting = self._waiting[:taken], self._waiting[taken:]
        if not self._waiting:
            self._arrived.clear()
        return batch


async def serve(options: argparse.Namespace) -> None:
    use_half_the_threads()
    torch.manual_seed(options.seed)
    service = Service(load_model(options.weights), options.most)
    handlers = {"/generate": service.generate, "/weights": service.weights}
    server = await start_json_server(handlers)
    await serve_until_ended(server.port, server.close, service.run())


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small model over HTTP.")
    parser.add_argument("--weights", type=Path, required=True, help="folder of a model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=positive, default=2**15, help="tokens of a completion")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
