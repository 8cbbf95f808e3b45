"""The model over HTTP, in the wire format that Atropos expects of a vllm server.

    python -m examples.learn.server --port 0 --tokenizer learn_output/tokenizer \\
        --weights learn_output/warmup/model
    {"port": 40213}

    POST /generate {"prompt": {"prompt_token_ids": [31, 7]}, "n": 8, "max_tokens": 20,
                    "temperature": 1.0, "top_p": 1.0}
    POST /weights {"path": "learn_output/weights"}    {"loads": 1}

GET /health says that it is there. Requests that come within a few milliseconds are one batch.
Weights change between batches, never within one, so a completion and its log probabilities come
from one model. A request that makes no sense gets a 400 with the reason; so does top_p below 1,
with which log probabilities would not be those of the distribution sampled from.

Not here: streaming, stop strings, text: Atropos reads tokens.
"""

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoTokenizer, PreTrainedModel

from demo.leash import told_or_orphaned
from demo.policy_server import MAX_CHOICES, BadRequest, Runner, generate_ids, listen, positive

from .model import MAX_TOKENS, load_model, take_half_the_threads
from .sampler import Completion, Request, sample

GATHER_SECONDS = 0.005
MAX_ROWS = 512
Waiting = tuple[list[Request], asyncio.Future[list[Completion]]]


@dataclass
class Service:
    model: PreTrainedModel
    end: int
    loads: int = 0
    queue: asyncio.Queue[Waiting] = field(default_factory=asyncio.Queue)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def generate(self, body: dict[str, Any]) -> dict[str, Any]:
        done: asyncio.Future[list[Completion]] = asyncio.get_running_loop().create_future()
        self.queue.put_nowait((requests_of(body, self.model.config.vocab_size), done))
        found = await done
        return {
            "logprobs": [
                [[{str(t): p}] for t, p in zip(one.tokens, one.logprobs, strict=True)]
                for one in found
            ],
            "finish_reasons": ["stop" if one.ended else "length" for one in found],
        }

    async def weights(self, body: dict[str, Any]) -> dict[str, Any]:
        """Serve what lies in a folder from the next batch on."""
        async with self.turn:
            try:
                self.model = await asyncio.to_thread(load_model, Path(str(body.get("path"))))
            except (OSError, ValueError, SafetensorError) as error:
                raise BadRequest(f"no weights there: {error}") from error
        self.loads += 1
        return {"loads": self.loads}

    async def run(self) -> None:
        """Batch after batch, for ever."""
        while True:
            waiting = await self.gather()
            requests = [request for some, _ in waiting for request in some]
            async with self.turn:
                found = iter(await asyncio.to_thread(sample, self.model, requests, self.end))
            for some, done in waiting:
                answer = [next(found) for _ in some]
                if not done.done():  # whoever asked may be gone
                    done.set_result(answer)

    async def gather(self) -> list[Waiting]:
        """The next request, and those that come while it waits a moment."""
        waiting = [await self.queue.get()]
        await asyncio.sleep(GATHER_SECONDS)
        while not self.queue.empty() and sum(len(some) for some, _ in waiting) < MAX_ROWS:
            waiting.append(self.queue.get_nowait())
        return waiting


def requests_of(body: dict[str, Any], vocabulary: int) -> list[Request]:
    prompt = tuple(generate_ids(body, vocabulary))
    n = positive(body, "n", 1, MAX_CHOICES)
    limit = positive(body, "max_tokens", 16, MAX_TOKENS)
    if len(prompt) + limit > MAX_TOKENS:
        raise BadRequest(f"prompt and max_tokens together must not exceed {MAX_TOKENS} tokens")
    temperature, top_p = (body.get(name, 1.0) for name in ("temperature", "top_p"))
    if type(temperature) not in (int, float) or not 0 <= temperature < float("inf"):
        raise BadRequest(f"temperature must be a number from 0, not {temperature!r:.40}")
    if top_p != 1:
        raise BadRequest(f"top_p must be 1, not {top_p!r:.40}")
    return [Request(prompt, limit, float(temperature))] * n


async def start(model: PreTrainedModel, end: int, port: int = 0) -> tuple[Runner, asyncio.Task]:
    """The server on this machine, and the task that samples for it."""
    service = Service(model, end)
    works = {"/generate": service.generate, "/weights": service.weights}
    runner = await listen(works, port=port)
    return runner, asyncio.create_task(service.run())


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal arrives or the parent is gone; a sampler that fails ends it."""
    take_half_the_threads()
    torch.manual_seed(options.seed)
    tokenizer = AutoTokenizer.from_pretrained(options.tokenizer)
    model = load_model(options.weights)
    runner, sampling = await start(model, tokenizer.eos_token_id, options.port)
    print(json.dumps({"port": runner.port}), flush=True)
    told = asyncio.create_task(told_or_orphaned())
    await asyncio.wait({told, sampling}, return_when=asyncio.FIRST_COMPLETED)
    await runner.close()
    if sampling.done():
        sampling.result()


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small model over HTTP.")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--tokenizer", required=True, help="folder of a tokenizer")
    parser.add_argument("--weights", type=Path, required=True, help="folder of a model")
    parser.add_argument("--seed", type=int, default=0)
    try:
        asyncio.run(serve(parser.parse_args()))
    except OSError as error:  # a port that is taken, a folder that is not there
        sys.exit(f"The inference server can't start: {error}")


if __name__ == "__main__":
    main()
