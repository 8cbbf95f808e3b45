"""A byte-level tokenizer with a chat template, built locally: nothing is downloaded.

    folder = build_tokenizer(Path("demo_output/tokenizer"))
    AutoTokenizer.from_pretrained(str(folder))

All 256 bytes are tokens, so decoding restores any encoded text. A few hundred merges, learned from
the sentences below, keep prompts short. Every build writes the same files.
"""

import json
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 704
END_OF_TEXT, START, END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{% for m in messages %}"
    f"{START}{{{{ m['role'] }}}}\n{{{{ m['content'] }}}}{END}\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}"
    f"{START}assistant\n"
    "{% endif %}"
)
CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "model_max_length": 131072,
    "eos_token": END,
    "pad_token": END_OF_TEXT,
    "clean_up_tokenization_spaces": False,
    "chat_template": CHAT_TEMPLATE,
}
SENTENCES = [
    "system user assistant",
    "You are a thinking assistant. Think about the problem step by step before you answer it.",
    "Put your thoughts between <think> and </think> tags, then give exactly one final answer"
    " between <answer> and </answer> tags. Write only the answer itself inside the tags.",
    "Your task is to find the number of elements in the following list, or return False.",
    "Given a matrix or a grid, the output should be a matrix in the same format as the input,"
    " where each cell contains one value. You may move in four directions: up, down, left, right.",
    "What is the result of this problem? Solve the equation and determine the value.",
    "For example, if there are two strings of characters, the first can be transformed into the"
    " second by replacing each letter with another letter, or it is impossible.",
    "Each row, each column and each rule must be used once. Do not include any other text.",
    "There are several people. Each person has a different name, color, house and animal.",
    "If the statement is true then the other statements are false, and nobody knows how many.",
    "Calculate the following arithmetic expression, simplify it, and give the result as a list.",
    "Sort these words and numbers in ascending or descending order, separated by commas.",
    "Now, what would the shortest sequence of instructions from the start to the target look like?",
    "I recognise this kind of question, so I can compute the answer. I do not know how to solve"
    " this, so this is a guess. Wait, let me check that once more.",
]


def build_tokenizer(folder: Path) -> Path:
    """Write tokenizer.json and tokenizer_config.json into `folder` and return it."""
    return save(_train(), folder)


def save(tokenizer: Tokenizer, folder: Path) -> Path:
    """Write a tokenizer with the chat template, in the format of AutoTokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = json.dumps(CONFIG, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(config, encoding="utf-8")
    return folder


def _train() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=[END_OF_TEXT, START, END],
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return tokenizer
