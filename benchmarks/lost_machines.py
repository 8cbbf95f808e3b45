"""Make and score rows in a Ray cluster that loses a machine and the program, and in one process.

    .venv-ray/bin/python -m benchmarks.lost_machines FOLDER --rows 200000

Problems of all tasks at level 0; then four completions of each problem of the first quarter:
right, wrong, malformed, and answers that attack; one of 80 has a recipe that makes nothing. Of
three nodes, one is killed after 35 % of the rows and the program after 70 %, which is then
repeated. The result is JSON: seconds, processor time and memory of the processes, and the rows
that are equal. What FOLDER has already is not made again.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import operator
import os
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.harness import Json, parser, print_json

ROOT = Path(__file__).resolve().parents[1]

FILES, PARTS, COMPLETIONS = 20, 10, 4  # files of all rows, parts of a file
CPUS = (2, 1, 1)  # of the nodes; one is for reading and writing
STORE = 100 * 2**20  # bytes of the object store of a node: less than the completions have
KINDS = {"rgenv.worker": "worker", "ray::": "actor", "lost_machines as it": "program"}
BROKEN = [
    *("", "null", "[" * 100_000, '{"task": "gdc", "seed": 1}', '{"task": "gcd", "seed": 1e400}'),
    '{"task": "gcd", "seed": 1, "source": "\\ud800"}',
    '{"task": "gcd", "seed": 1, "config": {"min_numbers": 9, "max_numbers": 2}}',
]


def make(folder: str, rows: int, *words: str) -> int:
    from rgenv.export import cli, problems_cli

    problems_cli.ROWS_IN_A_FILE, problems_cli.PART = rows // FILES, rows // FILES // PARTS
    options = ["--problems", str(rows), "--levels", "0", "--split", "train"]
    return cli.main([*options, *words, folder])


def score(completions: str, scores: str, rows: int, address: str) -> None:
    import ray
    from ray.data.checkpoint import CheckpointConfig

    from rgenv.adapters import ray as adapter

    adapter.BATCH = rows // FILES // PARTS
    ray.init(address=address, log_to_driver=False)
    config = CheckpointConfig("id", f"{scores}-done")
    ray.data.DataContext.get_current().checkpoint_config = config
    found = adapter.score(ray.data.read_parquet(completions), workers=1)
    found.select_columns(["id", "score", "verdict"]).write_parquet(scores)


def score_here(completions: str, scores: str) -> None:
    """Score each row by itself."""
    from rgenv.gym.gym import start_gym
    from rgenv.gym.settings import Settings
    from rgenv.runtime.parts import in_order

    async def work() -> None:
        gym = await start_gym(Settings(workers=3))

        async def one(row: Json) -> Json:
            try:
                [verdict] = await gym.verdicts(row["recipe"], [row["completion"]])
            except Exception:
                return {"id": row["id"], "score": 0.0, "verdict": "not scored"}
            return {"id": row["id"], "score": verdict.score, "verdict": verdict.kind}

        for path in sorted(Path(completions).iterdir()):
            calls = map(one, pq.read_table(path).to_pylist())
            found = [row async for row in in_order(calls, 64)]
            pq.write_table(pa.Table.from_pylist(found), Path(scores) / path.name)
        await gym.pool.close()

    Path(scores).mkdir()
    asyncio.run(work())


def write_completions(problems: Path, folder: Path) -> None:
    entries = map(json.loads, (ROOT / "tests/data/hostile.jsonl").read_text().splitlines())
    attacks = [
        "".join(
            text * min(times, 100) for text, times in entry.get("parts") or [[entry["answer"], 1]]
        )
        for entry in entries
    ]
    folder.mkdir()
    before, number = "1", 0
    for path in sorted(problems.glob("data/*.jsonl"))[: FILES // COMPLETIONS]:
        found = []
        for row in map(json.loads, path.read_text().splitlines()):
            attack = attacks[number // COMPLETIONS % len(attacks)]
            thinking = f"<think>{row['recipe']}{' so it goes on' * 280}</think>"
            for text in (row["answer"], before, attack, None):
                tagged = "no tags" if text is None else f"<answer>{text}</answer>"
                tagged = tagged.encode(errors="replace").decode()  # a column holds no surrogates
                broken = number % 80 == 79 and BROKEN[number // 80 % len(BROKEN)]
                recipe = broken if isinstance(broken, str) else row["recipe"]
                found.append({"id": number, "recipe": recipe, "completion": thinking + tagged})
                number += 1
            before = row["answer"]
        pq.write_table(pa.Table.from_pylist(found), folder / f"{path.stem}.parquet")


class Watch(threading.Thread):
    """Notes each second what the descendants of this process use, by their kind."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._spent: dict[tuple[int, str], tuple[str, float]] = {}
        self._over = threading.Event()
        self._most: dict[str, int] = defaultdict(int)

    def run(self) -> None:
        while not self._over.wait(1):
            pids = child_pids(os.getpid())
            while pids:
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended
                    pids += self._look(pids.pop())

    def _look(self, pid: int) -> list[int]:
        words = Path(f"/proc/{pid}/cmdline").read_text()
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
        kind = next((kind for word, kind in KINDS.items() if word in words), "ray")
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self._spent[pid, fields[19]] = kind, seconds
        private = (resident - shared) * os.sysconf("SC_PAGE_SIZE") // 2**20
        self._most[kind] = max(self._most[kind], private)
        return child_pids(pid)

    def end(self) -> Json:
        self._over.set()
        self.join()
        seconds: dict[str, float] = defaultdict(float)
        for kind, spent in self._spent.values():
            seconds[kind] += spent
        return {"processor_seconds": seconds, "private_mb_of_the_largest": self._most}


