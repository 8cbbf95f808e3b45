"""Policy: gets completions from the inference servers.

`Policy` makes prompts and reads completions. `Generation` sends a request to the server with the
fewest requests under way, by share of its limit. If all fail, it repeats, for one token, what was
answered last: if that is answered, the failure is the request's own; else the request waits.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rgenv.dialogue.prompts import DIALOGUE, Dialogue
from rgenv.errors import (
    BadUsage,
    PromptFailed,
    PromptTooLong,
    RateLimited,
    RequestFailed,
    RequestRefused,
    ServerHangs,
    StartupError,
)
from rgenv.inference import chat
from rgenv.inference.chat_templates import CHOICES
from rgenv.inference.engine import Ask, Completion, begun_once, ending, flaw
from rgenv.runtime.backoff import LONGEST_PAUSE, REFUSALS, Patience, pause
from rgenv.runtime.parts import in_turn
from rgenv.text import describe
from rgenv.types import Problem, Reply, Rollout

log = logging.getLogger(__name__)

TRIAL_SECONDS = 60.0
"""Seconds in which a server that works gives one token."""


@dataclass(frozen=True)
class Sampling:
    """Sampling parameters of completions.

    Attributes:
        max_tokens: of prompt and completion together; `limit_option` sets it. If nobody did
            (`adapts`), `Policy.fit` may lower it.
        changes: parameters of requests to OpenAI's chat API; None removes one.
    """

    max_tokens: int
    temperature: float
    top_p: float
    limit_option: str = "max_token_length"
    changes: Mapping[str, Any] = field(default_factory=dict)
    adapts: bool = False

    @property
    def request(self) -> dict[str, Any]:
        """The parameters of a request to OpenAI's chat API."""
        of_all = {"max_tokens": self.max_tokens, "temperature": self.temperature}
        parameters = {**of_all, "top_p": self.top_p, **self.changes}
        if parameters.get("max_completion_tokens") is not None:  # servers take one of them only
            parameters["max_tokens"] = self.changes.get("max_tokens")
        return {name: value for name, value in parameters.items() if value is not None}


