"""rgenv/dialogue/reading.py: the answers of completions."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dialogue.reading import READING, THINK, Reading

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


@given(pieces)
def test_parts_are_the_whole_text(words: list[str]) -> None:
    """The parts of a text together are the text; the one marked as the answer is the answer."""
    text = "".join(words)
    found = READING.parts(text)
    assert "".join(part for _, part in found) == text
    answer = "".join(part for kind, part in found if kind == "answer").strip()
    assert answer == (READING.answer(text) or "")
    outside = READING.without_thinking(text)
    if outside is not None:
        assert "".join(part for kind, part in found if kind != "thinking") == outside


def test_how_a_prompt_opens_the_thinking() -> None:
    """It ends with the tag, and maybe with space behind it."""
    assert READING.opening("<think>Hm.</think>5?<think>\n") == "<think>\n"
    assert READING.opening("<think>Hm.</think>5?") == ""


@pytest.mark.parametrize("form", ["tags", "boxed", "final_line", r"Answer: (\w+)"])
def test_a_copy_in_another_process_reads_alike(form: str) -> None:
    """A reading that was pickled is the same value, so recipes of other processes are equal."""
    reading = Reading.of(form, THINK)
    copied = pickle.loads(pickle.dumps(reading))
    assert copied == reading and copied.recipe == reading.recipe
