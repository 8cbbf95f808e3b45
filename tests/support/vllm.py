"""Stock vLLM on a CPU, with a small random model that is made on the spot.

`make test-vllm` installs vLLM into .venv-vllm.
"""

import asyncio
import json
import signal
from pathlib import Path

import aiohttp
from transformers import AutoTokenizer

from demo.processes import ROOT, Child, ChildFailed, Children
from demo.tokenizer import build_tokenizer

PYTHON = ROOT / ".venv-vllm" / "bin" / "python"
MODEL = "random"
CONTEXT = 1024
READY_SECONDS = 600.0
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GB
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": "1",
}


def write_model(folder: Path) -> Path:
    """Write a Llama of 130,000 random weights and the demo's tokenizer; return the folder.

    Its generation_config.json has defaults that vLLM applies to requests that leave them open.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(build_tokenizer(folder))
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        initializer_range=0.1,  # some tokens are much likelier than others
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    defaults = {"top_k": 1, "temperature": 0.1, "repetition_penalty": 1.5}
    (folder / "generation_config.json").write_text(json.dumps(defaults))
    return folder


class Vllm:
    """`vllm serve`, as a child process that a test may kill and start again."""

    def __init__(self, children: Children, model: Path, port: int) -> None:
        self._children, self._model, self.port = children, model, port
        self._starts = 0
        self.child: Child | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it, and return once it is well; that takes a minute or more."""
        self._starts += 1
        options = {
            "--model": self._model,
            "--served-model-name": MODEL,
            "--dtype": "float32",
            "--max-model-len": CONTEXT,
            "--host": "127.0.0.1",
            "--port": self.port,
        }
        words = [str(word) for pair in options.items() for word in pair]
        program = [str(PYTHON), "-m", "vllm.entrypoints.openai.api_server"]
        self.child = await self._children.start(
            f"vllm {self._starts}",
            [*program, "--enforce-eager", "--enable-scale-out", *words],
            ENVIRONMENT,
        )
        try:
            async with asyncio.timeout(READY_SECONDS):
                while not await self.is_well():
                    if self.child.process.returncode is not None:
                        raise ChildFailed(self.child, "ended")
                    await asyncio.sleep(1.0)
        except TimeoutError:
            raise ChildFailed(self.child, "was not ready in time") from None

    async def is_well(self) -> bool:
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"{self.url}/health") as page,
            ):
                return page.status == 200
        except aiohttp.ClientError:
            return False

    async def kill(self) -> None:
        assert self.child is not None
        self.child.signal(signal.SIGKILL)
        await self.child.process.wait()
