"""rgenv/pages/page.py: writing the page."""

import base64
import hashlib
import re
from pathlib import Path

from rgenv.pages import page


def test_texts_cannot_leave_their_place(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>\ud800"
    page.write(tmp_path / "view.html", hostile, {"title": hostile}, [b"</script>"])
    written = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert "<img" not in written
    assert written.count("</script>") == 3


def test_the_policy_allows_the_scripts_of_the_page_only(tmp_path: Path) -> None:
    """The hashes in the policy are those of style and script, and nothing else may be loaded."""
    page.write(tmp_path / "view.html", "run", {}, [])
    written = (tmp_path / "view.html").read_text(encoding="utf-8")
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', written)
    assert policy.startswith("default-src 'none'")
    for name in ("style", "script"):
        [content] = re.findall(f"<{name}>(.*?)</{name}>", written, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert not re.search(r"https?://(?!www\.w3\.org)|innerHTML|insertAdjacent|eval\(", written)
