"""Measure rgenv where other frameworks call it: a server of OpenEnv under load, and actors of Ray.

    python benchmarks/places.py            # both; needs .venv-openenv and .venv-ray
    python benchmarks/places.py openenv

OpenEnv: sessions that each ask and answer at once, over the server and inline, by a gym of the
same process with as many workers. Ray: problems and scores a second by 1, 2 and 4 actors with one
worker each, and where the processor time goes. The result is JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import ROOT, Json, descendants, parser, print_json
from rgenv.gym.gym import Gym, start_gym
from rgenv.gym.settings import Settings
from rgenv.problem_sets.numbered import make_numbered
from rgenv.runtime.parts import in_order

TASKS = ["gcd", "chain_sum", "countdown", "word_sorting"]
SESSIONS = (8, 64, 256)
SECONDS = 5.0
WORKERS = 2
PORT = 8473
PROBLEMS, PART = 4_000, 100
WARM = 10  # parts that are made before the measurement, so that each actor has its workers
KINDS = {"rgenv.worker": "worker", "_Actor": "actor"}
STARTING = 20.0

Episode = Callable[[Any, int], Awaitable[None]]


async def load(sessions: int, connect: Callable[[], Any], episode: Episode) -> dict[str, float]:
    """Have sessions ask and answer for some seconds; an episode is two requests."""
    took: list[float] = []
    deadline = time.monotonic() + SECONDS

    async def session(number: int) -> None:
        async with connect() as client:
            seed = 1_000_000 * number
            while time.monotonic() < deadline:
                began = time.monotonic()
                await episode(client, seed)
                took.append(time.monotonic() - began)
                seed += 1

    began = time.monotonic()
    await asyncio.gather(*map(session, range(sessions)))
    took.sort()
    return {
        "sessions": sessions,
        "requests_per_second": round(2 * len(took) / (time.monotonic() - began), 1),
        "median_ms": round(1000 * took[len(took) // 2], 1),
        "p99_ms": round(1000 * took[int(0.99 * len(took))], 1),
    }


async def openenv() -> list[dict[str, Any]]:
    """Measure a server, and a gym in this process."""
    from rgenv import AsyncReasoningGym
    from rgenv.adapters.openenv import CompletionAction, ReasoningGymClient

    async def over_server(client: Any, seed: int) -> None:
        await client.reset(task=TASKS[seed % len(TASKS)], seed=seed)
        await client.step(CompletionAction(text="<answer>1</answer>"))

    async def inline(gym: Any, seed: int) -> None:
        problem = await gym.make(TASKS[seed % len(TASKS)], seed)
        await gym.score(problem, ["<answer>1</answer>"])

    server = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "rgenv.adapters.openenv", "--port", str(PORT)),
        env=os.environ | {"RGENV": json.dumps({"workers": WORKERS})},
        stderr=subprocess.DEVNULL,
    )
    found = []
    try:
        await asyncio.sleep(STARTING)
        url = f"http://127.0.0.1:{PORT}"
        for sessions in SESSIONS:
            row = await load(sessions, lambda: ReasoningGymClient(base_url=url), over_server)
            found.append({"through": "server", **row})
    finally:
        server.terminate()
        await server.wait()
    async with AsyncReasoningGym(workers=WORKERS) as gym:
        for sessions in SESSIONS:
            row = await load(sessions, lambda: contextlib.nullcontext(gym), inline)
            found.append({"through": "gym", **row})
    return found


async def ray() -> list[dict[str, Any]]:
    """Measure problems that actors make and score, once their workers run."""
    import ray as cluster

    from rgenv.adapters.ray import Cluster

    found = []
    for actors in (1, 2, 4):
        cluster.init(address="local", num_cpus=actors, log_to_driver=False)
        start = functools.partial(start_gym, Settings(workers=1))
        place = Cluster("local", start, processors=1)
        parts = [range(n, n + PART) for n in range(0, PROBLEMS, PART)]
        await asyncio.gather(*(place.run(make_numbered, [], part) for part in parts[:WARM]))
        making = [place.run(make_numbered, [], part) for part in parts[WARM:]]
        row, made = await _timed(making, 2 * place.calls)
        problems = [problem for part in made for _, problem in part]
        pairs = [(one.recipe, f"<answer>{one.answer}</answer>") for one in problems]
        slices = [pairs[n : n + PART] for n in range(0, len(pairs), PART)]
        scoring = [place.run(Gym.score_many, some) for some in slices]
        scored, _ = await _timed(scoring, 2 * place.calls)
        found.append({"actors": actors, "making": row, "scoring": scored})
        await place.close()
        cluster.shutdown()
    return found


async def _timed(calls: list[Any], ahead: int) -> tuple[Json, list[Any]]:
    """Return the rows a second, the processor time of a row in milliseconds, and the results."""
    began, spent = time.monotonic(), processor_seconds()
    results = [result async for result in in_order(calls, ahead)]
    took, rows = time.monotonic() - began, sum(map(len, results))
    spent = {kind: now - spent.get(kind, 0.0) for kind, now in processor_seconds().items()}
    each = {kind: round(1000 * seconds / rows, 3) for kind, seconds in spent.items()}
    load = round(os.getloadavg()[0], 1)
    return {"rows_per_second": round(rows / took, 1), "ms_of_a_row": each, "load": load}, results


def processor_seconds() -> dict[str, float]:
    """Return the processor time of this process and of its descendants, by their kind."""
    spent: dict[str, float] = defaultdict(float)
    for pid in (os.getpid(), *descendants(os.getpid())):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
            command = Path(f"/proc/{pid}/cmdline").read_text()
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            named = (kind for word, kind in KINDS.items() if word in command)
            kind = "driver" if pid == os.getpid() else next(named, "ray")
            spent[kind] += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def main(words: list[str] | None = None) -> int:
    """Measure the places that are named and installed; return 0."""
    arguments = parser(__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="openenv or ray; default: both")
    arguments.add_argument("--here", action="store_true", help="the framework is installed here")
    options = arguments.parse_args(words)
    if options.here:
        print(json.dumps(asyncio.run(openenv() if options.names == ["openenv"] else ray())))
        return 0
    results: Json = {"cores": os.cpu_count(), "load": os.getloadavg()[0]}
    for name in options.names or ["openenv", "ray"]:
        python = ROOT / f".venv-{name}" / "bin" / "python"
        if not python.exists():
            print(f"{name} is not installed: make .venv-{name}/.ready", file=sys.stderr)
            continue
        command = [str(python), "-m", "benchmarks.places", "--here", name]
        quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | quiet, stdout=subprocess.PIPE, check=True
        )
        results[name] = json.loads(done.stdout.splitlines()[-1])
    print_json(results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
