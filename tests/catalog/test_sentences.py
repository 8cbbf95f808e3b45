"""What the list of tasks says of each task: rgenv/catalog/entries.py and rgenv/measured.json."""

from rgenv.catalog.entries import KINDS
from rgenv.measured import TASKS


def test_every_task_is_described() -> None:
    """Each task has one sentence of its own, and a kind of answers."""
    for task, one in TASKS.items():
        assert one.asks[0].isupper() and one.asks.endswith((".", ").")), task
        assert "\n" not in one.asks and len(one.asks) <= 64, task
    assert len({one.asks for one in TASKS.values()}) == len(TASKS)
    assert {one.answer for one in TASKS.values()} == KINDS.keys()
