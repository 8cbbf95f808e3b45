"""rgenv/runtime/preflight.py: what is missing is named, what the machine says is heard."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from rgenv.errors import StartupError
from rgenv.runtime.host import dumps_folder, has_wandb_account, replica
from rgenv.runtime.preflight import require_answer, require_in_time
from rgenv.text import describe


class Page:
    """A server whose answers a test writes: (status, body) pairs, the last one for ever."""

    def __init__(self) -> None:
        self.answers = [(200, "")]
        self.url = ""

    async def get(self, _request: web.Request) -> web.Response:
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return web.Response(status=status, body=body.encode("latin-1"), content_type="text/html")


@pytest_asyncio.fixture(loop_scope="session")
async def page() -> AsyncIterator[Page]:
    """A page on a free port."""
    page, app = Page(), web.Application()
    app.router.add_get("/", page.get)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    page.url = f"http://127.0.0.1:{runner.addresses[0][1]}/"
    yield page
    await runner.cleanup()


async def test_what_answers_well_in_time_is_there(page: Page) -> None:
    """Errors and other pages at first are waited out."""
    page.answers = [(500, "starting"), (200, "<html>"), (200, "AtroposLib API")]
    await require_answer(page.url, 20, "missing", is_well=lambda body: "Atropos" in body)


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        ((200, "<html>welcome"), "welcome"),
        ((503, "later"), "HTTP 503"),
        ((200, "\xff"), "HTTP 200"),
    ],
)
async def test_what_answers_something_else_is_quoted(
    page: Page, answer: tuple[int, str], quoted: str
) -> None:
    """A web page on the port, an error and broken text are no rollout API."""
    page.answers = [answer]
    with pytest.raises(StartupError, match=f"missing.*{quoted}"):
        await require_answer(page.url, 0.1, "missing", is_well=lambda body: "Atropos" in body)


async def test_a_port_where_nobody_listens_ends_in_time() -> None:
    """The wait is bounded and the last trouble is told."""
    began = time.monotonic()
    with pytest.raises(StartupError, match=r"missing.*(Connect|refused)"):
        await require_answer("http://127.0.0.1:9/", 0.6, "missing", is_well=bool)
    assert time.monotonic() - began < 20


def test_loading_is_bounded_and_its_failure_told() -> None:
    """What hangs and what raises both become the sentence; what works passes."""
    require_in_time(lambda: 1, 5, "{why}")
    with pytest.raises(StartupError, match=r"tokenizer: no answer in 0\.1 s"):
        require_in_time(lambda: time.sleep(3), 0.1, "tokenizer: {why}")
    with pytest.raises(StartupError, match="tokenizer: ZeroDivisionError"):
        require_in_time(lambda: 1 / 0, 5, "tokenizer: {why}")


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, (0, 1)),
        ({"RANK": "3"}, (0, 1)),
        ({"RANK": "3", "WORLD_SIZE": "8"}, (3, 8)),
        ({"RANK": "3", "WORLD_SIZE": "8", "SLURM_PROCID": "1", "SLURM_NTASKS": "2"}, (1, 2)),
        ({"SLURM_PROCID": "", "SLURM_NTASKS": "2"}, (0, 1)),
    ],
)
def test_a_replica_needs_both_numbers(environment: dict[str, str], found: tuple[int, int]) -> None:
    """SLURM goes before torch's launcher, half a pair is nothing."""
    assert replica(environment) == found


def test_a_wandb_account_is_a_key_a_mode_or_a_netrc_entry(tmp_path: Path) -> None:
    """Anything that lets wandb start without a question."""
    assert not has_wandb_account({"NETRC": str(tmp_path / "none")})
    assert has_wandb_account({"WANDB_API_KEY": "key"})
    assert has_wandb_account({"WANDB_MODE": "disabled"})
    (tmp_path / "netrc").write_text("machine api.wandb.ai login user password key")
    assert has_wandb_account({"NETRC": str(tmp_path / "netrc")})
    other = {"NETRC": str(tmp_path / "netrc"), "WANDB_BASE_URL": "https://wandb.example"}
    assert not has_wandb_account(other)


def test_rollouts_go_beside_the_module_or_here(tmp_path: Path) -> None:
    """As configured; else into data_dumps of a checkout; never into site-packages."""
    assert dumps_folder("x", tmp_path) == Path("x")
    assert dumps_folder(None, tmp_path) == Path("data_dumps")
    (tmp_path / "data_dumps").mkdir()
    assert dumps_folder(None, tmp_path) == tmp_path / "data_dumps"


def test_an_error_is_one_short_line() -> None:
    """Name and text, cut at a length that a log line bears."""
    assert describe(ValueError("no")) == "ValueError: no"
    assert len(describe(ValueError("x" * 1000))) == 300