def child_pids(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(FileNotFoundError):  # a thread has ended
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found


def measured(work: Callable[[], None]) -> Json:
    watch, began = Watch(), time.monotonic()
    watch.start()
    work()
    return {"seconds": round(time.monotonic() - began), **watch.end()}


def started(call: str) -> subprocess.Popen[bytes]:
    program = f"import sys; from benchmarks import lost_machines as it; sys.exit(it.{call})"
    return subprocess.Popen([sys.executable, "-c", program], cwd=ROOT)


def finish(call: str) -> None:
    if started(call).wait():
        raise SystemExit(f"{call} failed")


def with_losses(call: str, done: Callable[[], int], rows: int) -> None:
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    nodes = [cluster.add_node(num_cpus=cpus, object_store_memory=STORE) for cpus in CPUS]
    try:
        running = started(call.format(cluster.address))
        lose = functools.partial(cluster.remove_node, nodes[1], allow_graceful=False)
        for share, end in ((0.35, lose), (0.7, running.kill)):
            while running.poll() is None and done() < share * rows:
                time.sleep(0.2)
            print(f"lost after {done():,} rows", file=sys.stderr)
            end()
        running.wait()
        finish(call.format(cluster.address))
    finally:
        cluster.shutdown()


def made(folder: Path, rows: int) -> int:
    note = folder / "rgenv.jsonl"
    return (note.read_text().count("\n") - 1) * (rows // FILES) if note.exists() else 0


def scored(folder: Path) -> int:
    found = 0
    for path in folder.glob("*.parquet"):
        with contextlib.suppress(pa.ArrowInvalid, FileNotFoundError):  # it is being written
            found += pq.read_metadata(path).num_rows
    return found


def problems(folder: Path) -> list[str]:
    paths = sorted(folder.glob("data/*"))
    return [line for path in paths for line in path.read_text().splitlines()]


def scores(folder: Path) -> list[tuple[int, float, str]]:
    rows = pq.read_table(folder).to_pylist()
    return sorted((row["id"], row["score"], row["verdict"].partition(":")[0]) for row in rows)


def main(words: list[str] | None = None) -> int:
    """Make, score and compare; return 0 if all rows are equal, and 1 if not."""
    arguments = parser(__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--rows", type=int, default=200_000, help="a multiple of 200")
    options = arguments.parse_args(words)
    folder, rows = options.folder.resolve(), options.rows
    folder.mkdir(exist_ok=True)
    one, many, completions = folder / "one", folder / "many", folder / "completions"
    here, there = folder / "scores", folder / "scores-of-nodes"
    result: Json = {}
    if made(one, rows) < rows:
        result["made"] = measured(lambda: finish(f"make('{one}', {rows}, '--workers', '3')"))
    if made(many, rows) < rows:
        call = f"make('{many}', {rows}, '--workers', '1', '--ray', '{{}}')"
        counted = functools.partial(made, many, rows)
        result["made_by_nodes"] = measured(lambda: with_losses(call, counted, rows))
    if not completions.exists():
        write_completions(one, completions)
    if not here.exists():
        result["scored"] = measured(lambda: finish(f"score_here('{completions}', '{here}')"))
    if not there.exists():
        call = f"score('{completions}', '{there}', {rows}, '{{}}')"
        counted = functools.partial(scored, there)
        result["scored_by_nodes"] = measured(lambda: with_losses(call, counted, rows))
    for name, wanted, found in (
        ("problems", problems(one), problems(many)),
        ("scores", scores(here), scores(there)),
    ):
        equal = sum(map(operator.eq, wanted, found))
        result[name] = {"rows": len(wanted), "of_nodes": len(found), "equal": equal}
    kinds = Counter(verdict for *_, verdict in scores(here))
    print_json({**result, "verdicts": kinds})
    alike = all(len(set(result[name].values())) == 1 for name in ("problems", "scores"))
    return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
