"""rgenv/dialogue/formats.py: the answer formats that are shipped."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dialogue.formats import SECONDS, SHIPPED, AnswerFormat, Pattern
from rgenv.dialogue.reading import Reading, read_format
from tests.support.timing import processor_seconds

OWN = Pattern(r"(?i)result\s*=\s*(.+)")
FORMATS = [*SHIPPED.values(), OWN]

CASES: dict[str, list[tuple[str, str]]] = {
    "tags": [
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
        ("<answer>1</answer>" * 65, "more than 64 answers"),
        ('<answer type="number">4</answer >', "4"),
        ("<Answer id='a' lang=en>4</ANSWER>", "4"),
        ("<answer>two\nlines</answer>", "two\nlines"),
        ("<answers>5</answers>", "no answer tags"),
        ("<answer>1", "nested or unbalanced answer tags"),
        ("<answer>a<answer>b</answer></answer>", "nested or unbalanced answer tags"),
        ("</answer>5<answer>", "nested or unbalanced answer tags"),
    ],
    "boxed": [
        (r"$\boxed{\frac{1}{\sqrt{2}}}$", r"\frac{1}{\sqrt{2}}"),
        (r"\boxed {a\}b}", r"a\}b"),
        (r"\boxed{4} and again \boxed{ 4 }", "4"),
        (r"\boxed{4} or \boxed{5}", "2 answers"),
        (r"\boxed{4} \boxed{5} " * 33, "more than 64 answers"),
        (r"\boxed{4} \boxed{", "unbalanced box"),
        (r"boxed{4}", "no box"),
        (r"<think>\boxed{5}</think>\boxed{4}", "4"),
        (r"<think>\boxed{4}</think>", "answer only inside thinking"),
    ],
    "final_line": [
        ("Well.\nAnswer: 4\n\n", "4"),
        ("**Answer:** 4", "4"),
        ("**Answer**：4", "4"),
        ("  **Answer: 4**  ", "4"),
        ("### ANSWER : 4", "4"),
        ("answer: 2**3\r\n", "2**3"),
        ("Answer: 4<|im_end|>", "4"),
        ("Answer: 4 </s></s>\n", "4"),
        ("Answer: 4\n\ufeff", "4"),
        ("Answer: 4 <|im_end|> or 5", "4 <|im_end|> or 5"),
        ("The answer: 4", "no answer line"),
        ("Answer: 4\nAnswer: 4", "2 answers"),
        ("Answer: 4\n" * 65, "more than 64 answers"),
        ("Answer: 4\nI hope so.", "answer line is not the last"),
        ("Answer:\n4", "answer line is not the last"),
        ("Answer: <think>5</think>4", "4"),
    ],
    OWN.name: [
        ("Result = 4", "4"),
        ("result=4\nresult=5", "2 answers"),
        ("4", "no match of answer_format"),
        ("<think>result=4</think>", "answer only inside thinking"),
        ("result=4\n" * 65, "more than 64 answers"),
    ],
}


@pytest.mark.parametrize("name", CASES)
def test_a_text_has_one_answer_or_a_named_violation(name: str) -> None:
    reading = Reading(read_format(name))
    for text, found in CASES[name]:
        assert found in reading.answer_or_violation(text), text


plain = st.text(st.characters(exclude_characters="<>{}\\\n", exclude_categories=["C", "Z"]))


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(answer=plain.filter(len), before=plain, thought=plain)
def test_what_is_written_is_read(
    form: AnswerFormat, answer: str, before: str, thought: str
) -> None:
    reading = Reading(form)
    text = reading.write(answer, thought)
    if reading.violation(before) == form.missing and not before.endswith("_"):
        assert reading.answer(f"{before}\n{text}") == answer.strip() or answer.strip("*_") != answer


TAGS = ["<think>", "</think>", "<answer>", "</answer>", "\\boxed{", "}", "Answer:", "\n", "4", "<"]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@given(pieces=st.lists(st.sampled_from(TAGS)))
def test_parts_are_the_whole_text(form: AnswerFormat, pieces: list[str]) -> None:
    text, reading = "".join(pieces), Reading(form)
    found = reading.parts(text)
    assert "".join(part for _, part in found) == text
    answer = "".join(part for kind, part in found if kind == "answer").strip()
    assert answer == (reading.answer(text) or "")


@given(*[st.lists(st.sampled_from([*TAGS, "</answer>", "</ANSWER>", " "]))] * 2)
def test_a_closed_think_block_in_front_changes_nothing(
    words: list[str], thoughts: list[str]
) -> None:
    text = "".join(words)
    thought = "".join(part for part in thoughts if "think" not in part)
    reading = Reading()
    assert reading.answer(f"<think>{thought}</think>{text}") == reading.answer(text)


SLOW = ["<answer>", "<answer ", "<answer a=b ", "<think>", "</think>", "\\boxed{", "\\boxed ", "{"]
SLOW += ["{}", "\\", "Answer: ", "Answer: 4\n", "\n", "answer ", "**", "> ", "result", "result = "]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_long_text_is_read_in_milliseconds(form: AnswerFormat) -> None:
    opening = form.write("").rstrip("}")
    texts = [unit * (100_000 // len(unit)) for unit in SLOW]
    texts += [opening + text for text in [*texts, " " * 100_000]]
    texts.append(form.write("4") + "\n" + "a b. " * 20_000)
    reading = Reading(form)
    for text in texts:
        with processor_seconds(0.2, text[:30]):
            reading.answer_or_violation(text)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (r"#### (.+)", "#### 42"),
        (r"(?i)final result:\s*(.+)", "final result:42"),
        (r"(?:Answer|Result): (\d+(?:\.\d+)?)", "Answer: 42"),
        (r"[Aa]nswer\*{0,2}: (\d{1,3}(?:,\d{3})*)", "Answer: 42"),
        (r"(?s)<<(?P<it>.*)>>", "<<42>>"),
        (r"(?x) The\ answer\ is:? \s* \**(.+?)\**\.?$", "The answer is42"),
        (r"^x([^\n]*)", "x42"),
    ],
)
def test_it_reads_what_it_writes(expression: str, written: str) -> None:
    form = Pattern(expression)
    assert form.write("42") == written
    found = form.find(f"Well, well.\n{written}")
    assert not isinstance(found, str) and f"Well, well.\n{written}"[slice(*found)] == "42"


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("boxd", "one group"),
        ("a(b)(c)", "one group"),
        ("a(?:b|(c))", "neither repeated"),
        ("(?i:x(a))", "neither repeated"),
        ("A(b)(?=c)", "without look-arounds"),
        (r"A(b)\1", "without look-arounds"),
        ("(", "not a regular expression"),
        ("x(a{99999999999999})", "not a regular expression"),
        ("x(.)" + "y" * 500, "more than 500"),
        ("x$y(a)", "must match a text"),
        ("x(?:(?:^){60000}){60000}(a)", "repeat so often"),
    ],
)
def test_what_is_no_format_is_refused(expression: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Pattern(expression)


@pytest.mark.parametrize("expression", [r"x((?:\w+)+)b", r"x(.*?)y.*?z", r"(?s)<<(.*)>>"])
def test_a_text_that_takes_too_long_has_no_answer(expression: str) -> None:
    form = Pattern(expression)
    for text in ("x" + "a" * 50_000, "xy" * 50_000, "<<" * 50_000):
        with processor_seconds(2 * SECONDS):
            found = form.find(text)
        assert found in (form.missing, "answer_format takes too long to read it")
    assert isinstance(form.find(form.write("42")), tuple)
