"""A tokenizer for small models: bytes, and one token for each piece of fixed wording.

    folder = build_tokenizer(Path("learn_output/tokenizer"))
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    tokenizer.encode("<answer>sun</answer>")    # five tokens: <answer> s u n </answer>

The system prompt, the turns of the chat template, the tags, the wording of the questions and the
sentences of the stand-in policy are one token each, so a prompt of 500 bytes has 40 tokens. Words
and numbers are bytes, for a model that learns to spell must see letters.

A task without an entry in `WORDING` also works; its prompts are longer.
"""

from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from demo.policy import DOUBT, KNOWN, UNKNOWN
from demo.tokenizer import END, END_OF_TEXT, START, save
from rgenv.dialogue.prompts import DIALOGUE

TAGS = ("<think>", "</think>", "<answer>", "</answer>")
TURNS = (
    f"{START}system\n{DIALOGUE.system}{END}\n{START}user\n",
    f"{END}\n{START}assistant\n",
)
SENTENCES = (KNOWN, UNKNOWN, f" {DOUBT}")
WORDING = {
    "spell_backward": ("Spell this word backward (example: sun -> nus): ",),
    "gcd": (  # for tests: a tiny model is sometimes right
        "Find the Greatest Common Divisor (GCD) of these numbers: ",
        ", ",
        ". Give only the GCD as your final answer.",
    ),
    "spiral_matrix": (
        "Given a matrix, your job is to generate a list of elements in spiral order, starting from "
        "the top-left element.\n\nThe spiral order is clockwise, starting from the top-left corner."
        " More precisely:\n- Start from the top-left corner and move right along the top row.\n"
        "- Move down along the right column.\n- Move left along the bottom row.\n"
        "- Move up along the left column.\n"
        "- Repeat the steps for the inner elements of the matrix until every entry is visited."
        "\n\nHint: Think of peeling the matrix layer by layer from the outside inward. Each layer "
        "forms a rectangular frame, and you traverse each frame clockwise starting from its "
        "top-left corner.\n\nYour output should be a space-separated list of integers, e.g. "
        "1 2 3 4 5 6\n\nFor the matrix below, what is the list of elements in spiral order?\n",
    ),
}


def build_tokenizer(folder: Path) -> Path:
    """Write tokenizer.json and tokenizer_config.json into `folder` and return it."""
    return save(_build(), folder)


def _build() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({byte: i for i, byte in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([END_OF_TEXT, START, END])
    texts = [*TURNS, *TAGS, *SENTENCES, *(text for texts in WORDING.values() for text in texts)]
    tokenizer.add_tokens([AddedToken(text, normalized=False, special=False) for text in texts])
    return tokenizer
