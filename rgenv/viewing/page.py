"""Write what a `Folder` found as one HTML page.

::

    write(Path("view.html"), title="run", collection=..., ...)

The page needs no network. Its content security policy allows the one script that is in it, by its
hash, and nothing else. Texts of a model are in the page as base64 of compressed JSON, and the
script shows them as text, never as markup.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rgenv.storage.atomic import replacing

HERE = Path(__file__).parent
SCRIPTS = (
    "data.js",
    "groups.js",
    "filters.js",
    "charts.js",
    "trend.js",
    "tasks.js",
    "summary.js",
    "answers.js",
    "table.js",
    "detail.js",
    "main.js",
)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@cache
def base_style() -> str:
    """Return the style sheet that the pages of this project share."""
    return (HERE / "base.css").read_text(encoding="utf-8")


@cache
def _style() -> str:
    return base_style() + (HERE / "view.css").read_text(encoding="utf-8")


@cache
def _script() -> str:
    parts = [(HERE / name).read_text(encoding="utf-8") for name in SCRIPTS]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"


def write(path: Path, title: str, index: Mapping[str, Any], chunks: Iterable[bytes]) -> int:
    """Write the page atomically.

    Args:
        index: everything but the texts, JSON-able.
        chunks: the compressed texts.

    Returns:
        The number of bytes.

    Raises:
        OSError: the disk refuses; the error names the file, and an older page is unchanged.
    """
    with replacing(path) as file:
        for part in _parts(title, index, chunks):
            file.write(part)
        return file.tell()


def _parts(title: str, index: Mapping[str, Any], chunks: Iterable[bytes]) -> Iterator[bytes]:
    packed = gzip.compress(json.dumps(index, allow_nan=False, separators=(",", ":")).encode(), 6)
    values = {
        "title": html.escape(title.encode("utf-8", "replace").decode()),
        "policy": "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src {_source(_style())}; script-src {_source(_script())}",
        "style": _style(),
        "script": _script(),
        "index": base64.b64encode(packed).decode(),
    }
    before, after = (HERE / "page.html").read_text(encoding="utf-8").split("{{chunks}}")
    yield _PLACE.sub(lambda match: values[match[1]], before).encode()
    for chunk in chunks:
        yield b'<script type="text/plain" class="chunk">' + base64.b64encode(chunk) + b"</script>\n"
    yield _PLACE.sub(lambda match: values[match[1]], after).encode()


def _source(content: str) -> str:
    """Return the hash of an inline script or style, as a content security policy names it."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
