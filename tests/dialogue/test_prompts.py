"""rgenv/dialogue/prompts.py: what a problem is asked with."""

from typing import Any

import pytest

from rgenv.dialogue.formats import SHIPPED
from rgenv.dialogue.prompts import Dialogue


@pytest.mark.parametrize("name", [*SHIPPED, r"#### (.+)"])
@pytest.mark.parametrize("tags", [("[T]", "[/T]"), ()])
def test_the_prompt_of_a_format_asks_for_what_is_read(name: str, tags: tuple[str, ...]) -> None:
    dialogue = Dialogue.of(name, think_tags=tags)
    assert all(tag in dialogue.system for tag in tags)
    assert dialogue.reading.format.write("...").split("...")[0].strip("<>") in dialogue.system


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"system_prompt": "deepseek_zero"}, None),
        ({"system_prompt": "Be brief.", "answer_format": "boxed"}, None),
        ({"system_prompt": "End with 'Answer: x'.", "answer_format": "final_line"}, None),
        ({"system_prompt": "End with #### and the answer", "answer_format": "#### (.+)"}, None),
        ({"question_template": "{question} \\boxed{}", "answer_format": "boxed"}, None),
        ({"system_prompt": "boxed"}, "boxed"),
        ({"system_prompt": "deepseek_zero", "answer_format": "boxed"}, "<answer>42</answer>"),
        ({"question_template": "{question} Use \\boxed{}."}, "boxed"),
        ({"system_prompt": "Write \\boxed{}", "answer_format": "#### (.+)"}, "boxed"),
    ],
)
def test_a_prompt_must_not_ask_for_another_format(
    options: dict[str, Any], shown: str | None
) -> None:
    options = {"system_prompt": "none", **options}
    if shown is None:
        assert Dialogue.of(**options)
        return
    with pytest.raises(ValueError, match="system_prompt asks for answers such as") as found:
        Dialogue.of(**options)
    assert shown in str(found.value)
