"""The prompt: a system prompt, examples and the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rgenv.dialogue.formats import BOXED, FINAL_LINE, TAGS, AnswerFormat
from rgenv.dialogue.reading import READING, THINK, Reading, read_format, read_think_tags

QUESTION = "{question}"
"""What a template has in place of the question."""

DEEPSEEK_ZERO = (
    "A conversation between User and Assistant. The user asks a question, and the Assistant solves "
    "it.\nThe assistant first thinks about the reasoning process in the mind and then provides the "
    "user with the answer. The reasoning process and answer are enclosed within <think> </think> "
    "and <answer> </answer> tags, respectively, i.e., <think> reasoning process here </think>\n"
    "<answer>answer here</answer>\nDo not explain your reasoning inside the answer tags, provide "
    "only the final answer. When an example is provided, you should strictly follow the format of "
    "the output/answer in that example.\n"
)
"""The system prompt of the Reasoning Gym paper: `DeepSeekZero` of reasoning-gym."""

REFERENCE = (
    "You are a model that thinks deeply. Take as long a chain of thought as you need: look at the "
    "problem from every side, and argue with yourself step by step until you are sure of a right "
    "solution. Write all of this deliberation between <think> and </think> tags, and after that "
    "your solution or your response to the problem.\n\nGive the final answer of the problem once, "
    "outside the thinking, between answer tags: <answer>the final answer</answer>. The answer must "
    "have the format that the problem asks for. Text without these tags, or with more than one "
    "answer, earns nothing."
)
"""Asks for the same as the system prompt of the reference, in other words."""


def default_prompt(reading: Reading) -> str:
    """Return the system prompt that asks for thinking and for an answer, as they are read."""
    tags = ", inside {} and {} tags".format(*reading.think_tags) if reading.think_tags else ""
    return (
        "You solve reasoning problems. First think the problem through, step by step and for as "
        f"long as it takes{tags}. When you are done thinking, {reading.format.asks}"
    )


SYSTEM_PROMPTS = {
    "reference": REFERENCE,
    "deepseek_zero": DEEPSEEK_ZERO,
    "boxed": "Please reason step by step, and put your final answer within \\boxed{}.",
    "none": "",
}
"""Name -> system prompt; `boxed` is what Qwen and DeepSeek-R1 know."""

DEFAULT = "default"
"""The name of the prompt that asks for what is read."""

CHOICES = f"{DEFAULT}, {', '.join(SYSTEM_PROMPTS)}, a text, or the path of a file"


@dataclass(frozen=True)
class Dialogue:
    """How problems are asked, and completions read.

    Attributes:
        system: the system prompt; empty: there is no such message.
        template: the message of the user, with `QUESTION` in place of the question.
        examples: questions and answers that come before the question.
    """

    reading: Reading = READING
    system: str = default_prompt(READING)
    template: str = QUESTION
    examples: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls,
        answer_format: str | AnswerFormat = TAGS,
        system_prompt: str = DEFAULT,
        question_template: str = QUESTION,
        think_tags: Sequence[str] = THINK,
    ) -> Dialogue:
        """Return what options describe; `system_prompt` is a name or a text.

        ValueError: the prompt asks for another format than is read.
        """
        reading = Reading(read_format(answer_format), read_think_tags(think_tags))
        named = {DEFAULT: default_prompt(reading), **SYSTEM_PROMPTS}
        system = named.get(system_prompt, system_prompt)
        prompt = f"{system}\n{question_template.replace(QUESTION, '')}"
        shown = {"<answer>": TAGS, "\\boxed": BOXED, "Answer:": FINAL_LINE}
        asked = [form.write("42") for mark, form in shown.items() if mark in prompt]
        is_own = reading.format.around[0].strip() in prompt
        if asked and not is_own and not any(map(reading.answer, asked)):
            raise ValueError(
                f"system_prompt asks for answers such as {asked[0]!r}, which answer_format "
                f"{reading.format.name!r:.80} does not read ({reading.violation(asked[0])}): set "
                "one to what the other says"
            )
        return cls(reading, system, question_template)

    def messages(self, question: str) -> list[dict[str, str]]:
        turns = [{"role": "system", "content": self.system}] if self.system else []
        for text, answer in [*self.examples, (question, None)]:
            turns.append({"role": "user", "content": self.template.replace(QUESTION, text)})
            if answer is not None:
                turns.append({"role": "assistant", "content": self.reading.write(answer)})
        return turns


DIALOGUE = Dialogue()


def check_template(text: str) -> str:
    """Return a template, or raise ValueError."""
    if text.count(QUESTION) != 1:
        raise ValueError(f"{text!r:.80} must have {QUESTION} once, in place of the question")
    return text
