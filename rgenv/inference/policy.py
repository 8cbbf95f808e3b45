"""Policy: gets completions from the inference servers."""

from __future__ import annotations

import functools
import itertools
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rgenv.dialogue.prompts import DIALOGUE, Dialogue
from rgenv.errors import BadUsage, PromptTooLong
from rgenv.inference import chat
from rgenv.inference.chat_templates import CHOICES
from rgenv.inference.engine import Ask, Completion, begun_once
from rgenv.inference.generation import Generation
from rgenv.runtime.parts import in_turn
from rgenv.text import describe
from rgenv.types import Problem, Reply, Rollout

log = logging.getLogger(__name__)


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

    async def leaves_no_room(self, problem: Problem) -> bool:
        """Return whether the prompt of a problem leaves no token for a completion of training."""
        most = self.training.max_tokens
        return not self.chat_only and len((await self.prompt(problem))[1]) >= most

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
        rollouts: list[Rollout] = []
        for _attempt in range(2):
            asked = _asked(tokens, count - len(rollouts), self.training)
            for one in await self.generation.complete(asked, prompt):
                # Decoding a long completion takes milliseconds.
                rollouts.append(await in_turn(self._rollout, problem, prompt, asked, one))
            if len(rollouts) == count or (self.scripted and rollouts):
                return rollouts
        raise ValueError(f"{len(rollouts)} of {count} completions came back")

    async def evaluate(self, problem: Problem) -> Reply:
        """Return one completion of an evaluation problem, or raise PromptTooLong."""
        if self.chat_only:
            servers, more = self.generation.servers, self.template_kwargs
            parameters = self.evaluation.request | ({"chat_template_kwargs": more} if more else {})
            server = servers[next(self._turns) % len(servers)]
            return await chat.complete(server, problem.messages, parameters)
        prompt, tokens = await self.prompt(problem)
        asked = _asked(tokens, 1, self.evaluation)
        [one] = await self.generation.complete(asked, prompt, is_training=False)
        text = problem.dialogue.reading.opening(prompt) + self._text_of(one.tokens)
        return Reply(problem.messages, text, one.finish_reason or "stop", len(one.tokens))

    def _rollout(self, problem: Problem, prompt: str, asked: Ask, one: Completion) -> Rollout:
        read = list(one.prompt)
        is_text = self.scripted and read != asked.prompt  # its tokens are code points
        text = "".join(map(chr, one.tokens)) if is_text else self._text_of(one.tokens)
        reading = problem.dialogue.reading
        answer, violation = reading.answer_or_violation(f"{reading.opening(prompt)}{text}")
        return Rollout(
            problem=problem,
            prompt=prompt,
            messages=(*problem.messages, {"role": "assistant", "content": text}),
            text=text,
            answer=answer,
            violation=violation,
            tokens=read + one.tokens,
            masks=[-100] * len(read) + one.tokens,  # as trainers expect at a prompt's tokens
            logprobs=[1.0] * len(read) + [min(0.0, number) for number in one.logprobs],
            finish_reason=one.finish_reason or "stop",
            budget=asked.max_tokens,
        )

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
