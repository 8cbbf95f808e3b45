"""What every page begins and ends with, and the page of a `Folder`.

::

    opening("Evaluation of m") + body + CLOSING
    write(Path("view.html"), title="run", index={...}, chunks=[...])

A page needs no network. Its content security policy allows the script that is in it, by its hash,
and nothing else. Texts of a model are in the page of a folder as base64 of compressed JSON, and the
script shows them as text, never as markup.
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
    *("data.js", "groups.js", "filters.js", "charts.js", "trend.js", "tasks.js", "summary.js"),
    *("answers.js", "table.js", "detail.js", "main.js"),
)
CLOSING = "</body>\n</html>"


def opening(title: str, *, style: str = "", script: str = "") -> str:
    """Return a page up to its body.

    Args:
        style: further rules, after those that all pages have.
        script: the only one that the page may run; empty: none.
    """
    rules = _content("base.css") + style
    # Pages without a script have attributes with styles, which no hash allows.
    styles = _source(rules) if script else "'unsafe-inline'"
    scripts = f"; script-src {_source(script)}" if script else ""
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {styles}{scripts}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{html.escape(title)}</title>
<style>{rules}</style>
</head>
<body>
"""


def _source(content: str) -> str:
    """Return the hash of an inline script or style, as a content security policy names it."""
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _content(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    return '"use strict";\n(() => {\n' + "\n".join(map(_content, SCRIPTS)) + "\n})();\n"


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
    title = f"Rollouts in {title}".encode("utf-8", "replace").decode()
    yield opening(title, style=_content("view.css"), script=_script()).encode()
    yield _content("page.html").replace("{{title}}", html.escape(title)).encode()
    packed = gzip.compress(json.dumps(index, allow_nan=False, separators=(",", ":")).encode(), 6)
    yield b'<script type="text/plain" id="index">' + base64.b64encode(packed) + b"</script>\n"
    for chunk in chunks:
        yield b'<script type="text/plain" class="chunk">' + base64.b64encode(chunk) + b"</script>\n"
    yield f"<script>{_script()}</script>\n{CLOSING}\n".encode()
