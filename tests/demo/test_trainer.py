"""The minimal trainer against the real rollout API, and what is around it in the demo."""

import asyncio
import copy
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from demo.children import ROOT, Child, ChildDied, Children, free_port
from demo.run import environment_command, options_of
from demo.summary import plot, table
from demo.trainer import TaskStats, TrainerError, TrainerReport, check_group, run_trainer

LIMIT = 10  # the trainer's max_token_len here
SLEEP = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]


def group(task: str = "gcd", **changes: Any) -> dict[str, Any]:
    """Two rollouts as the environment sends them: one right, one cut by length."""
    return {
        "tokens": [[5, 6, 7], [5, 6, 8]],
        "masks": [[-100, 6, 7], [-100, 6, 8]],
        "scores": [1.0, 0.0],
        "inference_logprobs": [[1.0, -0.1, -0.2], [1.0, -0.3, -0.4]],
        "overrides": [{}, {"set_advantage_to_zero": True}],
        "group_overrides": {"task": task, "seed": 1, "kinds": ["scored", "no_answer"]},
    } | changes


def train(url: str, **changes: Any) -> TrainerReport:
    settings: dict[str, Any] = {
        "batch_size": 4,
        "max_token_len": LIMIT,
        "num_batches": 2,
        "timeout": 10,
        "checkpoint_dir": "checkpoints",
    }
    return asyncio.run(run_trainer(url, **settings | changes))


