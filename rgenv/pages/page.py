"""Write the one page: the template with its style and its script, and the data of a folder.

A page needs no network. Its content security policy allows its own script and style, by their
hashes, and nothing else. Texts of a model are in it as base64 of compressed JSON, and the script
shows them as text, never as markup.
"""

import base64
import gzip
import hashlib
import html
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rgenv.runtime.files import replacing

HERE = Path(__file__).parent
SCRIPTS = (
    *("data.js", "groups.js", "filters.js", "charts.js", "trend.js", "summary.js"),
    *("answers.js", "evaluation.js", "sides.js", "table.js", "detail.js", "main.js"),
)


def write(path: Path, title: str, index: Mapping[str, Any], chunks: Iterable[bytes]) -> int:
    """Write the page of a folder atomically, and return the number of its bytes.

    Args:
        index: everything but the texts, JSON-able.
        chunks: the compressed texts.

    Raises:
        OSError: the disk refuses; the error names the file, and an older page is unchanged.
    """
    with replacing(path) as file:
        for part in _parts(title, index, chunks):
            file.write(part)
        return file.tell()


def _parts(title: str, index: Mapping[str, Any], chunks: Iterable[bytes]) -> Iterator[bytes]:
    style, script = _content("page.css"), _script()
    head, end = _content("page.html").split("{{data}}")
    head = head.replace("{{style}}", style)
    head = head.replace("{{sources}}", f"style-src {_hash(style)}; script-src {_hash(script)}")
    head = head.replace("{{title}}", html.escape(title.encode("utf-8", "replace").decode()))
    yield head.encode()
    packed = gzip.compress(json.dumps(index, allow_nan=False, separators=(",", ":")).encode(), 6)
    yield b'<script type="text/plain" id="index">' + base64.b64encode(packed) + b"</script>\n"
    for chunk in chunks:
        yield b'<script type="text/plain" class="chunk">' + base64.b64encode(chunk) + b"</script>\n"
    yield end.replace("{{script}}", script).encode()


def _hash(content: str) -> str:
    """Return the hash of an inline script or style, as a content security policy names it."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _content(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    return '"use strict";\n(() => {\n' + "\n".join(map(_content, SCRIPTS)) + "\n})();\n"
