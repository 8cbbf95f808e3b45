"""Measure the page that `view` writes, and opening it in a browser; prints one JSON object.

    python benchmarks/viewing.py [--groups 40 10000 100000] [--pictures FOLDER]

For each number of groups it writes a run of that size, in which nothing repeats that could be
compressed, makes its page with the command, and opens it in a headless browser. Besides sizes and
times it reports the load of the machine, which the times depend on. Needs playwright
(requirements-browser.txt) and chromium.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness import ROOT, Json, parser, print_json
from rgenv.rollouts.dump import group_row
from rgenv.task_names import KNOWN_TASKS

RUN = "5f1c2a7e-1111-4222-8333-123456789abc"
NAME = f"reasoning_gym_environment_rollouts_{RUN}_0000.jsonl"
ROLLOUTS = 8
GROUPS_PER_STEP = 16
TEXTS = 4_000
"""Different completions; the window of the compression holds about 30 of them."""

CHARACTERS = 1_000

LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 500, "height": 900}},
}

# Each returns milliseconds until the page has drawn what follows.
CHOOSE = """async () => {
  const box = document.querySelector("#filters [name=outcome]");
  const began = performance.now();
  box.value = "some";
  box.dispatchEvent(new Event("change"));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return performance.now() - began;
}"""
TYPE = """async (text) => {
  const box = document.querySelector("#filters [name=text]");
  const line = document.getElementById("count");
  const began = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input"));
  await new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (!line.textContent.startsWith("Searching")) resolve();
    });
    watch.observe(line, { childList: true, characterData: true, subtree: true });
  });
  return performance.now() - began;
}"""
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"


def main() -> None:
    """Measure each size and print the results."""
    arguments = parser(__doc__)
    arguments.add_argument("--groups", type=int, nargs="+", default=[40, 10_000, 100_000])
    arguments.add_argument("--pictures", type=Path, help="folder for pictures of the pages")
    options = arguments.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("This needs a browser: `pip install -r requirements-browser.txt` and chromium.")
    results = {}
    for groups in options.groups:
        print(f"{groups:,} groups", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder, sync_playwright() as running:
            results[str(groups)] = measure(Path(folder), groups, running, options.pictures)
        print(json.dumps(results[str(groups)]), file=sys.stderr, flush=True)
    print_json({"cores": os.cpu_count(), "rollouts_per_group": ROLLOUTS, "groups": results})


def measure(folder: Path, groups: int, running: Any, pictures: Path | None) -> Json:
    """Write a run, make its page, and open it."""
    write_run(folder, groups)
    found: Json = {"files_mb": megabytes(sum(path.stat().st_size for path in folder.iterdir()))}
    found |= build(folder)
    page = folder / "view.html"
    found["page_mb"] = megabytes(page.stat().st_size)
    path = shutil.which("chromium") or running.chromium.executable_path
    browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
    try:
        found |= open_page(browser, page)
        if pictures:
            take_pictures(browser, page, pictures, groups)
    finally:
        browser.close()
    return found | {"load": round(os.getloadavg()[0], 1)}


def write_run(folder: Path, groups: int) -> None:
    """Write dumps and metrics, each group with another level, score and texts."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(2_000)]
    texts = [" ".join(rng.choices(words, k=CHARACTERS // 7)) for _ in range(TEXTS)]
    tasks = sorted(KNOWN_TASKS)
    with (folder / NAME).open("wb") as file:
        for number in range(groups):
            file.write(to_line(group(number, rng.choice(tasks), rng, texts)))
    with (folder / "metrics.jsonl").open("wb") as file:
        for step in range(1, 2 + groups // GROUPS_PER_STEP):
            shares = {name: rng.random() for name in ("accuracy", "reward", "format_rate")}
            by_task = {f"train/{task}/accuracy": rng.random() for task in rng.sample(tasks, 15)}
            report = {"run": RUN, "step": step, "time": step * GROUPS_PER_STEP + 0.5}
            named = {f"train/{name}": share for name, share in shares.items()}
            file.write(to_line({**report, **named, **by_task}))


def group(number: int, task: str, rng: random.Random, texts: list[str]) -> Json:
    """Return one saved group."""
    scores = [float(rng.random() < 0.5) for _ in range(ROLLOUTS)]
    asked = [
        {"role": "system", "content": "Solve."},
        {"role": "user", "content": rng.choice(texts)},
    ]
    answers = [f"<think>{rng.choice(texts)}</think><answer>{score}</answer>" for score in scores]
    conversations = [[*asked, {"role": "assistant", "content": text}] for text in answers]
    recipe = {"task": task, "config": {"n": 2}, "seed": number, "level": round(rng.random(), 2)}
    about = {
        "group_id": f"{number:032x}",
        **recipe,
        "recipe": recipe,
        "answer": "1.0",
        "raw_scores": scores,
        "finish_reasons": ["stop"] * ROLLOUTS,
        "verdicts": ["scored"] * ROLLOUTS,
        "completion_tokens": [len(text) // 4 for text in answers],
        "time": float(number),
    }
    return group_row(task, conversations, scores, metadata=about)


def to_line(value: Json) -> bytes:
    """Return a JSON line."""
    return json.dumps(value).encode() + b"\n"


def build(folder: Path) -> Json:
    """Run the command, and return its time and its memory."""
    began = time.perf_counter()
    command = [sys.executable, "reasoning_gym_environment.py", "view", str(folder)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=sys.stderr)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"view ended with exit code {child.returncode}.")
    return {
        "build_seconds": round(time.perf_counter() - began, 1),
        "build_peak_mb": round(usage.ru_maxrss / 1024),
    }


def open_page(browser: Any, path: Path) -> Json:
    """Return the seconds until the page is painted, until its list is there, and of its filters."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    began = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", timeout=120_000)
    ready = time.perf_counter() - began
    found = {
        "first_paint_seconds": page.evaluate(FIRST_PAINT) / 1000,
        "list_ready_seconds": ready,
        "filter_seconds": page.evaluate(CHOOSE) / 1000,
        "keystroke_seconds": page.evaluate(TYPE, "a") / 1000,
        "next_keystroke_seconds": page.evaluate(TYPE, "ab") / 1000,
    }
    page.close()
    return {name: round(seconds, 2) for name, seconds in found.items()}


def take_pictures(browser: Any, path: Path, folder: Path, groups: int) -> None:
    """Save the page with its first group open, in each look."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, look in LOOKS.items():
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **look})
        page.goto(path.as_uri() + f"#g={0:032x}")
        page.wait_for_selector("html[data-ready]", timeout=120_000)
        page.screenshot(path=folder / f"{groups}-{name}.png", full_page=True)
        page.close()


def megabytes(size: int) -> float:
    """Return bytes as megabytes with one digit."""
    return round(size / 1e6, 1)


if __name__ == "__main__":
    main()
