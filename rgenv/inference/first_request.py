"""Try the prompts and the servers once at the start, so that a mistake shows before the run."""

import asyncio
import contextlib
import logging
import math
import re
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any

from rgenv.errors import BadUsage, RequestFailed, RequestRefused, StartupError
from rgenv.inference.chat import send
from rgenv.inference.chat_templates import CHOICES
from rgenv.inference.engine import Ask, root_of
from rgenv.inference.http import bearer, models_in, quoted, require_answer, similar
from rgenv.inference.policy import Policy, Sampling, where
from rgenv.text import describe, one_line
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")


@contextlib.asynccontextmanager
async def _trying(what: str, address: str, seconds: float) -> AsyncIterator[None]:
    """Limit a first request, and log if it fails for the moment; StartupError: it is refused."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except RequestRefused as error:
        raise StartupError(f"The inference server at {error}") from None
    except TimeoutError:
        log.warning(
            "No %s yet: %s did not answer within %g s (--env.startup_timeout). It is asked on; "
            "--openai.timeout limits how long an answer may take.",
            *(what, address, seconds),
        )
    except (RequestFailed, OSError) as error:
        log.warning("No %s yet from %s: %s", what, address, describe(error))


async def try_prompts(
    policy: Policy,
    problems: Sequence[Problem],
    sampling: Sampling,
    *,
    limit: int | None = None,
    named: bool = True,
) -> set[str]:
    """Try chat template and tokenizer, and return the tasks whose prompts leave no room.

    BadUsage: the template or the tokenizer loses a part of a prompt or of an answer.

    Args:
        limit: tokens of a question above which a problem is not served; None: no limit.
        named: whether the user chose the tasks; then a prompt without room is BadUsage, too.
    """
    if problems:
        await _check_template(policy, problems[0])
    lengths: dict[str, int] = {}
    for problem in problems:
        if limit is None or policy.count_tokens(problem.question) <= limit:
            length = len((await policy.prompt(problem))[1])
            lengths[problem.task] = max(length, lengths.get(problem.task, 0))
    too_long = {task for task, length in lengths.items() if length >= sampling.max_tokens}
    if not too_long:
        return set()
    longest = max(too_long, key=lambda task: lengths[task])
    needed = 1 << (lengths[longest] + 1024).bit_length()  # with room for a completion
    without_room = (
        f"--env.{sampling.limit_option} {sampling.max_tokens} leaves no token for an answer: the "
        f"prompt of {longest} has {lengths[longest]}. "
    )
    names = ", ".join(sorted(too_long))
    if named or len(too_long) == len(lengths):
        raise BadUsage(f"{without_room}Set it to {needed}, or leave out {names}.")
    log.warning("%sThese tasks are left out: %s.", without_room, names)
    return too_long


async def _check_template(policy: Policy, problem: Problem) -> None:
    text, _ = await policy.prompt(problem)
    parts = {"system": "system prompt", "user": "question", "assistant": "examples"}
    for message in problem.messages:
        if message["content"].strip() not in text:
            raise BadUsage(
                f"The chat template leaves out our {parts[message['role']]}: set "
                f"--env.chat_template to {CHOICES}."
            )
    reading = problem.dialogue.reading
    read = policy.read_back(written := reading.write("4", "2 + 2 = 4"))
    if reading.answer(read) != "4":
        raise BadUsage(
            f"The tokenizer makes {read!r} of {written!r}, so no answer could be read: set "
            "--env.tokenizer_name to the tokenizer of a model that writes text."
        )
    unclosed = "".join([*reading.think_tags[:1], "2 + 2\n", reading.write("4")])
    read = policy.read_back(unclosed)
    if reading.think_tags and reading.answer(read) is not None:
        raise BadUsage(
            f"The tokenizer makes {read!r} of {unclosed!r}, so an answer in the thinking would "
            "count: set --env.think_tags to tags that the tokenizer keeps."
        )


def require_servers(servers: Sequence[Any], timeout: float) -> Iterator[Awaitable[None]]:
    """Yield what waits for an answer of each server: of a page that costs nothing, if it exists.

    StartupError: a server does not answer, or is known to refuse chats.
    """
    for server in servers:
        config: Any = getattr(server, "config", None)
        is_chat = getattr(config, "server_type", "") == "openai"
        if is_chat or (getattr(config, "health_check", False) and config.base_url):
            yield _require(server, is_chat, timeout)


async def _require(server: Any, is_chat: bool, timeout: float) -> None:
    """Wait for a server; ask one for chats that does not list the model, though it may take it.

    One that lists none is sent a request without messages, others one for a token.
    """
    model, url = server.config.model_name, server.config.base_url
    where = url.rstrip("/") if is_chat else root_of(url)
    remedy = "check the server and the network" if is_chat else "start one (docs/running.md)"
    found = await require_answer(
        f"{where}/{'models' if is_chat else 'health'}",
        timeout,
        f"No inference server is ready at {where}: {remedy}, or set --openai.base_url.",
        judge=lambda status, body: quoted(status, body) if status >= 500 else None,
        headers=bearer(server.config),
        through_proxies=is_chat,
    )
    if not is_chat or model in (listed := models_in(found)):
        return
    content: dict[str, Any] = {"model": model}
    unlisted = ""
    if listed:
        content |= {"messages": [{"role": "user", "content": "2 + 2?"}], "max_tokens": 1}
        name = similar(model, listed)
        unlisted = f"lists no model {model}: set --openai.model_name to {name}"
    async with _trying("completion", url, max(1.0, timeout)):
        try:
            response = await send(server, content)
        except RequestRefused as error:
            names_it = listed and re.search(rf"\b{re.escape(model)}\b", str(error))
            is_other = "max_" in str(error)  # a model that takes other parameters
            if error.final or error.status == 403 or (names_it and not is_other):
                more = f" It {unlisted}." if unlisted else ""
                raise StartupError(f"The inference server at {error}{more}") from None
        else:
            if b'"choices"' not in response.body and b'"error"' not in response.body:
                raise StartupError(
                    f"The inference server at {url} does not speak OpenAI's chat API "
                    f"({one_line(response.text, 60)!r}): set --openai.base_url to one that does."
                )
    if unlisted:
        log.warning("The inference server at %s %s, unless it takes that name.", url, unlisted)


async def try_servers(
    policy: Policy, problem: Problem, samplings: Sequence[Sampling], timeout: float
) -> None:
    """Ask each server for one token, and lower limits that nobody set to what the servers take.

    StartupError: a server refuses, or gives no token ids, or takes fewer tokens than a limit of the
    user. One that fails for the moment is only logged.
    """
    text, tokens = await policy.prompt(problem)

    async def try_one(server: Any) -> None:
        try:
            async with _trying("token", where(server), timeout):
                await policy.generation.ask_once(server, Ask(tokens, n=1, max_tokens=1), text)
        except StartupError:
            raise
        except Exception as error:  # a client that a program has chosen
            raise StartupError(
                f"The inference server at {where(server)} gives no tokens ({describe(error)}): "
                "docs/running.md shows which servers do."
            ) from None

    await asyncio.gather(*map(try_one, policy.generation.servers))
    for server in policy.generation.servers:
        most = getattr(server, "context_length", None) or math.inf
        for sampling in samplings:
            if sampling.max_tokens > most and not sampling.adapts:
                raise StartupError(
                    f"The inference server at {where(server)} takes {most} tokens of prompt and "
                    f"completion, fewer than --env.{sampling.limit_option} {sampling.max_tokens}: "
                    f"set that to {most}, or start the server with a higher limit (vLLM: "
                    "--max-model-len)."
                )
        policy.fit(most, where(server))
