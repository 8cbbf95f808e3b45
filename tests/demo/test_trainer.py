"""The minimal trainer, with the real rollout API and with scripted ones."""

import asyncio
import copy
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import web

from demo import trainer
from demo.http_server import start_server
from demo.launch import start_api
from demo.processes import Children, free_port
from demo.trainer import TaskStats, TrainerError, TrainerReport, check_group, run_trainer

LIMIT = 10
"""The trainer's max_token_len."""


def group(task: str = "gcd", **changes: Any) -> dict[str, Any]:
    """Return a group as the environment sends it: one right rollout, one truncated."""
    return {
        "tokens": [[5, 6, 7], [5, 6, 8]],
        "masks": [[-100, 6, 7], [-100, 6, 8]],
        "scores": [1.0, 0.0],
        "inference_logprobs": [[1.0, -0.1, -0.2], [1.0, -0.3, -0.4]],
        "overrides": [{}, {"set_advantage_to_zero": True}],
        "group_overrides": {"task": task, "seed": 1, "kinds": ["scored", "no_answer"]},
    } | changes


async def train(url: str, **changes: Any) -> TrainerReport:
    settings: dict[str, Any] = {
        "batch_size": 4,
        "max_token_len": LIMIT,
        "num_batches": 2,
        "timeout": 60,
        "checkpoint_dir": "checkpoints",
    }
    return await run_trainer(url, **settings | changes)


@pytest.fixture
async def api(tmp_path: Path) -> AsyncIterator[str]:
    """The URL of a new rollout API."""
    async with Children(tmp_path) as children:
        yield await start_api(children)


async def train_while_sending(url: str, groups: list[dict[str, Any]]) -> TrainerReport:
    """Run a trainer and an environment that registers and sends `groups`."""

    async def send() -> None:
        registration = {"max_token_length": 9, "desired_name": "e", "weight": 1.0, "group_size": 2}
        async with aiohttp.ClientSession(url) as session:
            while True:
                async with session.post("/register-env", json=registration) as reply:
                    answer = await reply.json()
                if answer["status"] == "success":
                    break
                await asyncio.sleep(0.02)
            for one in groups:
                data = one | {"env_id": answer["env_id"]}
                async with session.post("/scored_data", json=data) as reply:
                    assert reply.status == 200, await reply.text()

    return (await asyncio.gather(train(url), send()))[0]


class TestWithTheRealApi:
    async def test_batches_arrive_and_are_counted(self, api: str) -> None:
        """Groups that were sent come in batches and are counted under their task."""
        groups = [group("gcd"), group("gcd"), group("lcm"), group("gcd", scores=[0.5, 0.5])]
        report = await train_while_sending(api, groups)
        assert report.batches == 2 and report.problems == []
        assert report.tasks["gcd"] == TaskStats(3, 6, 3.0, 3, 3)
        assert report.tasks["lcm"] == TaskStats(1, 2, 1.0, 1, 1)
        assert report.total == TaskStats(4, 8, 4.0, 4, 4)

    async def test_it_registers_its_settings(self, api: str) -> None:
        """The API knows batch size and length limit, also after a second registration."""

        async def info() -> Any:
            async with aiohttp.ClientSession() as session, session.get(f"{api}/info") as reply:
                return await reply.json()

        for batch_size in (4, 6):
            report = await train(api, timeout=0.5, batch_size=batch_size)
            assert report.batches == 0
            assert await info() == {"batch_size": batch_size, "max_token_len": LIMIT}

    async def test_it_stops_in_time(self, api: str) -> None:
        """Without data the trainer returns an empty report after its timeout."""
        report = await train(api, timeout=0.5)
        assert report.batches == 0 and 0.4 < report.seconds < 30


def scripted_api(*batches: Any, register_status: int = 200) -> web.Application:
    """Return an API that gives these answers to GET /batch in order, then null."""
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


async def train_with(app: web.Application, **changes: Any) -> TrainerReport:
    server = await start_server(app)
    try:
        url = f"http://127.0.0.1:{server.port}"
        return await train(url, **{"num_batches": 1} | changes)
    finally:
        await server.close()


class TestFailures:
    async def test_a_broken_group_is_named_and_left_out(self) -> None:
        """The report has the position of a broken group, which is not counted."""
        report = await train_with(scripted_api([group("gcd"), group("lcm", scores=[1.0])]))
        assert report.problems == ["batch 1, group 2: 2 rollouts but 1 scores"]
        assert list(report.tasks) == ["gcd"]

    async def test_a_short_batch_is_a_problem(self) -> None:
        """A batch with too few rollouts is reported."""
        report = await train_with(scripted_api([group()]))
        assert report.problems == ["batch 1 has 2 rollouts, not 4"]

    async def test_a_failed_poll_is_not_the_end(self) -> None:
        """A failed poll is reported, and polling continues."""
        report = await train_with(scripted_api(500, None, [group(), group()]))
        assert report.batches == 1
        assert [problem.endswith("/batch answered 500") for problem in report.problems] == [True]

    async def test_a_refused_registration_ends_it(self) -> None:
        """A refused registration is an error that quotes the answer."""
        with pytest.raises(TrainerError, match="/register answered 422"):
            await train_with(scripted_api(register_status=422))

    async def test_no_api_ends_it(self) -> None:
        """A URL without a server is an error that names the URL."""
        url = f"http://127.0.0.1:{free_port()}"
        with pytest.raises(TrainerError, match=url):
            await train(url)

    async def test_an_api_that_hangs_ends_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A run that was cut off must not look like one that is done."""
        monkeypatch.setattr(trainer, "REQUEST_TIMEOUT", aiohttp.ClientTimeout(total=0.2))

        async def never(request: web.Request) -> web.Response:
            await asyncio.sleep(60)
            raise AssertionError("the request was cancelled")

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", never)
        with pytest.raises(TrainerError, match=r"gave no answer in 0\.2 s"):
            await train_with(app, timeout=None)

    async def test_progress_is_reported_batch_by_batch(self) -> None:
        """`on_batch` is called after each batch with the report so far."""
        seen: list[int] = []
        batch = [group(), group()]
        await train_with(
            scripted_api(batch, batch),
            num_batches=2,
            on_batch=lambda report: seen.append(report.batches),
        )
        assert seen == [1, 2]

    async def test_unlabelled_groups_count_as_unknown(self) -> None:
        """Groups without a task are counted under "unknown"."""
        bare = group(group_overrides=None, overrides=None)
        report = await train_with(scripted_api([bare, bare]))
        assert report.problems == [] and report.tasks == {"unknown": TaskStats(2, 4, 2.0, 0, 0)}


class TestCheckGroup:
    def test_a_good_group(self) -> None:
        """A group as the environment sends it has no problem."""
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
        """Each way in which a group can be broken is named."""
        assert problem in (check_group(group(**changes), LIMIT) or "")

    def test_the_length_limit(self) -> None:
        """A rollout as long as the trainer's limit is too long: Atropos drops its group."""
        assert check_group(group(), 4) is None
        assert "limit is 3" in (check_group(group(), 3) or "")

    def test_checking_changes_nothing(self) -> None:
        """Checking a group does not modify it."""
        original = group()
        checked = copy.deepcopy(original)
        check_group(checked, LIMIT)
        assert checked == original
