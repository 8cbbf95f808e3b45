"""Train by GRPO with TRL; without arguments, a tiny model that is made on the spot, in a minute.

    python -m examples.trainers.trl_grpo --model Qwen/Qwen3-0.6B --tasks arithmetic

The tiny model can't read: it shows that everything works, and not that it learns.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rgenv import ReasoningGym
from rgenv.task_names import parse_names

ANSWERS = ("<answer>True</answer>", "<answer>False</answer>")
END, PAD, UNKNOWN = "<end>", "<pad>", "<unknown>"


def write_tiny_model(folder: Path) -> str:
    """Write a Llama of random weights whose only words are two answers; return its path."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    from examples.learn.model import new_model

    vocabulary = {word: number for number, word in enumerate([END, PAD, UNKNOWN, *ANSWERS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words,
        eos_token=END,
        pad_token=PAD,
        unk_token=UNKNOWN,
        chat_template="{% for message in messages %}{{ message['content'] }} {% endfor %}",
    )
    for part in (tokenizer, new_model("tiny", tokenizer, seed=0)):
        part.save_pretrained(folder)
    return str(folder)


def main() -> None:
    """Train, and write checkpoints into a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", help="name or folder; default: a tiny one is made")
    parser.add_argument("--tasks", default="isomorphic_strings", help="default: %(default)s")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--output", default="trl_output", help="folder; default: %(default)s")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    options = parser.parse_args()

    from trl import GRPOConfig, GRPOTrainer

    from rgenv.adapters.trl import GRPOProblems  # first, as it says what is not installed

    tiny = options.model is None
    with ReasoningGym(parse_names(options.tasks), seed=7) as gym, TemporaryDirectory() as folder:
        problems = GRPOProblems(gym, "curriculum")
        trainer = GRPOTrainer(
            options.model or write_tiny_model(Path(folder)),
            args=GRPOConfig(
                output_dir=options.output,
                max_steps=options.steps,
                shuffle_dataset=False,
                num_generations=8,
                per_device_train_batch_size=8,
                gradient_accumulation_steps=2,
                max_completion_length=8 if tiny else 1024,
                learning_rate=1e-2 if tiny else 1e-6,
                logging_steps=10,
                save_steps=20,
                report_to="none",
                use_cpu=tiny,
                bf16=not tiny,
            ),
            train_dataset=problems.dataset,
            reward_funcs=problems.reward,
            callbacks=[problems],
        )
        trainer.train(resume_from_checkpoint=options.resume)
        for line in trainer.state.log_history:
            if "reward" in line:
                print(f"step {line['step']}: reward {line['reward']:.2f}")


if __name__ == "__main__":
    main()
