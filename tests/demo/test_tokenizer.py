"""The local tokenizer: it restores any text and loads with AutoTokenizer."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from demo.tokenizer import END, SENTENCES, VOCABULARY
from tests.support.paths import ROOT

BUILD = "import pathlib, sys, demo.tokenizer as t; t.build_tokenizer(pathlib.Path(sys.argv[1]))"


class TestRoundTrip:
    @given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"])))
    def test_decode_undoes_encode(self, tokenizer: PreTrainedTokenizerFast, text: str) -> None:
        """Decoding restores any encoded text: emoji, tabs, newlines."""
        ids = tokenizer.encode(text, add_special_tokens=False)
        assert tokenizer.decode(ids) == text

    @pytest.mark.parametrize("text", ["<|im_end|>", " a  b ,\n\n don 't . ", "\x00\x7f", "❌é"])
    def test_awkward_texts(self, tokenizer: PreTrainedTokenizerFast, text: str) -> None:
        """Decoding restores template markers, spaces before punctuation and control characters."""
        assert tokenizer.decode(tokenizer.encode(text, add_special_tokens=False)) == text

    def test_every_byte_is_a_token(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """A text has at most one token per byte."""
        text = "".join(map(chr, range(256)))
        assert len(tokenizer.encode(text)) <= len(text.encode())


class TestChat:
    def test_template_marks_each_message(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """The template writes role, content and end marker, then opens the assistant's turn."""
        messages = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q\nQ"}]
        text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        assert text == (
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nQ\nQ<|im_end|>\n"
            "<|im_start|>assistant\n"
        )

    def test_markers_are_one_token_each(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """The end marker is a single special token: the one that ends a completion."""
        assert tokenizer.encode(END, add_special_tokens=False) == [tokenizer.eos_token_id]
        assert tokenizer.decode([tokenizer.eos_token_id], skip_special_tokens=True) == ""

    def test_answer_tags_are_ordinary_text(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """Think and answer tags are not special tokens: skipping special tokens keeps them."""
        text = "<think>x</think>\n<answer>4</answer>"
        assert tokenizer.decode(tokenizer.encode(text), skip_special_tokens=True) == text

    def test_nothing_is_added(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """Encoding adds no special tokens."""
        assert tokenizer.encode("a") == tokenizer.encode("a", add_special_tokens=False)


class TestFiles:
    def test_merges_shorten_prompts(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """Common words of prompts have far fewer tokens than bytes."""
        text = " ".join(SENTENCES)
        assert len(tokenizer) == VOCABULARY
        assert len(tokenizer.encode(text)) < len(text) / 2

    def test_same_files_from_another_process(self, tokenizer_dir: Path, tmp_path: Path) -> None:
        """Another process builds the same files, byte for byte."""
        subprocess.run([sys.executable, "-c", BUILD, tmp_path], check=True, cwd=ROOT, timeout=120)
        for name in ("tokenizer.json", "tokenizer_config.json"):
            assert (tmp_path / name).read_bytes() == (tokenizer_dir / name).read_bytes()
