"""Train with TRL's GRPOTrainer; write what each process sees into rank0.json, rank1.json ...

    python -m tests.support.trl_training FOLDER STEPS

The model is random, so the reward function gets other completions: right ones in the first process,
wrong ones in the second.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from examples.trainers.trl_grpo import write_tiny_model
from rgenv import ReasoningGym
from rgenv.adapters.trl import GRPOProblems

GROUP_SIZE = 4


def main(folder: Path, steps: int) -> None:
    """Train in this process; several of them train together if they were started so."""
    from trl import GRPOConfig, GRPOTrainer

    rank, processes = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    seen: list[dict[str, Any]] = []
    with ReasoningGym(["gcd"], seed=7, workers=1) as gym:
        problems = GRPOProblems(gym)

        def reward(**columns: Any) -> list[float]:
            texts = [
                f"<answer>{gym.make(**json.loads(recipe)).answer if rank == 0 else 0}</answer>"
                for recipe in columns["recipe"]
            ]
            columns["completion_ids"] = [[1]] * len(texts)  # short: none was cut
            columns["completions"] = [[{"role": "assistant", "content": text}] for text in texts]
            rewards = problems.reward(**columns)
            seen.append({"recipes": columns["recipe"], "train": columns["train"], "got": rewards})
            return rewards

        trainer = GRPOTrainer(
            write_tiny_model(folder / f"model{rank}"),
            args=GRPOConfig(
                output_dir=str(folder / "output"),
                max_steps=steps,
                shuffle_dataset=False,
                num_generations=GROUP_SIZE,
                per_device_train_batch_size=GROUP_SIZE // 2 // processes,
                gradient_accumulation_steps=2,
                max_completion_length=8,
                eval_strategy="steps",
                eval_steps=steps,
                per_device_eval_batch_size=GROUP_SIZE,
                logging_steps=1,
                save_steps=4,
                report_to="none",
                use_cpu=True,
                bf16=False,
            ),
            train_dataset=problems.dataset,
            eval_dataset=problems.held_out(1, level=0.5),
            reward_funcs=reward,
            callbacks=[problems],
        )
        trainer.train(resume_from_checkpoint=any(folder.glob("output/checkpoint-*")))
        report = {"seen": seen, "state": problems.state(), "log": trainer.state.log_history}
    (folder / f"rank{rank}.json").write_text(json.dumps(report))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
