"""Take the pictures of docs/view.md: docs/view_run.png and docs/view_group.png.

    python -m demo.run --batches 60 --output demo_output
    python scripts/draw_view.py demo_output/view.html

Needs playwright (requirements-browser.txt), chromium and the page of a demo.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, GROUP_HEIGHT = 1400, 1240, 1500
COLOURS = 64
"""Colours of a picture; a few make it small."""


def main(page_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        path = shutil.which("chromium") or running.chromium.executable_path
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(f"{page_path.resolve().as_uri()}")
        page.wait_for_selector("html[data-ready]")
        page.evaluate(
            "for (const e of document.querySelectorAll('title, h1')) "
            "e.textContent = 'Rollouts in demo_output'"
        )
        page.screenshot(path=ROOT / "docs" / "view_run.png")
        page.locator("#filters [name=outcome]").select_option("some")
        page.locator("#filters [name=task]").select_option("products")
        page.locator("#list .rows .row").nth(2).click()
        page.wait_for_selector("#detail .card")
        page.set_viewport_size({"width": WIDTH, "height": GROUP_HEIGHT})
        page.evaluate("document.getElementById('groups').scrollIntoView()")
        page.screenshot(path=ROOT / "docs" / "view_group.png")
        browser.close()
    for name in ("view_run.png", "view_group.png"):
        picture = Image.open(ROOT / "docs" / name)
        picture.convert("RGB").quantize(COLOURS).save(ROOT / "docs" / name, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
