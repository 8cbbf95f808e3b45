"""Inference engines that speak the documented format of one dialect, and refuse unknown fields.

The formats were read in the sources: vLLM 0.32 (entrypoints/openai/completion/protocol.py,
entrypoints/scale_out/token_in_token_out/protocol.py), SGLang (managers/io_struct.py,
sampling/sampling_params.py), the vllm_api_server.py of atroposlib 0.4.0, and generate_proxy.py of
verl's recipe. Tokens are those of the prompt in reverse; only the prompt and `n` matter.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from demo.http_server import start_server

Handler = Callable[["Engine", dict[str, Any]], "tuple[int, Any]"]

MODEL = "served"
SAMPLING = {
    *("n", "max_tokens", "temperature", "top_p", "top_k", "min_p", "stop", "seed"),
    *("repetition_penalty", "presence_penalty", "frequency_penalty"),
}
OF_VLLM = {*SAMPLING, "logprobs"}
OF_SGLANG = {*SAMPLING, "max_new_tokens", "sampling_seed"} - {"max_tokens", "seed"}


def error(status: int, message: str) -> tuple[int, Any]:
    return status, {"error": {"message": message, "type": "Error", "param": None, "code": status}}


def unknown_fields(body: dict[str, Any], known: set[str]) -> tuple[int, Any] | None:
    """Return a refusal if `body` has a field that the format has not."""
    unknown = sorted(set(body) - known)
    return error(400, f"Extra inputs are not permitted: {unknown}") if unknown else None


def completions(engine: Engine, body: dict[str, Any]) -> tuple[int, Any]:
    if refusal := unknown_fields(body, {"model", "prompt", "return_token_ids", *OF_VLLM}):
        return refusal
    if body["model"] != engine.lists:
        return error(404, f"The model `{body['model']}` does not exist.")
    if body["max_tokens"] > engine.context_length:
        return error(400, f"max_tokens={body['max_tokens']} cannot be greater than max_model_len")
    with_ids = body.get("return_token_ids") and engine.returns_ids
    choices = []
    for i, (ids, reason) in enumerate(engine.written(body["prompt"], body["n"])):
        names = [f"<{token}>" for token in ids]
        logprobs = {
            "text_offset": list(range(len(ids))),
            "token_logprobs": engine.logprobs(ids),
            "tokens": names,
            "top_logprobs": [{name: -0.5} for name in names],
        }
        choice = {"index": i, "text": "…", "finish_reason": reason}
        choice["logprobs"] = None if body.get("logprobs") is None else logprobs
        choices.append(choice | {"token_ids": ids if with_ids else None})
    return 200, {"id": "cmpl", "object": "text_completion", "model": MODEL, "choices": choices}


def scale_out(engine: Engine, body: dict[str, Any]) -> tuple[int, Any]:
    if refusal := unknown_fields(body, {"model", "token_ids", "sampling_params"}):
        return refusal
    sampling = body["sampling_params"]
    if refusal := unknown_fields(sampling, OF_VLLM):
        return refusal
    choices = [
        {
            "index": i,
            "token_ids": ids,
            "finish_reason": reason,
            "logprobs": {
                "content": [
                    {"token_id": token, "logprob": logprob, "rank": 1, "top_logprobs": []}
                    for token, logprob in zip(ids, engine.logprobs(ids), strict=True)
                ]
            },
        }
        for i, (ids, reason) in enumerate(engine.written(body["token_ids"], sampling["n"]))
    ]
    return 200, {"request_id": "1", "output_mode": "tokens", "choices": choices}


def atropos(engine: Engine, body: dict[str, Any]) -> tuple[int, Any]:
    """Answer /generate as Atropos' vLLM server and the proxy of verl's recipe do."""
    if refusal := unknown_fields(body, {"prompt", *OF_VLLM}):
        return refusal
    written = engine.written(body["prompt"]["prompt_token_ids"], body["n"])
    return 200, {
        "text": ["…"] * len(written),
        "logprobs": [
            [[{str(t): p}] for t, p in zip(ids, engine.logprobs(ids), strict=True)]
            for ids, _ in written
        ],
        "finish_reasons": [reason for _, reason in written],
    }


def sglang(engine: Engine, body: dict[str, Any]) -> tuple[int, Any]:
    if refusal := unknown_fields(body, {"input_ids", "sampling_params", "return_logprob"}):
        return refusal
    if "input_ids" not in body:
        return error(400, "Either text, input_ids or input_embeds should be provided.")
    sampling = body["sampling_params"]
    if refusal := unknown_fields(sampling, OF_SGLANG):
        return refusal
    written = engine.written(body["input_ids"], sampling["n"])
    answers = []
    for ids, reason in written:
        pairs = zip(engine.logprobs(ids), ids, strict=True)
        about = {
            "id": "1",
            "finish_reason": {"type": reason, "matched": 2},
            "prompt_tokens": len(body["input_ids"]),
            "completion_tokens": len(ids),
            "output_token_logprobs": [[logprob, token, None] for logprob, token in pairs],
        }
        answers.append({"text": "…", "output_ids": ids, "meta_info": about})
    return 200, answers if sampling["n"] > 1 else answers[0]


PATHS: dict[str, dict[str, Handler]] = {
    "vllm": {"/v1/completions": completions},
    "tokens only": {"/inference/v1/generate": scale_out},
    "atropos": {"/generate": atropos},
    "verl's proxy": {"/v1/completions": completions, "/generate": atropos},
    "sglang": {"/generate": sglang, "/v1/completions": completions},
    "chat": {"/v1/chat/completions": completions},
    "nothing": {},
    "another API": {"/v1/completions": lambda engine, body: (200, {"hello": 1})},
}
"""Kind -> path -> what it answers; chat_server.py answers chats."""


class Engine:
    """An engine on a free port, of a kind of `PATHS`; an async context manager.

    Attributes:
        lists: the model that it has, or none; MODEL is asked for.
        asked: the bodies of all requests for completions, in order; `paths` has their paths.
        status: that of each completion, if not 200.
        reasons: the finish reasons of the next completions; then "stop".
        release: if a test sets it, completions wait for this event.
        returns_ids: whether vLLM has `return_token_ids`.
    """

    context_length = 4096
    lists = MODEL
    logprob: float | None = -0.5
    middlewares: Sequence[Any] = ()
    release: asyncio.Event | None = None
    status = 200

    def __init__(self, kind: str, **attributes: Any) -> None:
        self._paths = PATHS[kind]
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.reasons: list[str] = []
        self.returns_ids = kind != "sglang"
        vars(self).update(attributes)

    async def __aenter__(self) -> Engine:
        app = web.Application(client_max_size=2**26, middlewares=self.middlewares)
        app.router.add_get("/health", self._health)
        app.router.add_get("/v1/models", self._models)
        for path in self._paths:
            app.router.add_post(path, self._complete)
        self._server = await start_server(app, shutdown_timeout=0.1)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.port}"

    def written(self, prompt: list[int], n: int) -> list[tuple[list[int], str]]:
        """Return the tokens and the finish reason of each of `n` completions."""
        reasons = [self.reasons.pop(0) if self.reasons else "stop" for _ in range(n)]
        return [(list(reversed(prompt)), reason) for reason in reasons]

    def logprobs(self, ids: list[int]) -> list[float | None]:
        return [self.logprob] * len(ids)

    async def _health(self, request: web.Request) -> web.Response:
        return web.Response()

    async def _models(self, request: web.Request) -> web.Response:
        models = [{"id": self.lists, "max_model_len": self.context_length}] if self.lists else []
        return web.json_response({"object": "list", "data": models})

    async def _complete(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.asked.append(body)
        self.paths.append(request.path)
        if self.release is not None:
            await self.release.wait()
        if self.status != 200:
            return web.json_response({"error": "said so"}, status=self.status)
        return await self._answer(request, body)

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.Response:
        status, answer = self._paths[request.path](self, body)
        return web.json_response(answer, status=status)