@dataclass
class Policy:
    """Gets completions from the inference servers.

    Args:
        own_template: the Jinja text of the template of prompts; None: the tokenizer's own.
        template_kwargs: what the template is given besides the messages.
        chat_only: whether the servers have OpenAI's chat API only, and return no tokens.
        scripted: whether the server is Atropos' stand-in for tests, whose tokens may be code
            points and which may return fewer completions than requested.
    """

    generation: Generation
    tokenizer: Any
    model: str
    training: Sampling
    evaluation: Sampling
    dialogue: Dialogue = DIALOGUE
    own_template: str | None = None
    template_kwargs: Mapping[str, Any] = field(default_factory=dict)
    chat_only: bool = False
    scripted: bool = False
    _turns: Iterator[int] = field(default_factory=itertools.count, init=False)

    @property
    def chat_template(self) -> str | None:
        """The Jinja text of the template of prompts; None if there is none, or the servers' own."""
        if self.chat_only:  # whose tokenizer may be nowhere
            return None
        template = self.own_template or getattr(self.tokenizer, "chat_template", None)
        return str(template) if template else None

    def fit(self, most: float, who: str) -> None:
        """Lower the limits that nobody set to what a server or the trainer takes, in tokens."""
        for name in ("training", "evaluation"):
            limit: Sampling = getattr(self, name)
            if limit.adapts and most < limit.max_tokens:
                setattr(self, name, replace(limit, max_tokens=int(most)))
                log.info("%s is %d, as %s takes no more.", limit.limit_option, most, who)

    def count_tokens(self, text: str) -> int:
        return len(self.tokenizer.encode(text, add_special_tokens=False))

    async def expected_tokens(self, problem: Problem) -> int:
        """Return about the length of a prompt in tokens; chat servers keep their tokenizer."""
        text = "".join(message["content"] for message in problem.messages)
        # Fewer characters for each token than in prose: problems have many numbers and grids.
        return len(text) // 3 if self.chat_only else self.count_tokens(text)

    async def too_long(
        self, problem: Problem, *, most: int | None = None, whole: bool = True
    ) -> str | None:
        """Return the option to raise where a prompt is too long for training, else None.

        Its question may have `most` tokens. With `whole`, it has to leave room for a completion.
        """
        if most is not None and self.count_tokens(problem.question) > most:
            return "max_prompt_tokens"
        if not whole or self.chat_only:
            return None
        _, tokens = await self.prompt(problem)
        return self.training.limit_option if len(tokens) >= self.training.max_tokens else None

    async def prompt(self, problem: Problem) -> tuple[str, list[int]]:
        """Return the prompt of a problem as the model gets it, its text and its tokens.

        BadUsage: no chat template renders it.
        """
        if self.chat_template is None:
            raise BadUsage(
                "The tokenizer has no chat template, as those of base models: set "
                f"--env.chat_template to {CHOICES}."
            )
        more = {**self.template_kwargs, "add_generation_prompt": True, "tokenize": False}
        render = self.tokenizer.apply_chat_template
        try:
            text = str(render(problem.messages, chat_template=self.own_template, **more))
        except Exception as error:  # a template is foreign code
            raise BadUsage(
                f"The chat template can't render our prompt ({describe(error).splitlines()[0]}): "
                f"correct it, set --env.chat_template to {CHOICES}, or, where it takes no system "
                "message, set --env.system_prompt none."
            ) from None
        return text, begun_once(await in_turn(self.tokenizer.encode, text), self.tokenizer)

    async def rollouts(self, problem: Problem, count: int) -> list[Rollout]:
        """Return `count` completions of one problem; missing ones are requested a second time.

        ValueError: too few came back that a trainer can use; PromptTooLong: it leaves no room.
        """
        prompt, tokens = await self.prompt(problem)
        reading, rollouts = problem.dialogue.reading, list[Rollout]()
        for _attempt in range(2):
            asked = _asked(tokens, count - len(rollouts), self.training)
            for one in await self.generation.complete(asked, prompt):
                read = list(one.prompt)
                if self.scripted and read != asked.prompt:  # its tokens are code points
                    text = "".join(map(chr, one.tokens))
                else:  # decoding a long completion takes milliseconds
                    text = await in_turn(self._text_of, one.tokens)
                answer, violation = reading.answer_or_violation(f"{reading.opening(prompt)}{text}")
                rollout = Rollout(
                    problem=problem,
                    prompt=prompt,
                    messages=(*problem.messages, {"role": "assistant", "content": text}),
                    text=text,
                    answer=answer,
                    violation=violation,
                    tokens=read + one.tokens,
                    masks=[-100] * len(read) + one.tokens,  # as trainers expect of a prompt
                    logprobs=[1.0] * len(read) + [min(0.0, number) for number in one.logprobs],
                    finish_reason=one.finish_reason or "stop",
                    budget=asked.max_tokens,
                )
                rollouts.append(rollout)
            if len(rollouts) == count or (self.scripted and rollouts):
                return rollouts
        raise ValueError(f"{len(rollouts)} of {count} completions came back")

    async def evaluate(self, problem: Problem) -> Reply:
        """Return one completion of an evaluation problem, or raise PromptTooLong."""
        if self.chat_only:
            servers, more = self.generation.servers, self.template_kwargs
            parameters = self.evaluation.request | ({"chat_template_kwargs": more} if more else {})
            server = servers[next(self._turns) % len(servers)]
            reply = await chat.complete(server, problem.messages, parameters)
            short = parameters | ({"max_tokens": 1} if "max_tokens" in parameters else {})
            self.generation.again = lambda: [chat.complete(server, problem.messages, short)]
            return reply
        prompt, tokens = await self.prompt(problem)
        asked = _asked(tokens, 1, self.evaluation)
        [one] = await self.generation.complete(asked, prompt, is_training=False)
        text = problem.dialogue.reading.opening(prompt) + self._text_of(one.tokens)
        return Reply(problem.messages, text, one.finish_reason or "stop", len(one.tokens))

    def read_back(self, text: str) -> str:
        """Return what is left of a completion after it was tokenized and decoded."""
        return self._text_of(self.tokenizer.encode(text, add_special_tokens=False))

    def _text_of(self, tokens: Sequence[int]) -> str:
        """Decode tokens without special tokens, but with the tags of the answer format."""
        hidden = self._hidden_tokens
        return str(self.tokenizer.decode([token for token in tokens if token not in hidden]))

    @functools.cached_property
    def _hidden_tokens(self) -> frozenset[int]:
        """The special tokens that occur in no tag; a tag may have several."""
        tags = " ".join(self.dialogue.reading.marks).lower()
        special = self.tokenizer.all_special_ids
        return frozenset(t for t in special if self.tokenizer.decode([t]).lower() not in tags)


