"""rgenv/dialogue/reading.py: the answers of completions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dialogue.reading import READING

CASES = [
    ("<think>a</think> so <answer> 5 </answer>.", "5"),
    ("<answer> \n </answer>", ""),
    ("<answer>5</answer> or <answer>5</answer>", "2 answers"),
    ("<think>maybe <answer>4</answer></think><answer>5</answer>", "5"),
    ("<answer>5</answer><think>or <answer>4</answer></think>", "5"),
    ("<think>it is <answer>5</answer></think> done", "answer only inside thinking"),
    ("<answer>5</answer><think>but", "thinking never closed"),
    ("opened in the prompt </think><answer>5</answer>", "5"),
    ("<answer>4</answer><think>a</think> b </think> <answer>5</answer>", "5"),
    ("a </think> b <answer>4</answer> </think> <answer>5</answer>", "5"),
    ("<think>a</think> then <think>b</think><answer>5</answer>", "5"),
    ("<THINK>x <Answer>1</Answer></Think><ANSWER>5</aNsWeR>", "5"),
    ("", "no answer tags"),
]


@pytest.mark.parametrize(("text", "found"), CASES)
def test_the_only_answer_outside_the_thinking_is_extracted(text: str, found: str) -> None:
    assert found in READING.answer_or_violation(text)


pieces = st.lists(
    st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "</ANSWER>", "x", " ", "<"])
)


@given(pieces, pieces)
def test_a_closed_think_block_in_front_changes_nothing(
    words: list[str], thoughts: list[str]
) -> None:
    text = "".join(words)
    thought = "".join(part for part in thoughts if "think" not in part)
    assert READING.answer(f"<think>{thought}</think>{text}") == READING.answer(text)
