"""rgenv/pages/sides.py and sides.js: the same problems in two runs or evaluations."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.cli.view import main
from rgenv.pages.folder import Folder
from tests.support.browser import opened
from tests.support.samples import sample
from tests.support.viewed import DUMP, page_data, row, write_lines


def made(folder: Path, *lines: dict[str, Any], name: str = DUMP) -> Path:
    write_lines(folder / name, *lines)
    return folder


def problem(name: str, seed: int, scores: list[float], **more: Any) -> dict[str, Any]:
    recipe = {"task": "gcd", "config": {}, "seed": seed, "level": 0.5}
    return row(name, scores, recipe=recipe, **more)


def pairs_of(tmp_path: Path, a: Path, b: Path, **limits: int) -> tuple[str, dict[int, list[str]]]:
    """Return by what the groups match, and number -> the ids that stand beside each other."""
    folder = Folder([a, b], **limits)
    folder.read()
    folder.write(tmp_path / "page.html")
    index, _ = page_data(tmp_path / "page.html")
    found: dict[int, list[str]] = {}
    for name, number in zip(*(index["groups"][key] for key in ("id", "problem")), strict=True):
        found.setdefault(number, []).append(name)
    return index["matched_by"], found


def test_problems_match_by_their_recipe(tmp_path: Path) -> None:
    """A run and an evaluation have a problem in common if it is made alike, however it is read."""
    a = made(tmp_path / "a", problem("x", 1, [1.0]), problem("y", 2, [0.0]))
    recipe = {"task": "gcd", "config": {}, "seed": 2, "level": None, "answer_format": "boxed"}
    b = made(tmp_path / "b", sample("gcd", 2, recipe=recipe), name="samples.jsonl")
    assert pairs_of(tmp_path, a, b) == ("recipe", {0: ["A/y", "B/b/gcd/2/none"]})


def test_of_a_problem_that_a_side_has_twice_the_last_counts(tmp_path: Path) -> None:
    for number in (1, 2):
        made(tmp_path / "a" / f"step-{number}", sample("gcd", 1), name="samples.jsonl")
    b = made(tmp_path / "b", sample("gcd", 1), name="samples.jsonl")
    _, found = pairs_of(tmp_path, tmp_path / "a", b)
    assert found == {0: ["A/step-2/gcd/1/none", "B/b/gcd/1/none"]}


def test_other_problems_match_by_task_and_level(tmp_path: Path) -> None:
    """Levels that are nearly the same count as one; what only one side has is left out."""
    a = made(tmp_path / "a", problem("x", 1, [1.0], level=0.5), problem("y", 2, [1.0], level=0.9))
    b = made(tmp_path / "b", problem("z", 3, [1.0], level=0.52), problem("w", 4, [0.0], level=None))
    assert pairs_of(tmp_path, a, b) == ("level", {0: ["A/x", "B/z"]})


def test_a_sample_of_both_sides_has_the_same_problems(tmp_path: Path) -> None:
    lines = [[problem(f"{side}{n}", n, [1.0]) for n in range(200)] for side in "ab"]
    a, b = made(tmp_path / "a", *lines[0]), made(tmp_path / "b", *lines[1][::-1])
    _, found = pairs_of(tmp_path, a, b, most=50)
    assert 20 <= len(found) <= 50
    assert all(names == [f"A/a{names[0][3:]}", f"B/b{names[0][3:]}"] for names in found.values())


@pytest.mark.soak
def test_the_page_in_a_browser(started: Any, tmp_path: Path) -> None:
    scores = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0)]
    a = made(tmp_path / "a", *(problem(f"a{n}", n, [s]) for n, (s, _) in enumerate(scores)))
    b = made(tmp_path / "b", *(problem(f"b{n}", n, [s]) for n, (_, s) in enumerate(scores)))
    assert main([str(a), str(b)]) == 0
    found = opened(started, a / "compare.html", viewport={"width": 390, "height": 800})
    cells = found.texts("#summary tbody th, #summary tbody td")
    assert cells == ["gcd", "5", "40.0 %", "60.0 %", "▲ +20", "1", "2", "1", "1"]
    for value, wanted in (("onlyA", 1), ("onlyB", 2), ("both", 1), ("neither", 1)):
        found.choose("outcome", value)
        found.wait(lambda n=wanted: found.count().startswith(f"{n} of 5 problems"))
    found.choose("outcome", "onlyA")
    found.page.locator("#list .rows .row").click()
    found.page.wait_for_selector("#detail .card")
    assert found.texts(".side") == ["A: 100 % solved", "B: 0 % solved"]
    assert found.texts("#detail mark") == ["42", "41"]
    assert found.texts("#detail .reference") == ["42"]  # once
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert found.trouble == []