def _asked(prompt: list[int], count: int, sampling: Sampling) -> Ask:
    """Return the request for so many completions, or raise PromptTooLong."""
    room = sampling.max_tokens - len(prompt)
    if room <= 0:
        raise PromptTooLong(
            f"the prompt of {len(prompt)} tokens leaves no room for an answer: raise "
            f"--env.{sampling.limit_option} ({sampling.max_tokens}) or exclude the task"
        )
    return Ask(prompt, count, room, sampling.temperature, sampling.top_p)


class Generation:
    """Spreads requests over the clients of Atropos' manager, which a program may replace.

    Args:
        patience: seconds without an answer after which a request for training ends the run.
        at_once: the most completions in a request; None: any number.
        answered: receives the longest completion and the seconds of each request.

    Attributes:
        again: asks for a token of what was answered last, here or elsewhere, in some requests.
    """

    def __init__(
        self,
        manager: Any,
        *,
        patience: float = math.inf,
        at_once: int | None = None,
        vocabulary: Callable[[], float] = lambda: math.inf,
        count: Callable[[str], None] = lambda name: None,
        answered: Callable[[int, float], None] = lambda longest, seconds: None,
    ) -> None:
        self._manager = manager
        self._under_way: Counter[int] = Counter()  # at each client, by its id
        self._failing: dict[int, float] = {}  # id of a client -> when to ask it again
        self._at_once, self._retry = at_once, Patience(patience)
        self._answered, self._count, self._vocabulary = answered, count, vocabulary
        self.again: Callable[[], Iterable[Coroutine[Any, Any, Any]]] | None = None
        self._trial: asyncio.Future[list[Any]] | None = None
        self._last_failure = ""

    @property
    def servers(self) -> list[Any]:
        return list(self._manager.servers)

    @property
    def outage(self) -> str:
        """What the last failure was, if no server answers; one failure alone says little."""
        return self._last_failure if self._retry.in_a_row > 1 else ""

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return up to `asked.n` completions that the servers finished.

        PromptFailed: it fails while another is answered. RequestFailed: it is refused, or is one
        of an evaluation, which asks again itself. StartupError: nothing was answered for too long.
        """
        if asked.n > (most := self._at_once or asked.n):
            sizes = [min(most, asked.n - done) for done in range(0, asked.n, most)]
            asks = [replace(asked, n=size) for size in sizes]
            calls = [self.complete(one, text, is_training=is_training) for one in asks]
            return [one for part in await asyncio.gather(*calls) for one in part]
        own_failures, failed = 0, set[int]()  # another server is asked, if there is one
        token = replace(asked, n=1, max_tokens=1)
        while True:
            server, began = self._next_server(failed), time.monotonic()
            try:
                usable = await self.ask_once(server, asked, text, is_training=is_training)
            except RequestFailed as error:
                self._last_failure = str(error)
                if not is_training:
                    raise
                failed.add(id(server))
                is_refused = isinstance(error, RequestRefused)
                hangs = isinstance(error, ServerHangs)
                if len(failed) < len(self.servers) and not (is_refused or hangs):
                    continue
                if not isinstance(error, RateLimited) and await self.answers():
                    own_failures += 1
                    if own_failures >= (2 if hangs else REFUSALS):  # each may take 20 minutes
                        raise PromptFailed(str(error)) from None
                    if hangs:
                        log.warning(
                            "%s. Others are answered; asked once more: a prompt that ends with %r",
                            *(error, text[-100:]),
                        )
                elif is_refused and self.again is None:  # the start ends soon
                    raise
                else:
                    self._note_outage(error)
            else:
                if longest := max((len(one.tokens) for one in usable), default=0):
                    self._answered(longest, time.monotonic() - began)
                    self.again = lambda: [
                        self.ask_once(one, token, text, is_training=False) for one in self.servers
                    ]
                return usable
            await asyncio.sleep(pause(max(own_failures, self._retry.in_a_row)))

    async def answers(self) -> bool:
        """Return whether what was answered last is answered again; all wait for the same trial."""
        if self.again is None:
            return False
        if self._trial is None or self._trial.done():
            limited = (asyncio.wait_for(call, TRIAL_SECONDS) for call in self.again())
            self._trial = asyncio.gather(*limited, return_exceptions=True)
        found = await asyncio.shield(self._trial)
        return not all(isinstance(one, BaseException) for one in found)

    def _next_server(self, failed: set[int]) -> Any:
        """Return the least loaded server. One that fails comes last, but every `LONGEST_PAUSE`."""
        now = time.monotonic()

        def order(server: Any) -> tuple[bool, bool, float]:
            most = getattr(getattr(server, "config", None), "num_max_requests_at_once", 1)
            is_failing = self._failing.get(id(server), 0.0) > now
            return id(server) in failed, is_failing, self._under_way[id(server)] / most

        server = min(self.servers, key=order)
        if id(server) in self._failing:
            self._failing[id(server)] = now + LONGEST_PAUSE
        return server

    def _note_outage(self, error: RequestFailed) -> None:
        """Note a failure without an answer to anything; StartupError: this lasts for too long."""
        self._retry.failed()
        if self._retry.exhausted:
            raise StartupError(
                f"No inference server has completed a request for {self._retry.failing_for:.0f} s "
                f"(last: {error}): check it, then start again."
            )
        if self._retry.in_a_row == 2:
            seconds = self._retry.seconds
            log.warning("All inference servers fail; waiting up to %g s: %s", seconds, error)

    async def ask_once(
        self, server: Any, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return what a trainer can use of a server's completions; RequestFailed: nothing.

        Clients of Atropos that are not ours may need the prompt as text.
        """
        split, usable, why = "train" if is_training else "eval", list[Completion](), ""
        limits = {"vocabulary": self._vocabulary(), "most": asked.max_tokens}
        self._under_way[id(server)] += 1
        try:
            read, *parts = await server.tokens_and_logprobs_completion(
                prompt=text, input_ids=list(asked.prompt), split=split, **asked.named
            )
            for tokens, logprobs, reason in zip(*parts, strict=True):
                one = Completion(tokens, logprobs, ending(reason), read)
                if one.finish_reason in ("error", None):
                    why = why or (
                        f"broke the completions off (finish_reason {one.finish_reason}), as "
                        "engines do that sleep or restart"
                    )
                elif problem := await in_turn(flaw, one, **limits):
                    why = f"sends what no trainer can use: {problem}"
                    log.debug("%s %s", where(server), why)
                    self._count("completions_unusable")
                else:
                    usable.append(one)
            if why and not usable:
                raise RequestFailed(f"{where(server)} {why}")
        except RequestRefused:
            raise
        except RequestFailed:
            self._failing[id(server)] = time.monotonic() + LONGEST_PAUSE
            raise
        finally:
            self._under_way[id(server)] -= 1
        if self.outage:
            log.info("Inference is back after %.0f s.", self._retry.failing_for)
        self._retry.worked()
        self._failing.pop(id(server), None)
        return usable[: asked.n]


def completions_at_once(most: int | None, max_tokens: int) -> int:
    """Return how many completions of so many tokens to ask for in a request, `most` at most."""
    # Reading more tokens at once would hold the event loop: these take 5 ms of vLLM, else 40 ms.
    fitting = max(1, 32_768 // max(1, max_tokens))
    return min(most or fitting, fitting)


def where(server: Any) -> str:
    """Return the address of a client's server, for messages."""
    config = getattr(server, "config", None)
    return getattr(config, "base_url", None) or "The inference server"