@pytest.fixture
def api() -> Iterator[str]:
    """The real rollout API in a child process of its own."""
    port = free_port()
    command = [sys.executable, "-m", "atroposlib.cli.run_api", "--host", "127.0.0.1"]
    child = subprocess.Popen([*command, "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        asyncio.run(asyncio.wait_for(answering(url := f"http://127.0.0.1:{port}"), timeout=30))
        yield url
    finally:
        child.kill()
        child.wait()


async def answering(url: str) -> None:
    async with aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(url):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.05)


async def train_while_sending(url: str, groups: list[dict[str, Any]]) -> TrainerReport:
    """The environment's side, in short: wait for the trainer, register, send."""

    async def send() -> None:
        about = {"max_token_length": 9, "desired_name": "e", "weight": 1.0, "group_size": 2}
        async with aiohttp.ClientSession(url) as session:
            while True:
                async with session.post("/register-env", json=about) as reply:
                    answer = await reply.json()
                if answer["status"] == "success":
                    break
                await asyncio.sleep(0.02)
            for one in groups:
                data = one | {"env_id": answer["env_id"]}
                async with session.post("/scored_data", json=data) as reply:
                    assert reply.status == 200, await reply.text()

    trainer = run_trainer(
        url, batch_size=4, max_token_len=LIMIT, num_batches=2, timeout=20, checkpoint_dir="c"
    )
    return (await asyncio.gather(trainer, send()))[0]


class TestWithTheRealApi:
    def test_batches_arrive_and_are_counted(self, api: str) -> None:
        """Groups sent to the API come back in batches and are counted under their task."""
        groups = [group("gcd"), group("gcd"), group("lcm"), group("gcd", scores=[0.5, 0.5])]
        report = asyncio.run(train_while_sending(api, groups))
        assert report.batches == 2 and report.problems == []
        assert report.tasks["gcd"] == TaskStats(3, 6, 3.0, 3, 3)
        assert report.tasks["lcm"] == TaskStats(1, 2, 1.0, 1, 1)
        assert report.total == TaskStats(4, 8, 4.0, 4, 4)

    def test_it_registers_what_it_was_told(self, api: str) -> None:
        """The environment can read batch size and length limit from the API, a second time too."""

        async def info() -> Any:
            async with aiohttp.ClientSession() as session, session.get(f"{api}/info") as reply:
                return await reply.json()

        for batch_size in (4, 6):
            assert train(api, timeout=0.3, batch_size=batch_size).batches == 0
            assert asyncio.run(info()) == {"batch_size": batch_size, "max_token_len": LIMIT}

    def test_it_stops_in_time(self, api: str) -> None:
        """Without data it comes back after the time limit with an empty report."""
        report = train(api, timeout=0.5)
        assert report.batches == 0 and 0.4 < report.seconds < 5


def scripted_api(*batches: Any, register_status: int = 200) -> web.Application:
    """An API that hands out the given answers to GET /batch in order, then null."""
    answers = iter(batches)

    async def batch(request: web.Request) -> web.Response:
        answer = next(answers, None)
        if isinstance(answer, int):
            return web.Response(status=answer)
        return web.json_response({"batch": answer})

    async def fine(request: web.Request) -> web.Response:
        return web.json_response({}, status=register_status if request.method == "POST" else 200)

    app = web.Application()
    app.router.add_get("/batch", batch)
    app.router.add_get("/reset_data", fine)
    app.router.add_post("/register", fine)
    return app


def train_with(app: web.Application, **changes: Any) -> TrainerReport:
    async def once() -> TrainerReport:
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        try:
            return await run_trainer(
                url,
                **{
                    "batch_size": 4,
                    "max_token_len": LIMIT,
                    "num_batches": 1,
                    "timeout": 5,
                    "checkpoint_dir": "c",
                }
                | changes,
            )
        finally:
            await runner.cleanup()

    return asyncio.run(once())


class TestWhatGoesWrong:
    def test_a_broken_group_is_named_and_left_out(self) -> None:
        """A group that cannot be learned from is a problem with a place, and does not count."""
        report = train_with(scripted_api([group("gcd"), group("lcm", scores=[1.0])]))
        assert report.problems == ["batch 1, group 2: 2 rollouts but 1 scores"]
        assert list(report.tasks) == ["gcd"]

    def test_a_short_batch_is_a_problem(self) -> None:
        """A batch with another number of rollouts than the batch size is reported."""
        assert train_with(scripted_api([group()])).problems == ["batch 1 has 2 rollouts, not 4"]

    def test_a_failed_poll_is_not_the_end(self) -> None:
        """A poll that the API fails to answer is reported, and the next one counts."""
        report = train_with(scripted_api(500, None, [group(), group()]))
        assert report.batches == 1
        assert [problem.endswith("/batch answered 500") for problem in report.problems] == [True]

    def test_a_refused_registration_ends_it(self) -> None:
        """An API that does not take the registration is an error with the answer in it."""
        with pytest.raises(TrainerError, match="/register answered 422"):
            train_with(scripted_api(register_status=422))

    def test_no_api_ends_it(self) -> None:
        """Nothing at the URL is an error that names the URL."""
        url = f"http://127.0.0.1:{free_port()}"
        with pytest.raises(TrainerError, match=url):
            train(url)

    def test_progress_is_told_batch_by_batch(self) -> None:
        """on_batch is called after each batch with the report so far."""
        seen: list[int] = []
        batch = [group(), group()]
        train_with(
            scripted_api(batch, batch),
            num_batches=2,
            on_batch=lambda report: seen.append(report.batches),
        )
        assert seen == [1, 2]

    def test_unlabelled_groups_count_as_unknown(self) -> None:
        """An environment that says nothing about its groups is no reason to stop."""
        bare = group(group_overrides=None, overrides=None)
        report = train_with(scripted_api([bare, bare]))
        assert report.problems == [] and report.tasks == {"unknown": TaskStats(2, 4, 2.0, 0, 0)}


class TestCheckGroup:
    def test_a_good_group(self) -> None:
        """What the environment sends is fine as it is."""
        assert check_group(group(), LIMIT) is None

    @pytest.mark.parametrize(
        ("changes", "problem"),
        [
            ({"tokens": []}, "no tokens"),
            ({"masks": [[-100, 6, 7]]}, "1 masks"),
            ({"scores": [1.0]}, "1 scores"),
            ({"inference_logprobs": None}, "0 inference_logprobs"),
            ({"overrides": [{}]}, "1 overrides"),
            ({"scores": [1.0, math.nan]}, "score nan"),
            ({"scores": [1.0, 1.1]}, "score 1.1"),
            ({"scores": [-0.1, 1.0]}, "score -0.1"),
            ({"masks": [[-100, 6, 7], [-100, 6]]}, "3 tokens, 2 masks"),
            ({"masks": [[-100, 6, 7], [-100, 6, 9]]}, "neither its token"),
            ({"masks": [[-100, 6, 7], [-100] * 3]}, "nothing to learn from"),
            ({"inference_logprobs": [[1.0, -0.1], [1.0] * 3]}, "2 logprobs"),
            ({"inference_logprobs": [[1.0, -math.inf, -0.2], [1.0] * 3]}, "not finite"),
        ],
    )
    def test_a_bad_group(self, changes: dict[str, Any], problem: str) -> None:
        """Each way in which a group can be unusable is found and named."""
        assert problem in (check_group(group(**changes), LIMIT) or "")

    def test_the_length_limit(self) -> None:
        """A rollout as long as the trainer's limit is too long: Atropos would have dropped it."""
        assert check_group(group(), 4) is None
        assert "limit is 3" in (check_group(group(), 3) or "")

    def test_checking_changes_nothing(self) -> None:
        """A check looks and does not touch."""
        original = group()
        checked = copy.deepcopy(original)
        check_group(checked, LIMIT)
        assert checked == original


TASKS = {
    "gcd": TaskStats(groups=2, rollouts=8, total_score=6.0, format_failures=1, truncations=1),
    "maze": TaskStats(groups=1, rollouts=4, total_score=4.0),
    "sudoku": TaskStats(groups=1, rollouts=4, total_score=0.0, format_failures=4),
}


class TestSummary:
    def test_table(self) -> None:
        """Best task first, numbers under their headings, and a line for all together."""
        assert table(TrainerReport(tasks=TASKS)).splitlines() == [
            "task    groups  mean score  format failures  truncated",
            "------------------------------------------------------",
            "maze         1       1.000                0          0",
            "gcd          2       0.750                1          1",
            "sudoku       1       0.000                4          0",
            "------------------------------------------------------",
            "all          4       0.625                5          1",
        ]

    def test_nothing_received(self) -> None:
        """A report without tasks has a table and a plot as well."""
        assert table(TrainerReport()).splitlines()[-1].split() == ["all", "0", "0.000", "0", "0"]

    @pytest.mark.parametrize("tasks", [{}, TASKS])
    def test_plot(self, tmp_path: Path, tasks: dict[str, TaskStats]) -> None:
        """The plot is a PNG file."""
        plot(tasks, known={"gcd"}, subtitle="s", path=tmp_path / "p.png")
        assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


async def started(children: Children, code: list[str], name: str = "some child") -> Child:
    """A child that has written its first line."""
    child = await children.start(name, code)
    async with asyncio.timeout(20):
        while not child.log.read_text() and child.process.returncode is None:
            await asyncio.sleep(0.02)
    return child


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # a zombie is not alive
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def gone_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


class TestChildren:
    def test_stopped_at_the_end(self, tmp_path: Path) -> None:
        """Leaving the block ends every child, also on an exception."""

        async def fail() -> list[Child]:
            async with Children(tmp_path) as children:
                both = [await started(children, SLEEP, name) for name in ("one", "two")]
                with pytest.raises(ZeroDivisionError):
                    await children.while_alive(divide())
            return both

        async def divide() -> float:
            return 1 / 0

        assert [c.process.returncode for c in asyncio.run(fail())] == [-signal.SIGTERM] * 2

    def test_grandchildren_end_as_well(self, tmp_path: Path) -> None:
        """The whole process group ends, even what ignores a polite request."""
        code = (
            "import signal as s, subprocess, sys, time; s.signal(s.SIGTERM, s.SIG_IGN);"
            "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']);"
            "s.signal(s.SIGTERM, s.SIG_DFL); print(p.pid, flush=True); time.sleep(60)"
        )

        async def run() -> int:
            async with Children(tmp_path) as children:
                child = await started(children, [sys.executable, "-c", code])
            return int(child.log.read_text())

        assert gone_within(asyncio.run(run()), seconds=5)

    def test_a_death_is_told_with_the_log(self, tmp_path: Path) -> None:
        """Work stops when a child ends; the error names the child and quotes its last lines."""
        code = "print('first'); print('out of luck', flush=True); raise SystemExit(3)"

        async def run() -> None:
            async with Children(tmp_path) as children:
                await children.start("unlucky child", [sys.executable, "-c", code])
                await children.while_alive(asyncio.sleep(60))

        with pytest.raises(ChildDied, match=r"(?s)unlucky child ended with exit code 3.*luck"):
            asyncio.run(run())

    def test_work_wins(self, tmp_path: Path) -> None:
        """As long as all children live, the result is the work's."""

        async def run() -> str:
            async with Children(tmp_path) as children:
                await started(children, SLEEP)
                return await children.while_alive(asyncio.sleep(0, "done"))

        assert asyncio.run(run()) == "done"

    def test_the_leash(self) -> None:
        """A command on the leash ends when the runner is killed, however hard."""
        command = [sys.executable, "-m", "demo.leash"]
        code = (
            "import os, subprocess, sys; c = subprocess.Popen([*sys.argv[1:3], 'demo.leash',"
            " str(os.getpid()), sys.executable, '-c', 'import os, time;"
            " print(os.getpid(), flush=True); time.sleep(60)']); c.wait()"
        )
        runner = subprocess.Popen(
            [sys.executable, "-c", code, *command[:2]], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        with runner:
            pid = int(runner.stdout.readline())
            assert alive(pid)
            runner.kill()
        assert gone_within(pid, seconds=10)

    @pytest.mark.parametrize(
        ("code", "expected"), [("exit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 137)]
    )
    def test_the_leash_passes_the_exit_code(self, code: str, expected: int) -> None:
        """While the runner lives, a command on the leash ends as it would alone."""
        command = [sys.executable, "-m", "demo.leash", str(os.getpid()), sys.executable, "-c"]
        done = subprocess.run([*command, code], cwd=ROOT, timeout=20)
        assert done.returncode == expected


class TestRun:
    def test_the_environment_is_started_by_flags(self) -> None:
        """The environment's command line holds every setting as a flag with a value."""
        options = options_of(["--batches", "3", "--tasks", "gcd,lcm"])
        words = environment_command("http://a", "http://p", Path("tok"), Path("out"), options)
        assert words[1:3] == ["reasoning_gym_environment.py", "serve"]
        flags = dict(zip(words[3::2], words[4::2], strict=True))
        assert flags["--env.task_names"] == "gcd,lcm"
        assert flags["--openai.base_url"] == "http://p/v1"
        assert all(
            name.startswith("--") and not value.startswith("--") for name, value in flags.items()
        )

    @pytest.mark.parametrize("number", ["0", "-1", "many"])
    def test_batches_are_counted_from_one(self, number: str) -> None:
        """A number of batches that makes no sense is a usage error."""
        with pytest.raises(SystemExit) as refusal:
            options_of([f"--batches={number}"])
        assert refusal.value.code == 2
