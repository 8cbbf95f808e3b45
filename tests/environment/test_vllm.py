"""The commands against stock vLLM on a CPU, which `make test-vllm` installs into .venv-vllm.

It serves a small random model that is made on the spot.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from demo.processes import ROOT, Children, free_port
from demo.tokenizer import build_tokenizer
from tests.support.commands import Commands, exit_code, log_of
from tests.support.dumps import rows

torch = pytest.importorskip("torch", reason="models need requirements-learn.txt")

PYTHON = ROOT / ".venv-vllm" / "bin" / "python"
MODEL = "random"
CONTEXT = 1024
LENGTH = 640
"""Tokens of prompt and completion: prompts have about 300."""
GROUP_SIZE = 4
READY_SECONDS = 600.0
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GB
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": "1",
}

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not PYTHON.exists(), reason="vLLM is not installed: make test-vllm"),
]


def write_model(folder: Path) -> Path:
    """Write a small Llama with random weights and the demo's tokenizer; return the folder."""
    tokenizer = AutoTokenizer.from_pretrained(build_tokenizer(folder))
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    config = LlamaConfig(
        **sizes,
        vocab_size=len(tokenizer),
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        initializer_range=0.1,  # some tokens are much likelier than others
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    defaults = {"top_k": 1, "temperature": 0.1, "repetition_penalty": 1.5}
    (folder / "generation_config.json").write_text(json.dumps(defaults))
    return folder


def differences(model: Path, groups: list[dict[str, Any]]) -> list[float]:
    """Compute each log probability again; return how far it is from the one in the group."""
    network = LlamaForCausalLM.from_pretrained(model).eval()
    found = []
    for group in groups:
        lists = zip(group["tokens"], group["masks"], group["inference_logprobs"], strict=True)
        for tokens, masks, logprobs in lists:
            with torch.no_grad():
                whole = network(torch.tensor([tokens])).logits[0].log_softmax(-1)
            found += [
                abs(float(whole[i - 1, token]) - logprobs[i])
                for i, token in enumerate(tokens)
                if masks[i] != -100
            ]
    return found


async def test_the_log_probabilities_are_those_of_the_model(tmp_path: Path) -> None:
    """`process` waits for vLLM, and writes what the same weights give, to 1e-4."""
    model, port, path = write_model(tmp_path / "model"), free_port(), tmp_path / "groups.jsonl"
    words = f"--model {model} --served-model-name {MODEL} --dtype float32 --enforce-eager"
    words += f" --max-model-len {CONTEXT} --host 127.0.0.1 --port {port}"
    program = [str(PYTHON), "-m", "vllm.entrypoints.openai.api_server", *words.split()]
    async with Children(logs=tmp_path) as children:
        await children.start("vllm", program, ENVIRONMENT)
        commands = Commands(children, tmp_path, model, f"http://127.0.0.1:{port}")
        child = await commands.start(
            "process",
            max_token_length=LENGTH,
            eval_max_tokens=LENGTH,
            group_size=GROUP_SIZE,
            startup_timeout=READY_SECONDS,
            total_steps=4,
            data_path_to_save_groups=path,
            **{"openai.model_name": MODEL},
        )
        assert await exit_code(child, timeout=2 * READY_SECONDS) == 0, log_of(child)
    assert "speaks vLLM's completions" in log_of(child)
    groups = rows(path)
    assert [len(group["tokens"]) for group in groups] == [GROUP_SIZE] * 4
    for group in groups:  # the model's own top_k of 1 is not applied
        assert len({tuple(tokens) for tokens in group["tokens"]}) == GROUP_SIZE
    apart = differences(model, groups)
    assert len(apart) > 1000 and max(apart) < 1e-4
