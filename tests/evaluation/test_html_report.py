"""rgenv/evaluation/html_report.py: an evaluation as one file to read."""

import random
import re
import shutil
import subprocess
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.evaluation.html_report import (
    colours,
    cut,
    failures,
    flattened,
    heat,
    luminance,
    printable,
    write,
)
from rgenv.evaluation.metrics import items, metrics
from rgenv.tasks import KNOWN_TASKS

RUN = "document.title = 'ran'"
SCRIPT = f'</pre></details><script>{RUN}</script><img src=x onerror="{RUN}">'


def sample(
    task: str = "gcd",
    seed: int = 0,
    score: float | None = 0.0,
    *,
    text: str = "so <answer>",
    **other: Any,
) -> dict[str, Any]:
    """One completion as it stands in samples.jsonl; a score of None is one that failed."""
    level = other.get("level")
    question = other.get("question", f"{task} {seed}?")
    messages = [{"role": "user", "content": question}]
    made: dict[str, Any] = {
        "id": f"{task}/{seed}/{level}/0",
        "task": task,
        "category": KNOWN_TASKS[task],
        "level": level,
        "seed": seed,
        "question": question,
        "gold_answer": "12",
        "messages": messages,
    }
    if score is None:
        made["error"] = "no reply"
    else:
        messages.append({"role": "assistant", "content": text})
        made |= {
            "score": score,
            "verdict": "scored",
            "finish_reason": "stop",
            "model_parsed": "13",
            "completion_tokens": 10 + seed,
        }
    return made | other


def evaluation_of(tasks: int, items: int = 5, seed: int = 1) -> list[dict[str, Any]]:
    """A run of so many tasks on three levels, with long and hostile completions."""
    rng = random.Random(seed)
    return [
        sample(
            task,
            n,
            rng.choice([0.0, 0.3, 1.0, 1.0, None]),
            level=level,
            text=SCRIPT + "x" * 20_000 + "\x00\ud800\x1b[0m" + SCRIPT,
            question="q" * 5000,
            model_parsed=SCRIPT,
            gold_answer=SCRIPT * 30,
        )
        for task in list(KNOWN_TASKS)[:tasks]
        for level in (0.0, 0.5, 1.0)
        for n in range(items)
    ]


class Page(HTMLParser):
    """The tags of a page with their attributes, its visible text, and whether tags match."""

    VOID = ("meta", "line", "rect", "wbr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def page_of(folder: Path, samples: list[dict], **other: Any) -> Page:
    """What is read back from the file."""
    about = other.pop("about", {})
    path = write(folder, samples, metrics(samples), about, **other)
    return Page(path.read_bytes().decode("utf-8"))


def sections(page: Page) -> list[str]:
    """Headings of the second order, from the visible text."""
    names = (
        "Against",
        "By category",
        "By level",
        "By task",
        "By completion length",
        "What became",
        "Failures",
        "What was run",
    )
    return [name for name in names if name in page.text]


# The page


def test_the_page_of_every_task_is_small_and_asks_for_nothing(tmp_path: Path) -> None:
    """One file below 3 MB with no script, link, font or picture from anywhere."""
    run = evaluation_of(105)
    page = page_of(tmp_path, run, earlier=("last", evaluation_of(105, seed=2)))
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "a"}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"src", "href"}
    assert "url(" not in (tmp_path / "report.html").read_text()
    assert ("html", {"lang": "en"}) in page.tags
    policy = [a.get("content") for _, a in page.tags if "http-equiv" in a]
    assert policy and "default-src 'none'" in str(policy[0])


def test_what_a_reader_looks_for_first_stands_first(tmp_path: Path) -> None:
    """Model, date, accuracy with its interval and the mean score, before any section."""
    run = [sample(seed=n, score=float(n % 4 > 0)) for n in range(40)]
    about = {"model": "qwen-1.5b", "date": "2025-03-08"}
    head = page_of(tmp_path, run, about=about).text.split("By category")[0]
    out = metrics(run)
    assert "Evaluation of qwen-1.5b" in head and "2025-03-08" in head
    assert "75.0\u00a0% solved" in head and "mean score 0.750" in head
    low, high = (100 * out[f"eval/accuracy_{end}"] for end in ("low", "high"))
    assert f"{low:.1f} to {high:.1f}" in head


def test_headings_and_tables_can_be_walked_by_a_screen_reader(tmp_path: Path) -> None:
    """Headings skip no order, and every table has headers with a scope."""
    page = page_of(tmp_path, evaluation_of(20), earlier=("last", evaluation_of(20, seed=2)))
    orders = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert orders[0] == 1 and orders.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(orders))
    assert all(attributes.get("scope") for tag, attributes in page.tags if tag == "th")


