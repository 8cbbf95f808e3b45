"""Measure the strength of the tests: draw small faults at random, and say which no test catches.

    python -m tools.mutants --draw draw.json --results results.jsonl --summary summary.json

The draw is spread over the packages by lines of code and repeated by its seed; a saved draw finds
the same code again where it has moved. Each mutant is written into a copy of the tree, and the
tests that can see it run, nearest and quickest first, until one fails. A second run goes on where
the first was stopped. Neither mutmut nor cosmic-ray fits: half of the code runs in worker processes
with an empty environment, where mutmut's switch is not seen, and cosmic-ray neither draws by lines
nor chooses tests.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import random
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from math import sqrt
from pathlib import Path
from typing import Any

from tools import probes
from tools.mutations import Mutant, mutants_of, same, works
from tools.probes import file_of
from tools.trials import copy_tree, prepare, trial

IN_WORKERS = ("rgenv/worker/", "rgenv/tasks/")
SEES_WORKERS = [f"tests/test_{name}.py" for name in ("recordings", "conformance", "hostile")]
"""Tests that see code of worker processes, which they do not import."""
SLOW = ("tests/benchmarks/", "tests/learn/", "tests/demo/", "tests/adapters/", "tests/tools/")
"""Tests that are chosen only if no other test sees the code."""
NOT_PROBED = (*SLOW, "tests/repository/")
"""Tests that do not run with probes: these, and those that read the code rather than run it."""
NEAR, MOST = 10, 40
"""Files of tests: the most that run first, and the most in all."""


# The draw


def product(root: Path) -> dict[str, bytes]:
    paths = [root / "reasoning_gym_environment.py", *sorted((root / "rgenv").rglob("*.py"))]
    return {str(p.relative_to(root)): p.read_bytes() for p in paths if p.exists()}


def package_of(file: str) -> str:
    """Return the folder below rgenv that a file is in; "top" for files above those folders."""
    parts = Path(file).parts
    return parts[1] if len(parts) > 2 else "top"


def draw(sources: dict[str, bytes], number: int, seed: int) -> list[Mutant]:
    """Draw mutants: a line of a package, a kind of fault on this line, one fault of this kind."""
    lines: Counter[str] = Counter()
    places: dict[str, dict[tuple[str, int], list[Mutant]]] = defaultdict(dict)
    for file, source in sources.items():
        lines[package_of(file)] += sum(bool(line.strip()) for line in source.splitlines())
        for mutant in mutants_of(file, source):
            places[package_of(file)].setdefault((file, mutant.line), []).append(mutant)
    drawn: list[Mutant] = []
    for package, share in quotas(lines, number).items():
        rng = random.Random(f"{seed}/{package}")
        left = sorted(places[package])
        while share and left:
            on_line = places[package][left.pop(rng.randrange(len(left)))]
            operator = rng.choice(sorted({mutant.operator for mutant in on_line}))
            mutant = rng.choice([one for one in on_line if one.operator == operator])
            if works(mutant, sources[mutant.file]):
                drawn.append(mutant)
                share -= 1
    random.Random(seed).shuffle(drawn)  # any first part is a draw, too
    return drawn


def quotas(lines: Counter[str], number: int) -> dict[str, int]:
    """Divide `number` in proportion to lines, by largest remainders."""
    exact = {name: number * count / lines.total() for name, count in sorted(lines.items())}
    shares = {name: int(value) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in by_remainder[: number - sum(shares.values())]:
        shares[name] += 1
    return shares


def drawn_again(path: Path, sources: dict[str, bytes]) -> tuple[list[Mutant], list[str]]:
    """Return a saved draw as far as its code still exists, and the ids of the others."""
    by_key: dict[str, list[Mutant]] = defaultdict(list)
    for file, source in sources.items():
        for mutant in mutants_of(file, source):
            by_key[mutant.key].append(mutant)
    found: list[Mutant] = []
    gone: list[str] = []
    names = [one.name for one in fields(Mutant)]
    for row in json.loads(path.read_text()):
        saved = Mutant(**{name: row[name] for name in names})
        if (again := same(saved, by_key[saved.key])) is not None:
            found.append(again)
        else:
            gone.append(saved.id)
    return found, gone


# The tests that can see a mutant


@dataclass(frozen=True)
class Imports:
    """Who imports whom in the tree, and what each file imports from outside at its top."""

    inside: dict[str, set[str]]
    outside: dict[str, set[str]]

    def distances(self, file: str) -> dict[str, int]:
        """Return the files that import `file`, with the steps between them."""
        importers: dict[str, set[str]] = defaultdict(set)
        for one, imported in self.inside.items():
            for name in imported:
                importers[name].add(one)
        found = {file: 0}
        front = [file]
        while front:
            nearer = front
            front = sorted({up for one in nearer for up in importers[one]} - found.keys())
            found.update(dict.fromkeys(front, found[nearer[0]] + 1))
        return found

    def needs(self, file: str) -> set[str]:
        """Return the modules from outside that importing `file` imports."""
        seen, front = {file}, [file]
        while front:
            front = sorted({name for one in front for name in self.inside.get(one, ())} - seen)
            seen.update(front)
        return {name for one in seen for name in self.outside.get(one, ())}


def read_imports(root: Path) -> Imports:
    """Read the imports of every Python file outside hidden folders."""
    paths = [
        p for p in root.rglob("*.py") if not any(x[0] == "." for x in p.parts[len(root.parts) :])
    ]
    modules: dict[str, str] = {}
    for path in paths:
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = str(path.relative_to(root))
    imports = Imports({}, {})
    for file in modules.values():
        tree = ast.parse((root / file).read_bytes())
        names = {one for node in ast.walk(tree) for one in _imported(node)}
        imports.inside[file] = {modules[one] for one in names if one in modules} - {file}
        top = {one for node in tree.body for one in _imported(node)[:1]}
        imports.outside[file] = {one for one in top if one.partition(".")[0] not in modules}
    return imports


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return []


def choose(mutant: Mutant, imports: Imports, texts: dict[str, str]) -> tuple[list[str], list[str]]:
    """Return the files of tests to run first, and those to run then, nearest first.

    Args:
        texts: the content of each file of tests.
    """
    module = Path(mutant.file).with_suffix("")
    folder = Path("tests", *module.parts[1:-1])
    own = {str(folder / f"test_{module.name}.py"), f"tests/test_{module.name}.py"}
    if module.name == "__init__":
        own |= {
            str(folder / f"test_{folder.name}.py"),
            str(folder.with_name(f"test_{folder.name}.py")),
        }
    distance = imports.distances(mutant.file)
    name = mutant.function.rpartition(".")[2]

    def rank(test: str) -> int:
        beside = str(Path(test).parent) == str(folder)
        if test in own:
            return 0
        if distance.get(test) == 1 or (beside and name and name in texts[test]):
            return 1
        if beside and module.name in texts[test]:
            return 2
        if mutant.file.startswith(IN_WORKERS) and test in SEES_WORKERS:
            return 3 + SEES_WORKERS.index(test)
        if beside and mutant.file.startswith(IN_WORKERS):
            return 8
        return 4 + distance.get(test, 1000)

    seen = {test: rank(test) for test in texts}
    chosen = [test for test in texts if seen[test] < 1000]
    chosen = [test for test in chosen if not test.startswith(SLOW)] or chosen
    chosen.sort(key=lambda test: (seen[test], name not in texts[test], len(texts[test])))
    near = [test for test in chosen if seen[test] <= 1][:NEAR]
    return near, [test for test in chosen if test not in near][: MOST - len(near)]


# The trials


class Bench:
    """A copy of the tree in which mutants are tried, one after the other."""

    def __init__(
        self, root: Path, folder: Path, mutants: Sequence[Mutant], results: Path, budget: float
    ) -> None:
        self._tree, self._results, self._budget = folder / "tree", results, budget
        copy_tree(root, self._tree)
        self._sources = product(self._tree)
        self._imports = read_imports(self._tree)
        tests = sorted((self._tree / "tests").rglob("test_*.py"))
        self._texts = {str(p.relative_to(self._tree)): p.read_text() for p in tests}
        self._writes = 0
        content = repr((self._sources, self._texts, [mutant.id for mutant in mutants])).encode()
        self._digest = hashlib.blake2b(content, digest_size=5).hexdigest()
        self.rows: dict[str, dict[str, Any]] = {}
        results.parent.mkdir(parents=True, exist_ok=True)
        saved = results.read_text().splitlines() if results.exists() else []
        for row in map(json.loads, saved):
            if row["tree"] == self._digest:
                self.rows[row["id"]] = row
        prepare({"pytest", *self._imports.needs("tests/conftest.py")})
        ran = results.with_suffix(f".{self._digest}.runs")
        if not ran.exists():
            quick = [name for name in self._texts if not name.startswith(NOT_PROBED)]
            probes.run_with_probes(mutants, self._tree, quick, ran)
        self._coverage = probes.read(ran, mutants, self._sources)
        # Test -> whether it passes without a mutant.
        self.fit = dict.fromkeys(self._coverage.passed, True)

    def _write(self, file: str, content: bytes) -> None:
        path = self._tree / file
        path.write_bytes(content)
        self._writes += 1  # compiled code is known by the time of its source, in whole seconds
        os.utime(path, (1e9 + self._writes, 1e9 + self._writes))

    def _tests(self, mutant: Mutant) -> list[list[str]]:
        """Return the tests that run a mutant's line, of near and quick files first.

        Then come those that may have used what these tests set up. If a line has no probe, the
        tests are chosen by imports: first the near, then the others. Before them come those of the
        task in whose record the line stands.
        """
        near, far = choose(mutant, self._imports, self._texts)
        run = self._coverage.tests.get(mutant.id)
        if run is None:
            task = Path(mutant.file).stem
            of_task = [test for test in self._coverage.passed if f"[{task}" in test]
            return [of_task if mutant.file.startswith("rgenv/tasks/") else [], near, far]
        if not run:  # perhaps one of those that did not run with probes does
            return [[test for test in near if test.startswith(NOT_PROBED)]]
        seconds: dict[str, float] = defaultdict(float)
        for test in run:
            seconds[file_of(test)] += self._coverage.passed.get(test, 0.0)
        # What a fixture or a cache made for one test, others of its file may have used.
        shared = self._coverage.fixtures[mutant.id] | (seconds.keys() & set(near))
        order = {name: (name not in near, seconds[name]) for name in seconds}
        first = [test for test in self._coverage.passed if test in run]
        then = [one for one in self._coverage.passed if one not in run and file_of(one) in shared]
        return [sorted(tests, key=lambda one: order[file_of(one)]) for tests in (first, then)]

    def try_mutant(self, mutant: Mutant) -> dict[str, Any]:
        """Run the tests that can see a mutant; note and return how it ended."""
        cpu, wall = 0.0, 0.0
        outcome, test, flaky = "survived", "", set[str]()
        stages = self._tests(mutant)
        if not any(stages):
            outcome = "survived (no test runs it)"
        while stages and outcome == "survived":
            unfit = {name for name, fits in self.fit.items() if not fits} | flaky
            tests = [one for one in stages[0] if not {one, file_of(one)} & unfit]
            if not tests:
                stages.pop(0)
                continue
            self._write(mutant.file, mutant.applied(self._sources[mutant.file]))
            found = trial(self._tree, tests, without=unfit, budget=self._budget - cpu)
            cpu, wall = cpu + found.cpu, wall + found.wall
            if found.kind == "budget":
                outcome = "survived (budget)"
            elif found.kind == "passed":
                stages.pop(0)
            elif found.kind == "failed" and not self._fails_again(found.test):
                flaky.add(found.test)
            elif self._passes_unchanged(mutant.file, found.test, tests):
                outcome, test = f"caught ({found.kind})", found.test
        self._write(mutant.file, self._sources[mutant.file])
        row: dict[str, Any] = {"id": mutant.id, "outcome": outcome, "test": test}
        row |= {"flaky": sorted(flaky), "cpu": round(cpu, 1), "wall": round(wall, 1)}
        row["tree"] = self._digest
        self.rows[mutant.id] = row
        with self._results.open("a") as file:
            file.write(json.dumps(row) + "\n")
        return row

    def _fails_again(self, test: str) -> bool:
        """Return whether a test fails a second time with the mutant: not for want of time."""
        return "::" not in test or trial(self._tree, [test], budget=600).kind != "passed"

    def _passes_unchanged(self, file: str, test: str, tests: Sequence[str]) -> bool:
        """Return whether the test that failed passes without the mutant."""
        if test not in self.fit or not test:
            self._write(file, self._sources[file])
            more = "-x" if "::" in test else "--collect-only"
            fits = trial(self._tree, [test] if test else tests, budget=600, more=more)
            if not test and fits.kind != "passed":
                raise RuntimeError(f"these tests do not start without a mutant: {tests}")
            self.fit[test] = fits.kind == "passed"
        return self.fit[test]


# The summary


def interval(caught: int, number: int) -> tuple[float, float]:
    if not number:
        return 0.0, 1.0
    z, share = 1.96, caught / number
    middle = share + z * z / (2 * number)
    half = z * sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    low, high = ((middle + sign * half) / (1 + z * z / number) for sign in (-1, 1))
    return round(low, 4), round(high, 4)


def difference(mutant: Mutant, sources: dict[str, bytes]) -> list[str]:
    """Return the lines before and after the edit."""
    old = sources[mutant.file].decode().splitlines()
    new = mutant.applied(sources[mutant.file]).decode().splitlines()
    first, count = mutant.line - 1, mutant.before.count("\n") + 1
    changed = new[first : first + count + len(new) - len(old)]
    return [f"- {x.strip()}" for x in old[first : first + count]] + [
        f"+ {x.strip()}" for x in changed
    ]


def summarize(
    mutants: Sequence[Mutant], rows: dict[str, dict[str, Any]], sources: dict[str, bytes]
) -> dict[str, Any]:
    """Return the shares that were caught, and the survivors."""
    done = [mutant for mutant in mutants if mutant.id in rows]
    caught = [m for m in done if rows[m.id]["outcome"].startswith("caught")]

    def shares(names: Iterable[tuple[str, bool]]) -> dict[str, dict[str, Any]]:
        number, hits = Counter[str](), Counter[str]()
        for name, hit in names:
            number[name] += 1
            hits[name] += hit
        return {
            name: {"mutants": n, "caught": hits[name], "interval": interval(hits[name], n)}
            for name, n in sorted(number.items())
        }

    return {
        "drawn": len(mutants),
        "tried": len(done),
        "caught": len(caught),
        "share": round(len(caught) / len(done), 4) if done else None,
        "interval": interval(len(caught), len(done)),
        "outcomes": dict(Counter(rows[m.id]["outcome"] for m in done)),
        "cpu": round(sum(rows[m.id]["cpu"] for m in done)),
        "packages": shares((package_of(m.file), m in caught) for m in done),
        "operators": shares((m.operator, m in caught) for m in done),
        "survivors": [
            {
                "id": m.id,
                "function": m.function,
                "operator": m.operator,
                "outcome": rows[m.id]["outcome"],
                "diff": difference(m, sources),
            }
            for m in sorted(done, key=lambda m: (m.file, m.line))
            if m not in caught
        ],
    }


def show(summary: dict[str, Any]) -> None:
    for survivor in summary["survivors"]:
        print(f"\n{survivor['id']}  {survivor['function']}: {survivor['operator']}")
        print(*survivor["diff"], sep="\n")
    print(f"\n{'package':<12} mutants caught  95 %")
    for name, one in [
        *summary["packages"].items(),
        ("all", {**summary, "mutants": summary["tried"]}),
    ]:
        low, high = one["interval"]
        print(f"{name:<12} {one['mutants']:>7} {one['caught']:>6}  {low:.0%} to {high:.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the tree; never changed")
    parser.add_argument("--number", type=int, default=200, help="mutants in a new draw")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draw", type=Path, help="a saved draw; written if it does not exist")
    parser.add_argument("--results", type=Path, required=True, help="JSON lines, one a mutant")
    parser.add_argument("--summary", type=Path, help="where to save the summary as JSON")
    parser.add_argument("--budget", type=float, default=150.0, help="processor seconds a mutant")
    parser.add_argument("--first", type=int, help="try only so many")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no mutant after that")
    options = parser.parse_args()
    root, until = options.root.resolve(), time.monotonic() + 60 * options.minutes
    sources = product(root)
    gone: list[str] = []
    if options.draw and options.draw.exists():
        mutants, gone = drawn_again(options.draw, sources)
    else:
        mutants = draw(sources, options.number, options.seed)
        if options.draw:
            rows = [json.dumps(mutant.as_json()) for mutant in mutants]
            options.draw.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        bench = Bench(root, Path(folder), mutants, options.results, options.budget)
        for place, mutant in enumerate(mutants[: options.first], 1):
            if mutant.id not in bench.rows and time.monotonic() < until:
                row = bench.try_mutant(mutant)
                spent = f"{row['cpu']:.0f} s of processor time, {row['wall']:.0f} s"
                print(f"{place}/{len(mutants)} {mutant.id} {mutant.operator}: ", end="")
                print(f"{row['outcome']} {row['test']} ({spent})", flush=True)
    unfit = sorted(test for test, fits in bench.fit.items() if not fits)
    summary = {**summarize(mutants, bench.rows, sources), "gone": gone, "unfit": unfit}
    show(summary)
    if options.summary:
        options.summary.write_text(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
