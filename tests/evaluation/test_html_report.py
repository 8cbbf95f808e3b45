import random
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from rgenv.evaluation.compare import EarlierRun, compare_runs
from rgenv.evaluation.html_report import write
from rgenv.evaluation.metrics import metrics
from rgenv.task_names import KNOWN_TASKS
from rgenv.types import Sample
from tests.support.samples import sample
from tests.support.untrusted import untrusted_text

pytestmark = pytest.mark.slow

RUN = "document.title = 'ran'"
SCRIPT = f'</pre></details><script>{RUN}</script><img src=x onerror="{RUN}">'


wrong = partial(sample, score=0.0)


def evaluation_of(tasks: int, seed: int = 1) -> list[Sample]:
    """Return a run of some tasks at three levels, with long and malicious completions."""
    rng = random.Random(seed)
    return [
        sample(
            task,
            n,
            rng.choice([0.0, 0.3, 1.0, 1.0, None]),
            level=level,
            text=SCRIPT + "x" * 20_000 + "\x00\ud800\x1b[0m" + SCRIPT,
            question="q" * 5000,
            completion_tokens=10 + n,
            model_parsed=SCRIPT,
            gold_answer=SCRIPT * 30,
        )
        for task in list(KNOWN_TASKS)[:tasks]
        for level in (0.0, 0.5, 1.0)
        for n in range(2)
    ]


class Page(HTMLParser):
    """Parses a page into tags with attributes and visible text; its tags must match."""

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


def page_of(folder: Path, samples: list[Sample], **other: Any) -> Page:
    """Write a report and parse it."""
    about = other.pop("about", {})
    if earlier := other.get("earlier"):
        other["comparison"] = compare_runs(
            earlier.samples, samples, earlier_about=earlier.about, about=about
        )
    path = write(folder, samples, metrics(samples), about, **other)
    return Page(path.read_bytes().decode("utf-8"))


# The page


def test_a_report_of_all_tasks_is_one_small_file_without_requests(tmp_path: Path) -> None:
    """It is smaller than 3 MB and has no script, link, font or image."""
    run = evaluation_of(105)
    page = page_of(tmp_path, run, earlier=EarlierRun("last", evaluation_of(20, seed=2)))
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe", "object", "a"}
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in names if name.startswith("on")} | names & {"src", "href"}
    assert "url(" not in (tmp_path / "report.html").read_text()
    assert ("html", {"lang": "en"}) in page.tags
    policy = [a.get("content") for _, a in page.tags if "http-equiv" in a]
    assert policy and "default-src 'none'" in str(policy[0])


def test_a_run_may_have_failed_samples_solved_ones_or_none(tmp_path: Path) -> None:
    failed = page_of(tmp_path, [sample(score=None)]).text
    assert "No completion was scored" in failed and "no reply" in failed
    assert "Failures" in failed and "Successes" not in failed
    right = page_of(tmp_path, [sample(score=1.0, completion_tokens=None)]).text
    assert "Successes" in right and "Failures" not in right
    assert "Verdicts" not in page_of(tmp_path, [], about={"a": 1}).text


def test_a_comparison_says_better_worse_or_neither(tmp_path: Path) -> None:
    """The section begins with the result and lists better and worse tasks apart."""
    old = [sample(t, n, float(n % 2)) for t in ("gcd", "maze", "ab") for n in range(20)]
    new = [sample("gcd", n, 1.0) for n in range(20)] + old[20:] + [wrong("ab", 99)]
    page = page_of(tmp_path, new, earlier=EarlierRun("Tuesday's", old)).text
    section = page.split("Comparison with Tuesday's")[1].split("By category")[0]
    assert section.split(":")[0].strip() == "▲ Better" and "+16.7 points" in section
    better, worse = section.split("Tasks that got better")[1].split("Tasks that got worse")
    assert "gcd" in better and "maze" not in better and "None." in worse
    assert "problems only in this run (1), problems only in the earlier run (0)" in section
    assert "▼ Worse" in page_of(tmp_path, old, earlier=EarlierRun("x", new)).text
    assert "No clear difference" in page_of(tmp_path, old, earlier=EarlierRun("x", old)).text
    assert "no scored problem in common" in page_of(tmp_path, old, earlier=EarlierRun("x", [])).text


# Untrusted text


def tags_with(word: str, folder: Path) -> list[str]:
    """Return the tags of a page all of whose texts are `word`."""
    names = ("text", "question", "model_parsed", "gold_answer", "finish_reason")
    run = [wrong(**dict.fromkeys(names, word)), sample(seed=1, score=None, error=word)]
    run = [s | {"task": word, "category": word} for s in run]
    page = page_of(
        folder,
        run,
        earlier=EarlierRun(word, run, {"model": "other", "more": {word: 1}}),
        about={"model": word, "date": word, "more": {word: word}},
    )
    return [tag for tag, _ in page.tags if tag != "wbr"]


@pytest.fixture(scope="module")
def plain_tags(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The tags of a page of harmless texts."""
    return tags_with("x", tmp_path_factory.mktemp("plain"))


@settings(max_examples=25, deadline=None)
@given(text=untrusted_text)
def test_untrusted_text_adds_no_tags(
    plain_tags: list[str], tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    """The page has the same tags whatever its texts are, and is valid UTF-8."""
    assert tags_with(text, tmp_path_factory.mktemp("page")) == plain_tags
