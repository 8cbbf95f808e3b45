"""A tokenizer for small models: bytes, and one token for each piece of fixed wording.

    folder = build_tokenizer(Path("learn_output/tokenizer"), ["spell_backward"])
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    tokenizer.encode("<answer>sun</answer>")    # five tokens: <answer> s u n </answer>

The system prompt, the turns of the chat template, the tags, the wording of the questions and the
sentences of the stand-in policy are one token each, so a prompt of 500 bytes has 40 tokens. Words
and numbers are bytes, for a model that learns to spell must see letters.
"""

from collections.abc import Iterator, Sequence
from os.path import commonprefix
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from demo.policy import DOUBT, KNOWN, UNKNOWN
from demo.tokenizer import END, END_OF_TEXT, START, save
from rgenv import ReasoningGym
from rgenv.dialogue.prompts import DIALOGUE

TAGS = ("<think>", "</think>", "<answer>", "</answer>")
TURNS = (
    f"{START}system\n{DIALOGUE.system}{END}\n{START}user\n",
    f"{END}\n{START}assistant\n",
)
SENTENCES = (KNOWN, UNKNOWN, f" {DOUBT}")


def build_tokenizer(folder: Path, tasks: Sequence[str]) -> Path:
    """Write tokenizer.json and tokenizer_config.json into `folder` and return it."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({byte: i for i, byte in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END_OF_TEXT, START, END])
    texts = [*TURNS, *TAGS, *SENTENCES, *_wording(tasks)]
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in texts])
    return save(tokenizer, folder)


def _wording(tasks: Sequence[str]) -> Iterator[str]:
    """Yield the texts with which all questions of a task begin, and those with which they end."""
    with ReasoningGym(tasks, workers=1) as gym:
        for task in tasks:
            questions = [gym.make(task, seed=seed).question for seed in range(8)]
            for step in (1, -1):
                rows = [question[::step] for question in questions]
                if len(text := commonprefix(rows)[::step]) > 1:  # noqa: RUF071 - of letters
                    yield text
