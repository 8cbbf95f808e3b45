"""Try the prompts and the servers once at the start, so that a mistake shows before the run."""

import logging
from collections.abc import Sequence

from rgenv.errors import BadUsage, StartupError
from rgenv.inference.chat_templates import CHOICES
from rgenv.inference.policy import Policy, Sampling
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

ROOM = 1024
"""Tokens for a completion that a message asks for at least."""

PARTS = {"system": "system prompt", "user": "question", "assistant": "examples"}


async def try_prompts(
    policy: Policy,
    problems: Sequence[Problem],
    sampling: Sampling,
    *,
    limit: int | None = None,
    named: bool = True,
) -> set[str]:
    """Put the prompts through chat template and tokenizer, and check that they leave room.

    Args:
        limit: tokens of a question above which a problem is not served; None: no limit.
        named: whether the user chose the tasks; of all tasks, those without room are left out.

    Raises:
        BadUsage: there is no chat template, it can't render a prompt or leaves a part of it out,
            the tokenizer loses the answer tags, or a prompt is too long for the token limit.
    """
    served = list(problems)
    if limit is not None and problems:
        sizes = [policy.count_tokens(problem.question) for problem in problems]
        served = [p for p, size in zip(problems, sizes, strict=True) if size <= limit]
        if not served:
            log.warning(
                "max_prompt_tokens %d is less than any question has that was tried; the shortest "
                "has %d tokens.",
                limit,
                min(sizes),
            )
    if problems:
        _check_template(policy, problems[0])
    lengths: dict[str, int] = {}
    for problem in served:
        length = await policy.prompt_tokens(problem)
        lengths[problem.task] = max(length, lengths.get(problem.task, 0))
    too_long = {task for task, length in lengths.items() if length >= sampling.max_tokens}
    if not too_long:
        return set()
    longest = max(too_long, key=lambda task: lengths[task])
    needed = 1 << (lengths[longest] + ROOM).bit_length()
    without_room = (
        f"--env.{sampling.limit_option} {sampling.max_tokens} leaves no token for an answer: the "
        f"prompt of {longest} has {lengths[longest]}. "
    )
    if named or len(too_long) == len(lengths):
        raise BadUsage(
            f"{without_room}Set it to {needed}, or leave out {', '.join(sorted(too_long))}."
        )
    log.warning("%sThese tasks are left out: %s.", without_room, ", ".join(sorted(too_long)))
    return too_long


async def try_servers(
    policy: Policy, problem: Problem, samplings: Sequence[Sampling], timeout: float
) -> None:
    for refusal in await policy.refusals(problem, samplings, timeout):
        raise StartupError(f"The inference server at {refusal}")


def _check_template(policy: Policy, problem: Problem) -> None:
    text = policy.templated(problem.messages)
    for message in problem.messages:
        if message["content"].strip() not in text:
            raise BadUsage(
                f"The chat template leaves out our {PARTS[message['role']]}: set "
                f"--env.chat_template to {CHOICES}."
            )
    reading = problem.dialogue.reading
    written = reading.write("4", "2 + 2 = 4")
    read = policy.read_back(written)
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
