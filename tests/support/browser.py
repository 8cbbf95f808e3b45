"""A headless browser for tests of pages.

`browser()` skips the test where there is none. It needs playwright (`pip install -r
requirements-browser.txt`), and chromium of the distribution or of `playwright install chromium`.
"""

import contextlib
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Opened:
    def __init__(self, page: Any, path: Path) -> None:
        self.page = page
        self.trouble: list[str] = []
        page.on("console", lambda m: self.trouble.append(f"{m.type}: {m.text}"))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("dialog", lambda dialog: (self.trouble.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: self._requested(request.url, path))

    def _requested(self, url: str, path: Path) -> None:
        if not url.startswith((path.as_uri(), "blob:", "data:")):
            self.trouble.append(f"request: {url}")

    def texts(self, selector: str) -> list[str]:
        return [str(text) for text in self.page.locator(selector).all_text_contents()]

    def cells(self, rows: str) -> list[list[str]]:
        """Return the texts of the cells of some rows of a table."""
        script = "rows => rows.map((row) => [...row.children].map((cell) => cell.textContent))"
        found: list[list[str]] = self.page.locator(rows).evaluate_all(script)
        return found

    def rows(self, column: str = "task") -> list[str]:
        """Return a column of the list of groups, as far as it is drawn."""
        return self.texts(f"#list .rows .row .{column}")

    def count(self) -> str:
        return self.texts("#count")[0]

    def choose(self, name: str, value: str) -> None:
        before = self.count()
        box = self.page.locator(f"#filters [name={name}]")
        if box.evaluate("box => box.tagName") == "SELECT":
            box.select_option(value)
        else:
            box.fill(value)
            box.press("Enter")
            box.blur()
        with contextlib.suppress(TimeoutError):  # the filter may pass what passed before
            self.wait(lambda: self.count() != before, seconds=2)

    def wait(self, condition: Callable[[], object], *, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError
            self.page.wait_for_timeout(20)


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Start a browser; skip the test if there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as running:
        found = next(filter(None, map(shutil.which, NAMES)), None)
        path = found or running.chromium.executable_path
        if not Path(path).exists():
            pytest.skip("chromium is not installed")
        started = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


def opened(started: Any, path: Path, address: str = "", **settings: Any) -> Opened:
    page = started.new_page(**{"viewport": {"width": 1280, "height": 900}, **settings})
    found = Opened(page, path)
    page.goto(path.as_uri() + address)
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    return found
