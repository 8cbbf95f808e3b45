"""rgenv/dialogue/prompts.py: what a problem is asked with."""

from typing import Any

import pytest

from rgenv.dialogue.formats import SHIPPED
from rgenv.dialogue.prompts import DIALOGUE, Dialogue


def test_the_default_is_the_prompt_of_the_readme() -> None:
    """To the letter: its digest has never changed."""
    assert Dialogue.of() == DIALOGUE
    assert DIALOGUE.system.startswith("You solve reasoning problems. First think the problem")
    assert "inside <think> and </think> tags. When you are done thinking, state" in DIALOGUE.system
    assert DIALOGUE.messages("2 + 2?") == [
        {"role": "system", "content": DIALOGUE.system},
        {"role": "user", "content": "2 + 2?"},
    ]


@pytest.mark.parametrize("name", [*SHIPPED, r"#### (.+)"])
@pytest.mark.parametrize("tags", [("<think>", "</think>"), ("[T]", "[/T]"), ()])
def test_the_prompt_of_a_format_asks_for_what_is_read(name: str, tags: tuple[str, ...]) -> None:
    """It names the tags of the thinking, and shows the form of an answer."""
    dialogue = Dialogue.of(name, think_tags=tags)
    assert all(tag in dialogue.system for tag in tags)
    assert dialogue.reading.format.write("...").split("...")[0].strip("<>") in dialogue.system


def test_examples_and_template_are_turns() -> None:
    """Each example is a question and an answer in the format; none: no system prompt."""
    dialogue = Dialogue.of("boxed", "none", "Q: {question}")
    shown = Dialogue(dialogue.reading, "", dialogue.template, (("1 + 1?", "2"),))
    assert [tuple(message.values()) for message in shown.messages("2 + 2?")] == [
        ("user", "Q: 1 + 1?"),
        ("assistant", "\\boxed{2}"),
        ("user", "Q: 2 + 2?"),
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"system_prompt": "deepseek_zero"},
        {"system_prompt": "reference"},
        {"system_prompt": "Be brief.", "answer_format": "boxed"},
        {"system_prompt": "boxed", "answer_format": "boxed"},
        {"system_prompt": "End with 'Answer: x'.", "answer_format": "final_line"},
        {"system_prompt": "End with #### and the answer", "answer_format": "#### (.+)"},
        {"system_prompt": "Plan in <plan></plan>, then <answer>x</answer>."},
        {"question_template": "{question}\nPut it into \\boxed{}.", "answer_format": "boxed"},
    ],
)
def test_a_prompt_that_asks_for_what_is_read_is_taken(options: dict[str, Any]) -> None:
    """Also one that shows no form of an answer."""
    Dialogue.of(**{"system_prompt": "none", **options})


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"system_prompt": "boxed"}, "boxed"),
        ({"system_prompt": "deepseek_zero", "answer_format": "boxed"}, "<answer>42</answer>"),
        ({"question_template": "{question} Use \\boxed{}."}, "boxed"),
        ({"system_prompt": "Write \\boxed{}", "answer_format": "#### (.+)"}, "boxed"),
    ],
)
def test_a_prompt_that_asks_for_another_format_is_refused(
    options: dict[str, Any], shown: str
) -> None:
    with pytest.raises(ValueError, match="system_prompt asks for answers such as") as found:
        Dialogue.of(**{"system_prompt": "none", **options})
    assert shown in str(found.value)


@pytest.mark.parametrize(
    "options",
    [
        {"answer_format": "boxd"},
        {"answer_format": None},
        {"think_tags": ["<think>"]},
        {"think_tags": ["a", "A"]},
        {"think_tags": "<think>"},
        {"think_tags": [1, 2]},
        {"think_tags": 5},
        {"question_template": "What?"},
        {"question_template": "{question}{question}"},
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=" must "):
        Dialogue.of(**options)