def test_sections_without_anything_to_show_are_left_out(tmp_path: Path) -> None:
    """A run in which all failed, one where all is right, and one of nothing."""
    failed = page_of(tmp_path, [sample(score=None)])
    assert "Nothing could be scored" in failed.text and "no reply" in failed.text
    assert sections(failed) == ["What became", "Failures"]
    right = [sample(score=1.0, completion_tokens=None)]
    assert sections(page_of(tmp_path, right)) == ["By category", "By task", "What became"]
    assert sections(page_of(tmp_path, [], about={"a": 1})) == ["What was run"]


def test_pass_at_k_is_a_key_figure_when_items_were_asked_again(tmp_path: Path) -> None:
    """With one completion an item there is only the accuracy."""
    twice = [sample(score=s, id=f"gcd/0/none/{n}") for n, s in enumerate([1.0, 0.0])]
    assert "pass@2" in page_of(tmp_path, twice).text
    assert "pass@" not in page_of(tmp_path, twice[:1]).text


def test_a_comparison_says_better_worse_or_neither(tmp_path: Path) -> None:
    """The first words of the section are its answer; each task stands where it belongs."""
    old = [sample(t, n, float(n % 2)) for t in ("gcd", "maze", "ab") for n in range(20)]
    new = [sample("gcd", n, 1.0) for n in range(20)] + old[20:] + [sample("ab", 99)]
    page = page_of(tmp_path, new, earlier=("Tuesday's", old)).text
    section = page.split("Against Tuesday's")[1].split("By category")[0]
    assert section.split(":")[0].strip() == "▲ Better" and "+16.7 points" in section
    better, worse = section.split("Tasks that got better")[1].split("Tasks that got worse")
    assert "gcd" in better and "maze" not in better and "None." in worse
    assert "1 items only in this run, 0 only in the earlier one" in section
    assert "▼ Worse" in page_of(tmp_path, old, earlier=("x", new)).text
    assert "No clear difference" in page_of(tmp_path, old, earlier=("x", old)).text
    assert "No item was scored in both" in page_of(tmp_path, old, earlier=("x", [])).text


def test_what_was_run_is_shown_with_its_nested_parts() -> None:
    """Each plain value gets a row that says where it stood."""
    about = {
        "model": "m",
        "env": {"seed": 1, "of": {"tasks": ["a", "b"]}},
        "none": None,
        "empty": {},
    }
    assert flattened(about) == {
        "model": "m",
        "env.seed": "1",
        "env.of.tasks": '["a", "b"]',
        "none": "null",
        "empty": "{}",
    }


# Hostile text


markup = [
    "<b>",
    "</pre>",
    "</title>",
    "<!--",
    "-->",
    "{{ 1 }}",
    "&lt;",
    "' x='",
    '" y="',
    "\x00",
    "\ud800",
    "\u202e",
    "\r",
    "\x9b",
    "_",
    "/",
]
hostile = st.lists(st.sampled_from(markup) | st.characters(), min_size=1, max_size=12).map("".join)


