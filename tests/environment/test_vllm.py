"""The commands against stock vLLM on a CPU, which `make test-vllm` installs into .venv-vllm.

It serves a small random model that is made on the spot.
"""

import asyncio
import copy
import json
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

from demo.launch import start_api
from demo.processes import ROOT, Child, ChildFailed, Children, free_port
from demo.tokenizer import build_tokenizer
from demo.trainer import run_trainer
from rgenv.atropos.engines import VllmEngine
from rgenv.inference.dialects import SCALE_OUT
from tests.support.commands import Commands, exit_code, log_of
from tests.support.fakes import fake_config
from tests.support.polling import until

torch = pytest.importorskip("torch", reason="models need requirements-learn.txt")

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

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not PYTHON.exists(), reason="vLLM is not installed: make test-vllm"),
]

LENGTH = 640
"""Tokens of prompt and completion: prompts have about 300."""

GROUP_SIZE, BATCH_SIZE = 4, 16
SECONDS = 400.0


def write_model(folder: Path) -> Path:
    """Write a Llama of 130,000 random weights and the demo's tokenizer; return the folder.

    Its generation_config.json has defaults that vLLM applies to requests that leave them open.
    """
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


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the model and of its tokenizer."""
    return write_model(tmp_path_factory.mktemp("model"))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def vllm(model: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Vllm]:
    """vLLM, which all tests of the module share."""
    async with Children(logs=tmp_path_factory.mktemp("vllm")) as children:
        server = Vllm(children, model, free_port())
        await server.start()
        yield server


@pytest_asyncio.fixture(loop_scope="session")
async def commands(model: Path, vllm: Vllm, tmp_path: Path) -> AsyncIterator[Commands]:
    async with Children(logs=tmp_path) as children:
        yield Commands(children, tmp_path, model, vllm.url)


SETTINGS: dict[str, Any] = {
    "max_token_length": LENGTH,
    "eval_max_tokens": LENGTH,
    "group_size": GROUP_SIZE,
    "batch_size": BATCH_SIZE,
    "startup_timeout": 120,
}
SERVED = ("--openai.model_name", MODEL)


def differences(model: Path, groups: list[dict[str, Any]]) -> list[float]:
    """Compute each log probability again; return how far it is from the one in the group."""
    network = LlamaForCausalLM.from_pretrained(model).eval()
    found = []
    for group in groups:
        rows = zip(group["tokens"], group["masks"], group["inference_logprobs"], strict=True)
        for tokens, masks, logprobs in rows:
            with torch.no_grad():
                whole = network(torch.tensor([tokens])).logits[0].log_softmax(-1)
            found += [
                abs(float(whole[i - 1, token]) - logprobs[i])
                for i, token in enumerate(tokens)
                if masks[i] != -100
            ]
    return found


def training_step(model: Any, groups: list[dict[str, Any]], *, lr: float = 1e-3) -> dict[str, Any]:
    """Take one step of Atropos' example trainer, in place, and return its metrics.

    `alignment/diff_max` is how far its log probabilities are at most from those of the groups.
    """
    from example_trainer import training
    from example_trainer.config import TrainingConfig
    from example_trainer.data import pad_data_to_good_offset

    settings = TrainingConfig(
        model_name="local", device="cpu", lr=lr, gradient_accumulation_steps=1, warmup_steps=0
    )
    tokens, labels, advantages, temperatures, logprobs = pad_data_to_good_offset(
        {"batch": copy.deepcopy(groups)}, batch_size=4
    )
    metrics = training.run_training_step(
        model,
        torch.optim.AdamW(model.parameters(), lr=lr),
        tokens,
        labels,
        [batch.float() for batch in advantages],
        temperatures,
        settings,
        0,
        logprobs,
    )
    return {**metrics, **training._logprob_alignment_stats}  # what it logs


async def test_the_log_probabilities_are_those_of_the_model(
    commands: Commands, model: Path
) -> None:
    """`process` writes what a trainer computes from the same weights, to 1e-4."""
    path = commands.folder / "groups.jsonl"
    child = await commands.start(
        "process", *SERVED, **SETTINGS, total_steps=4, data_path_to_save_groups=path
    )
    assert await exit_code(child, timeout=SECONDS) == 0, log_of(child)
    assert "speaks vLLM's completions" in log_of(child)
    groups = [json.loads(line) for line in path.read_text().splitlines()]
    assert [len(group["tokens"]) for group in groups] == [GROUP_SIZE] * 4
    for group in groups:  # the model's own top_k of 1 is not applied
        assert len({tuple(tokens) for tokens in group["tokens"]}) == GROUP_SIZE
    apart = differences(model, groups)
    assert len(apart) > 1000 and max(apart) < 1e-4
    network = LlamaForCausalLM.from_pretrained(model)
    assert training_step(network, groups)["alignment/diff_max"] < 1e-4


async def test_token_ids_in_and_out(vllm: Vllm, model: Path) -> None:
    """The endpoint of --enable-scale-out takes our request, too."""

    [config] = fake_config(
        base_url=vllm.url, model_name=MODEL, tokenizer_name=str(model), timeout=120
    )
    client = VllmEngine(config)
    client.dialects = (SCALE_OUT,)  # type: ignore[misc]
    prompt, tokens, logprobs, reasons = await client.tokens_and_logprobs_completion(
        input_ids=[5, 9, 31], n=8, max_tokens=6, temperature=1.0, top_p=1.0
    )
    assert prompt == [5, 9, 31] and len(tokens) == len(reasons) == 8
    assert len(set(map(tuple, tokens))) > 4  # the model's own top_k of 1 is not applied
    group = {
        "tokens": [prompt + ids for ids in tokens],
        "masks": [[-100] * 3 + ids for ids in tokens],
        "inference_logprobs": [[1.0] * 3 + values for values in logprobs],
    }
    assert max(differences(model, [group])) < 1e-4


async def test_a_training_survives_a_kill_of_vllm(commands: Commands, vllm: Vllm) -> None:
    """What was under way is asked again; nothing else is lost, and no group fails."""
    api = await start_api(commands.children)
    env = await commands.start(
        "serve",
        *SERVED,
        **SETTINGS,
        rollout_server_url=api,
        ensure_scores_are_not_same="false",  # all rewards of a random model are 0
        num_eval_samples_per_task=1,
        steps_per_eval=1000,
    )
    batches: list[float] = []
    training = asyncio.create_task(
        run_trainer(
            api,
            batch_size=BATCH_SIZE,
            max_token_len=LENGTH + 1,
            num_batches=8,
            timeout=None,
            checkpoint_dir=str(commands.folder / "checkpoints"),
            on_batch=lambda report: batches.append(time.monotonic()),
        )
    )
    try:
        await until(lambda: len(batches) >= 2, timeout=SECONDS)
        await vllm.kill()
        await until(lambda: "No inference server answers" in log_of(env), timeout=60)
        before = len(batches)
        await vllm.start()
        await until(lambda: len(batches) >= min(8, before + 2), timeout=SECONDS)
        report = await asyncio.wait_for(training, SECONDS)
    finally:
        training.cancel()
    assert report.batches == 8 and report.problems == []
    assert await exit_code(env, timeout=SECONDS) == 0
    log = log_of(env)
    assert "Inference is back" in log and "Traceback" not in log and "No group for" not in log
