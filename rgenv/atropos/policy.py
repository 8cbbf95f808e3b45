"""Policy: the model behind the inference servers, asked for completions.

::

    sampling = Sampling(max_tokens=8192, temperature=1.0, top_p=0.95)
    policy = Policy(server_manager, tokenizer, training=sampling, evaluation=sampling)
    rollouts = await policy.rollouts(problem, count=8)
    reply = await policy.evaluate(problem)

This is the one place where prompts are templated and tokenized, and completions decoded.
"""

from __future__ import annotations

import asyncio
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rgenv.errors import NoRoom
from rgenv.evaluation.runner import Reply
from rgenv.rollouts.answer_format import build_messages, opened_thinking
from rgenv.rollouts.group import new_rollout
from rgenv.types import Message, Problem, Rollout

LONG_PROMPT = 2000
"""Characters from where on a tokenizer in Rust, which releases the GIL, runs in a thread."""

TAGS = ("<think>", "</think>", "<answer>", "</answer>")


@dataclass(frozen=True)
class Prompt:
    """A templated prompt as text and as tokens.

    It stands in for the tokenizer of Atropos' managed server, which would encode the prompt again
    and decode completions that nobody reads.
    """

    text: str
    tokens: list[int]

    def encode(self, _text: str, add_special_tokens: bool = True) -> list[int]:
        """The prompt's tokens; the managed server encodes nothing else."""
        return list(self.tokens)

    def decode(self, _tokens: Sequence[int], skip_special_tokens: bool = False) -> str:
        """Empty; unused."""
        return ""


@dataclass(frozen=True)
class Sampling:
    """How completions are sampled.

    Attributes:
        max_tokens: the most tokens of prompt and completion together.
        temperature, top_p: as the servers understand them.
        limit_option: the option that sets `max_tokens`, to name in a message.
    """

    max_tokens: int
    temperature: float
    top_p: float
    limit_option: str = "max_token_length"


