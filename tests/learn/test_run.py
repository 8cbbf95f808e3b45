"""A short run: warm-up, GRPO with the real rollout API, evaluation, plot."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from transformers import AutoTokenizer

from examples.learn import run, settings
from examples.learn.model import load_model, logprobs, padded
from examples.learn.trainer import Learner
from rgenv.prompts import build_messages
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

STEPS, BATCH = 4, 64
SHORT = [
    "--size=tiny",
    f"--batch-size={BATCH}",
    "--warmup-items=150",
    "--warmup-steps=250",
    "--eval-items=5",
    "--checkpoint-every=2",
    "--learning-rate=0.001",
]


@dataclass
class Watched:
    """A run, and each batch with the weights before its step."""

    output: Path
    batches: list[Any] = field(default_factory=list)
    before: list[dict[str, Any]] = field(default_factory=list)

    @property
    def groups(self) -> list[dict[str, Any]]:
        return [group for batch in self.batches for group in batch]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.output / "steps.jsonl").open()]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """One short run for all tests of this class."""
    watched = Watched(tmp_path_factory.mktemp("learn"))

    class Spy(Learner):
        def update(self, batch: Any, shuffle_seed: str | None = None) -> Any:
            watched.batches.append(copy.deepcopy(batch))
            watched.before.append(copy.deepcopy(self.model.state_dict()))
            return super().update(batch, shuffle_seed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "Learner", Spy)
        patch.setattr(settings, "TASK_WEIGHTS", {"gcd": 1})  # answers are sometimes right by chance
        patch.setattr(settings, "TASK_CONFIGS", {})
        patch.setattr(settings, "WORKERS", BATCH // run.GROUP_SIZE)  # else all is asked at once
        assert run.main([f"--output={watched.output}", f"--steps={STEPS}", *SHORT]) == 0
        yield watched


class TestAShortRun:
    def test_every_step_gets_a_whole_batch(self, watched: Watched) -> None:
        """Each batch has the registered size, and no group comes twice."""
        assert [row["step"] for row in watched.rows] == list(range(1, STEPS + 1))
        for batch in watched.batches:
            assert sum(len(group["tokens"]) for group in batch) == BATCH
        ids = [group["group_overrides"]["group_id"] for group in watched.groups]
        assert len(set(ids)) == STEPS * BATCH // run.GROUP_SIZE

    def test_no_group_is_dropped(self, watched: Watched) -> None:
        """All groups that the environment scored arrive, but for those still in queues."""
        log = (watched.output / "environment.log").read_text()
        [metrics] = (watched.output / "checkpoints").rglob("metrics.jsonl")
        reports = [json.loads(line) for line in metrics.read_text().splitlines()]
        scored = sum(report.get("train/gcd/groups", 0) for report in reports)
        queue = 3 * BATCH // run.GROUP_SIZE + settings.WORKERS  # in the API, in progress
        assert len(watched.groups) <= scored <= len(watched.groups) + queue
        assert "skip" not in log.lower() and "ERROR" not in log

    def test_the_first_batch_has_the_trainers_log_probabilities(self, watched: Watched) -> None:
        """The server's log probabilities equal those of the trainer's weights, token by token."""
        model = load_model(watched.output / "warmup" / "model")
        for group in watched.batches[0]:
            parts = zip(group["tokens"], group["masks"], group["inference_logprobs"], strict=True)
            for tokens, masks, served in parts:
                with torch.no_grad():
                    mine = [1.0, *logprobs(model, padded([tokens]))[0].tolist()]
                trained = [place for place, mask in enumerate(masks) if mask != -100]
                assert trained and [served[i] for i in trained] == pytest.approx(
                    [mine[i] for i in trained], abs=1e-4
                )

    def test_masks_cover_only_the_completion(self, watched: Watched) -> None:
        """Before the completion is the templated question; after it the end token or the limit."""
        tokenizer = AutoTokenizer.from_pretrained(watched.output / "tokenizer")
        for group in watched.groups:
            for tokens, masks in zip(group["tokens"], group["masks"], strict=True):
                begin = next(place for place, mask in enumerate(masks) if mask != -100)
                assert masks == [-100] * begin + tokens[begin:]
                prompt = tokenizer.decode(tokens[:begin])
                question = prompt.split("<|im_start|>user\n")[1].split("<|im_end|>")[0]
                assert prompt == tokenizer.apply_chat_template(
                    build_messages(question), tokenize=False, add_generation_prompt=True
                )
                assert tokenizer.eos_token_id not in tokens[begin:-1]
                ended = tokens[-1] == tokenizer.eos_token_id
                assert ended or len(tokens) == settings.MAX_TOKENS

    def test_weights_move_and_reach_the_server(self, watched: Watched) -> None:
        """Steps with a gradient change the weights, and later rollouts come from later weights."""
        assert any(row["informative"] for row in watched.rows)
        moves = [
            any(not torch.equal(old[name], new[name]) for name in old)
            for old, new in zip(watched.before, watched.before[1:], strict=False)
        ]
        assert moves == [row["norm"] > 0 for row in watched.rows[:-1]]
        model = load_model(watched.output / "warmup" / "model")
        [tokens, *_], [served, *_] = (
            watched.batches[-1][-1][name] for name in ("tokens", "inference_logprobs")
        )
        with torch.no_grad():
            first = [1.0, *logprobs(model, padded([tokens]))[0].tolist()]
        distance = [abs(a - b) for a, b in zip(first, served, strict=True) if b != 1.0]
        assert max(distance) > 1e-4

    def test_it_ends_with_evaluations_and_a_plot(self, watched: Watched) -> None:
        """Evaluations before and after, the plot, and a checkpoint of the last step are written."""
        for step in (0, STEPS):
            metrics = watched.output / "evaluations" / f"step-{step:06d}" / "metrics.json"
            assert json.loads(metrics.read_text())["results"]["all"]["eval/items"] == 10
        assert (watched.output / "curve.png").stat().st_size > 5000
        assert (watched.output / "checkpoints" / "trainer" / f"step-{STEPS:06d}").is_dir()

    def test_no_held_out_problem_is_trained_on(self, watched: Watched) -> None:
        """No question of the evaluation is in a batch."""
        tokenizer = AutoTokenizer.from_pretrained(watched.output / "tokenizer")
        path = watched.output / "evaluations" / f"step-{STEPS:06d}" / "samples.jsonl"
        held_out = {json.loads(line)["question"] for line in path.open()}
        trained = [tokenizer.decode(group["tokens"][0]) for group in watched.groups]
        assert held_out and not any(question in text for question in held_out for text in trained)

    def test_it_resumes_from_the_last_checkpoint(
        self,
        watched: Watched,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        """With more steps the same command trains the missing ones; the environment resumes."""
        steps = STEPS + 2
        monkeypatch.setattr(run, "Learner", Learner)
        assert run.main([f"--output={watched.output}", f"--steps={steps}", *SHORT]) == 0
        assert [row["step"] for row in watched.rows] == list(range(1, steps + 1))
        assert f"after {steps} steps" in capfd.readouterr().out
        assert (watched.output / "checkpoints" / "trainer" / f"step-{steps:06d}").is_dir()
        assert "Resumed from" in (watched.output / "environment.log").read_text()


class TestBadUsage:
    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (["--batch-size=12"], "multiple of 8"),
            (["--size=huge"], "invalid choice"),
            (["--warmup-from=nowhere"], "holds no warmup/model"),
            (["--steps=0"], "at least 1"),
        ],
    )
    def test_bad_options(
        self, words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A bad option is one sentence and exit code 2, before anything starts."""
        with pytest.raises(SystemExit) as end:
            run.main([f"--output={tmp_path}", *words])
        assert end.value.code == 2 and reason in capsys.readouterr().err

    def test_a_folder_with_another_run_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A folder with a run of another seed is bad usage; option and remedy are named."""
        (tmp_path / "run.json").write_text(json.dumps({"seed": 2, "size": "small"}))
        assert run.main([f"--output={tmp_path}", "--seed=1"]) == 2
        error = capsys.readouterr().err
        assert "another seed" in error and "--output" in error

    def test_without_torch_the_remedy_is_named(self) -> None:
        """Without torch one sentence says what to install."""
        program = "import sys; sys.modules['torch'] = None; import examples.learn.run"
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 1 and "requirements-learn.txt" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_child_that_dies_ends_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The child is named and the end of its log quoted; the exit code is 1."""
    monkeypatch.setattr(run, "POLICY_ERRORS", ("--error-rate", "2"))
    assert run.main([f"--output={tmp_path}", *SHORT]) == 1
    error = capsys.readouterr().err
    assert "policy server ended with exit code 2" in error and "error_rate is 2.0" in error


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_run_and_its_children(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    """The exit code is 128 plus the signal; no traceback is printed and no process remains."""
    command = [sys.executable, "-m", "examples.learn.run", f"--output={tmp_path}", *SHORT]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may ignore it
    )
    deadline = time.monotonic() + 120
    while not (tmp_path / "process.log").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    process.send_signal(number)
    _, error = process.communicate(timeout=120)
    assert process.returncode == code and "Traceback" not in error
    assert running_in(tmp_path) == []


def running_in(folder: Path) -> list[str]:
    """Wait until no command line names the folder, and return those that still do."""
    deadline = time.monotonic() + 30
    while (found := command_lines_with(str(folder))) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def command_lines_with(text: str) -> list[str]:
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = Path(entry.path, "cmdline").read_text().replace("\0", " ")
            except OSError:  # it has ended
                continue
            if text in line:
                found.append(line)
    return found
