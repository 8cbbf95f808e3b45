"""The tokenizer of the learning example: short prompts, answers letter by letter."""

from typing import Any

import pytest

pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from transformers import AutoTokenizer

from demo.policy import Policy
from examples.learn import settings
from examples.learn.tokenizer import WORDING, build_tokenizer
from rgenv.pool.pool import WorkerPool
from rgenv.prompts import build_messages
from rgenv.rollouts.answer_format import extract_answer


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The tokenizer of the example."""
    return AutoTokenizer.from_pretrained(build_tokenizer(tmp_path_factory.mktemp("letters")))


def prompt_of(tokenizer: Any, question: str) -> str:
    return tokenizer.apply_chat_template(
        build_messages(question), tokenize=False, add_generation_prompt=True
    )


@pytest.mark.parametrize("task", settings.TASK_WEIGHTS)
async def test_the_wording_is_that_of_the_library(
    task: str, letters: Any, pool: WorkerPool
) -> None:
    """Each piece of wording is in the questions; prompts are short and can be decoded."""
    config = settings.TASK_CONFIGS.get(task)
    for level in (0.0, 0.3, 1.0):
        problem = await pool.make(task, 7, level=level, config=config)
        prompt = prompt_of(letters, problem.question)
        tokens = letters.encode(prompt)
        assert letters.decode(tokens) == prompt
        assert all(piece in problem.question for piece in WORDING[task])
        assert len(tokens) < settings.MAX_TOKENS / 2


def test_an_answer_is_read_letter_by_letter(letters: Any) -> None:
    """Tags and fixed sentences are one token each, and so is every letter and digit."""
    assert len(letters.encode("<answer>sun 42</answer>")) == len("sun 42") + 2
    text = Policy(1, 0, 0, 0).complete(prompt_of(letters, "?"), 1, 99)[0].text
    tokens = letters.encode(text)
    assert letters.decode(tokens, skip_special_tokens=True) == text
    assert len(tokens) < 10 + len(extract_answer(text) or "") + 3