class Policy:
    """Asks the inference servers.

    Args:
        servers: Atropos' server manager.
        tokenizer: the model's; None where servers take and give texts only.
        training: sampling of rollouts.
        evaluation: sampling of `evaluate`.
        chat_only: whether the servers speak OpenAI's chat format alone.
        scripted: whether the server is Atropos' stand-in, whose tokens may be code points and whose
            groups may be smaller than asked for.
    """

    def __init__(
        self,
        servers: Any,
        tokenizer: Any,
        *,
        training: Sampling,
        evaluation: Sampling,
        chat_only: bool = False,
        scripted: bool = False,
    ) -> None:
        self.training = training
        self.evaluation = evaluation
        self._servers = servers
        self._tokenizer = tokenizer
        self._chat_only = chat_only
        self.scripted = scripted
        self._one_at_a_time = asyncio.Lock()

    @property
    def model(self) -> str:
        """The names of the models that the servers serve."""
        return ", ".join(dict.fromkeys(s.config.model_name for s in self._servers.servers))

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, without special ones."""
        return len(self._tokenizer.encode(text, add_special_tokens=False))

    async def rollouts(self, problem: Problem, count: int) -> list[Rollout]:
        """Exactly `count` completions of one problem; missing ones are asked for once more.

        Raises:
            NoRoom: the prompt leaves no token for an answer.
            ValueError: too few completions came back, or one with a log probability that is not
                a finite number.
            Exception: whatever the server raised.
        """
        messages = build_messages(problem.question)
        prompt, budget = await self._prompt(messages, self.training)
        rollouts: list[Rollout] = []
        for _attempt in range(2):
            missing = count - len(rollouts)
            nodes = await self._complete(prompt, missing, budget, self.training)
            for node in nodes[:missing]:
                async with self._one_at_a_time:  # decoding a long completion takes milliseconds
                    rollouts.append(self._rollout(problem, messages, prompt, node, budget))
                    await asyncio.sleep(0)
            if len(rollouts) == count or (self.scripted and rollouts):
                return rollouts
        raise ValueError(f"{len(rollouts)} of {count} completions came back")

    async def evaluate(self, problem: Problem) -> Reply:
        """One completion of an evaluation problem.

        Raises:
            NoRoom: the prompt leaves no token for an answer.
            Exception: whatever the server raised.
        """
        messages = build_messages(problem.question)
        if self._chat_only:
            return await self._chat(messages)
        prompt, budget = await self._prompt(messages, self.evaluation)
        [node] = await self._complete(prompt, 1, budget, self.evaluation, split="eval")
        written = written_tokens(node.tokens, node.masked_tokens)
        text = opened_thinking(prompt.text) + self._text_of(written)
        return Reply(messages, text, _finish_reason(node), len(written))

    async def _chat(self, messages: list[Message]) -> Reply:
        """One completion from a server that speaks OpenAI's chat format."""
        answer = await self._servers.chat_completion(
            messages=messages,
            n=1,
            max_tokens=self.evaluation.max_tokens,
            split="eval",
            temperature=self.evaluation.temperature,
            top_p=self.evaluation.top_p,
        )
        choice = answer.choices[0]
        tokens = answer.usage.completion_tokens if answer.usage is not None else None
        return Reply(messages, choice.message.content or "", choice.finish_reason or "stop", tokens)

    async def _prompt(self, messages: list[Message], sampling: Sampling) -> tuple[Prompt, int]:
        """The templated prompt, and how many tokens it leaves for the completion."""
        text = self._tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        if len(text) > LONG_PROMPT and getattr(self._tokenizer, "is_fast", False):
            tokens = await asyncio.to_thread(self._tokenizer.encode, text)
        else:
            tokens = self._tokenizer.encode(text)
        if len(tokens) >= sampling.max_tokens:
            raise NoRoom(
                f"the prompt of {len(tokens)} tokens leaves no room for an answer: raise "
                f"--env.{sampling.limit_option} ({sampling.max_tokens}) or exclude the task"
            )
        return Prompt(text, tokens), sampling.max_tokens - len(tokens)

    async def _complete(
        self, prompt: Prompt, count: int, budget: int, sampling: Sampling, **more: Any
    ) -> list[Any]:
        """Atropos' nodes: tokens, masks and log probabilities of each completion."""
        async with self._servers.managed_server(tokenizer=prompt) as managed:
            await managed.completion(
                prompt=prompt.text,
                n=count,
                max_tokens=budget,
                temperature=sampling.temperature,
                top_p=sampling.top_p,
                **more,
            )
            return list(managed.get_state()["nodes"])

    def _rollout(
        self, problem: Problem, messages: list[Message], prompt: Prompt, node: Any, budget: int
    ) -> Rollout:
        written = written_tokens(node.tokens, node.masked_tokens)
        if self.scripted and node.tokens[: len(prompt.tokens)] != prompt.tokens:
            text = "".join(map(chr, written))  # without a tokenizer, tokens are code points
        else:
            text = self._text_of(written)
        logprobs = list(map(float, node.logprobs))
        if not all(map(math.isfinite, logprobs)):
            raise ValueError("a log probability is not a finite number")
        return new_rollout(
            problem,
            messages,
            text,
            prompt=prompt.text,
            tokens=node.tokens,
            masks=node.masked_tokens,
            logprobs=logprobs,
            finish_reason=_finish_reason(node),
            budget=budget,
        )

    def _text_of(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without special ones; the tags of the answer format stay."""
        hidden = self._hidden_tokens
        return str(self._tokenizer.decode([token for token in tokens if token not in hidden]))

    @functools.cached_property
    def _hidden_tokens(self) -> frozenset[int]:
        tags = {self._tokenizer.convert_tokens_to_ids(tag) for tag in TAGS}
        known = tags - {self._tokenizer.unk_token_id}
        return frozenset(self._tokenizer.all_special_ids) - known


def written_tokens(tokens: Sequence[int], masks: Sequence[int]) -> list[int]:
    """The tokens that the model wrote: those that are not masked as the prompt."""
    return [token for token, mask in zip(tokens, masks, strict=True) if mask != -100]


def _finish_reason(node: Any) -> str:
    return str((node.metadata or {}).get("finish_reason", "stop"))
