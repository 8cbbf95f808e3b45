"""Train on exported files with TRL's SFTTrainer and DPOTrainer; write losses.json.

    python -m tests.support.trl_fine_tuning TOKENIZER BEST PAIRS

The model is random, and each trainer takes two steps.
"""

import json
import sys
from pathlib import Path
from typing import Any

STEPS = 2


def main(tokenizer_folder: Path, best: Path, pairs: Path) -> None:
    import torch
    from datasets import load_dataset
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM
    from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

    tokenizer = AutoTokenizer.from_pretrained(tokenizer_folder)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    losses: dict[str, Any] = {}
    for name, path, trainer, configuration, more in (
        ("sft", best, SFTTrainer, SFTConfig, {"max_length": 512}),
        ("dpo", pairs, DPOTrainer, DPOConfig, {"max_length": 1024}),
    ):
        kind = {".jsonl": "json", ".parquet": "parquet"}[path.suffix]
        rows = load_dataset(kind, data_files=str(path), split="train", cache_dir="cache")
        torch.manual_seed(0)
        configured = LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=2,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
        LlamaForCausalLM(configured).save_pretrained("model")  # DPOTrainer loads it twice
        training = trainer(
            "model",
            args=configuration(
                output_dir=name,
                max_steps=STEPS,
                per_device_train_batch_size=2,
                learning_rate=1e-2,
                logging_steps=1,
                save_strategy="no",
                report_to="none",
                use_cpu=True,
                bf16=False,
                **more,
            ),
            train_dataset=rows,
            processing_class=tokenizer,
        )
        training.train()
        log = training.state.log_history
        losses[name] = [entry["loss"] for entry in log if "loss" in entry]
        losses[f"{name}_rows"] = [len(rows), sorted(rows.column_names)]
    Path("losses.json").write_text(json.dumps(losses))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
