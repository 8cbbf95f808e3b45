"""The model over HTTP, in the format that Atropos expects of a vLLM server.

    python -m examples.learn.server --weights learn_output/weights
    {"port": 40213}

    POST /generate   demo/wire_format.py; also "temperature"
    POST /weights    {"path": "learn_output/weights"}

Requests that arrive within a few milliseconds are sampled as one batch, from one model.
"""

import argparse
import asyncio
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


class Service:
    """Answers requests, with completions of at most `most` tokens."""

    def __init__(self, model: PreTrainedModel, most: int) -> None:
        self._model, self._most, self._arrived = model, most, asyncio.Event()
        self._waiting: list[tuple[Request, asyncio.Future[Completion]]] = []

    async def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt, limit = (
            tuple(body["prompt"]["prompt_token_ids"]),
            min(body["max_tokens"], self._most),
        )
        request = Request(prompt, limit, float(body.get("temperature", 1.0)))
        create = asyncio.get_running_loop().create_future
        done: list[asyncio.Future[Completion]] = [create() for _ in range(body.get("n", 1))]
        self._waiting += [(request, one) for one in done]
        self._arrived.set()
        return generate_answer(await asyncio.gather(*done))

    async def weights(self, body: dict[str, Any]) -> dict[str, Any]:
        """Load the weights in a folder; the next batch is sampled from them."""
        self._model = await asyncio.to_thread(load_model, Path(body["path"]))
        return {}

    async def run(self) -> None:
        """Sample one batch after another, the shortest requests first: they are padded."""
        while True:
            await self._arrived.wait()
            await asyncio.sleep(GATHER_SECONDS)
            self._waiting.sort(key=lambda waiting: waiting[0].longest)
            sizes = enumerate((request.longest for request, _ in self._waiting), start=1)
            taken = max(1, sum(rows * longest <= BATCH_TOKENS for rows, longest in sizes))
            batch, self._waiting = self._waiting[:taken], self._waiting[taken:]
            if not self._waiting:
                self._arrived.clear()
            requests = [request for request, _ in batch]
            completions = await asyncio.to_thread(sample, self._model, requests)
            for (_, done), completion in zip(batch, completions, strict=True):
                if not done.done():  # the client may have disconnected
                    done.set_result(completion)


async def serve(options: argparse.Namespace) -> None:
    use_half_the_threads()
    torch.manual_seed(options.seed)
    service = Service(load_model(options.weights), options.most)
    server = await start_json_server({"/generate": service.generate, "/weights": service.weights})
    await serve_until_ended(server.port, server.close, service.run())


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small model over HTTP.")
    parser.add_argument("--weights", type=Path, required=True, help="folder of a model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=positive, default=2**15, help="tokens of a completion")
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
