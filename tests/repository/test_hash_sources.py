"""scripts/hash_sources.py: the table of sources is that of the installed library."""

import json

from rgenv.task_names import KNOWN_TASKS, RELEASE
from rgenv.worker.coverage import TABLE_PATH
from scripts.hash_sources import table


def test_the_table_is_that_of_the_installed_release() -> None:
    """A change of the library or of the hash needs another run of the script."""
    expected = table()
    assert json.loads(TABLE_PATH.read_text(encoding="utf-8")) == expected, (
        "measure the corrections again, then run `python scripts/hash_sources.py`"
    )
    assert expected["release"] == RELEASE and set(expected["tasks"]) == set(KNOWN_TASKS)
