"""rgenv/profiling/html_report.py: the page."""

from pathlib import Path

import pytest

from rgenv.profiling.html_report import write
from rgenv.profiling.profile import Profile
from tests.profiling.test_config_text import MIXED
from tests.profiling.test_profile import cell, profile
from tests.support.browser import browser


def new() -> Profile:
    many = {f"a_task_with_a_long_name_{n}": MIXED["gcd"] for n in range(3)}
    dead = {level: cell("dead" if level == 0 else None, trials=40 * (not level))
            for level in (0.0, 0.25, 0.5, 0.75, 1.0)}  # fmt: skip
    return profile(**MIXED, **many, rotate=dead)


def test_the_page_says_what_each_cell_shows(tmp_path: Path) -> None:
    """Numbers and reasons stand in its title, and texts of the model are escaped."""
    path = write(tmp_path, new(), date="2026-11-22", config="# <script>\nenv: {}")
    page = path.read_text()
    assert "gcd, level 0: learnable; 30 of 40 completions right; interval " in page
    assert "rotate, level 1: dead; as follows from level 0" in page
    assert "6 of 8 tasks</strong> are worth training" in page
    assert "<script" not in page and "&lt;script&gt;" in page


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200, 500])
def test_the_page_fits_its_window(tmp_path: Path, width: int) -> None:
    """Nothing is cut off, in light and dark, and nothing is loaded from elsewhere."""
    path = write(tmp_path, new(), date="2026-11-22", config="env: {}")
    with browser() as started:
        for scheme in ("light", "dark"):
            page = started.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            requests: list[str] = []
            page.on("request", lambda request, seen=requests: seen.append(request.url))
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert requests == [path.as_uri()]
