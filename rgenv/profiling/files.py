"""The files of a profile.

::

    write(folder, profile, settings, servers, limit=8192)
    # profile.json, profile.html, and profile.yaml for `serve --config`

profile.yaml is missing if no task is worth training.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.profiling.config_text import config_text
from rgenv.profiling.profile import Profile
from rgenv.storage.atomic import write_atomic

CONFIG, DATA = "profile.yaml", "profile.json"


def write(
    folder: Path,
    profile: Profile,
    settings: Mapping[str, Any],
    servers: list[Mapping[str, Any]],
    *,
    limit: int,
) -> Path | None:
    """Write the files into an existing folder.

    Args:
        settings, servers, limit: see `config_text`.

    Returns:
        The path of the configuration file; None if there is none.

    Raises:
        OSError: the disk refuses; the error names a file.
    """
    from rgenv.profiling import html_report  # imported late: it needs the extra `report`

    date = time.strftime("%Y-%m-%d %H:%M")
    content = {"date": date, **profile.as_json()}
    write_atomic(folder / DATA, json.dumps(content, indent=1).encode())
    text = config_text(profile, settings, servers, limit=limit, date=date)
    path = folder / CONFIG
    if text is None:
        path.unlink(missing_ok=True)  # of another run of this command
    else:
        write_atomic(path, text.encode())
    html_report.write(folder, profile, date=date, config=text)
    return None if text is None else path