@settings(max_examples=25, deadline=None)
@given(hostile)
def test_whatever_a_completion_says_is_text(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """The page has the tags of one that says nothing, and is valid UTF-8."""

    def tags(word: str) -> list[str]:
        names = ("text", "question", "model_parsed", "gold_answer", "finish_reason")
        run = [sample(**dict.fromkeys(names, word)), sample(seed=1, score=None, error=word)]
        run = [s | {"task": word, "category": word} for s in run]
        page = page_of(
            tmp_path_factory.mktemp("page"),
            run,
            earlier=(word, run),
            about={"model": word, "date": word, "more": {word: word}},
        )
        return [tag for tag, _ in page.tags if tag != "wbr"]

    assert tags(text) == tags("x")


@given(hostile)
def test_printable_text_has_nothing_that_acts(text: str) -> None:
    """No controls, no lone surrogates, nothing that turns the direction; the rest stays."""
    out = printable(text)
    assert len(out) == len(text)
    out.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert all(a == b for a, b in zip(text, out, strict=True) if a.isalnum() or a in " \n\t<&")


@given(st.text(max_size=50), st.integers(0, 20), st.integers(0, 20))
def test_a_cut_text_says_how_much_is_missing(text: str, head: int, tail: int) -> None:
    """Both ends are kept, and the number is right."""
    out = cut(text, head=head, tail=tail)
    if len(text) <= head + tail:
        assert out == text
    else:
        assert out.startswith(text[:head]) and out.endswith(text[len(text) - tail :])
        assert f"[… {len(text) - head - tail} characters cut …]" in out


# Failures


def test_failures_are_spread_over_tasks_and_nearly_answers_come_first() -> None:
    """One task with many failures does not push the others out."""
    run = [
        *(sample("gcd", n) for n in range(50)),
        sample("lcm", 0, verdict="no_answer"),
        sample("lcm", 1),
        sample("dice", 0, None),
        sample("products", 0, 0.0, verdict="timeout"),
        sample("count_bits", 0, 1.0),
    ]
    found = failures(run, each=6)["arithmetic"]
    assert found.total == 54
    shown = [(f.task, f.verdict) for f in found.chosen]
    assert set(shown[:2]) == {("gcd", "scored"), ("lcm", "scored")}
    assert shown[2:] == [
        ("products", "timeout"),
        ("dice", "failed"),
        ("gcd", "scored"),
        ("lcm", "no_answer"),
    ]
    assert failures([sample(score=1.0)]) == {}


def test_an_item_that_failed_many_times_is_shown_once() -> None:
    """Its completions are alike; another item says more."""
    run = [sample(seed=s, id=f"gcd/{s}/none/{n}") for s in (1, 2) for n in range(8)]
    assert sorted(f.seed for f in failures(run)["arithmetic"].chosen) == ["1", "2"]


@given(st.randoms())
def test_which_failures_are_shown_does_not_depend_on_the_order(rng: random.Random) -> None:
    """Two pages of the same samples are the same."""
    run = [sample(t, n, rng.choice([0.0, None])) for t in ("gcd", "lcm", "dice") for n in range(9)]
    other = run[:]
    rng.shuffle(other)
    assert failures(run) == failures(other)


def test_a_failure_says_what_was_asked_given_and_expected() -> None:
    """Also where there is no answer of either kind."""
    [found] = failures([sample(text="a" * 5000 + "the end", level=0.5)])["arithmetic"].chosen
    assert (found.answer, found.expected, found.prompt) == ("13", "12", "gcd 0?")
    assert found.level == "0.5" and found.completion.endswith("the end")
    assert "characters cut" in found.completion and len(found.completion) < 1300
    long = "q" * 5000
    run = [sample(question=long, model_parsed=long, gold_answer=long)]
    [found] = failures(run)["arithmetic"].chosen
    for text in (found.prompt, found.answer, found.expected):
        assert text.startswith("qqq") and "characters cut" in text and len(text) < 1500
    open_run = [sample(model_parsed=None, gold_answer=None)]
    [open_one] = failures(open_run)["arithmetic"].chosen
    assert open_one.answer == "(none found)" and "verifier" in open_one.expected


# Colours


@given(st.floats(0, 1))
def test_numbers_can_be_read_on_every_colour(value: float) -> None:
    """Contrast is at least 4.5, as WCAG asks for text of this size."""
    paper, ink = colours(value)
    light = luminance([int(paper[n : n + 2], 16) for n in (1, 3, 5)])
    other = 1.0 if ink == "#fff" else 0.0
    assert (max(light, other) + 0.05) / (min(light, other) + 0.05) >= 4.5


def test_colours_grow_brighter_with_the_number() -> None:
    """Whoever sees no colour sees the order still."""
    lights = [
        luminance([int(colours(n / 20)[0][i : i + 2], 16) for i in (1, 3, 5)]) for n in range(21)
    ]
    assert lights == sorted(lights) and len(set(lights)) == 21


def test_the_heat_map_puts_the_best_task_of_a_category_first() -> None:
    """Equal tasks stand in the order of their names; a level that was not asked has no cell."""
    run = [
        sample("lcm", score=1.0, level=0.0),
        sample("gcd", level=0.0),
        sample("dice", level=1.0),
        sample("maze", level=1.0),
    ]
    rows = heat(items(run))
    assert list(rows) == ["arithmetic", "games"]
    assert [row.task for row in rows["arithmetic"]] == ["lcm", "dice", "gcd"]
    assert list(rows["arithmetic"][1].cells) == ["1"]


# In a browser


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium")
def test_in_a_browser_no_script_of_a_completion_runs(tmp_path: Path) -> None:
    """The page shows its figure, and its title stays, with the network away."""
    run = evaluation_of(8)
    path = write(tmp_path, run, metrics(run), {"model": "qwen"})
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    dom = Page(done.stdout.replace("<!DOCTYPE html>", ""))
    share = 100 * metrics(run)["eval/accuracy"]
    assert f"{share:.1f}\u00a0% solved" in dom.text
    assert "<title>Evaluation of qwen</title>" in done.stdout
    assert not {tag for tag, _ in dom.tags} & {"script", "img"}
    assert f"<script>{RUN}</script>" in dom.text
