"""rgenv/catalog/listing.py: the list of tasks, and the facts about one."""

from rgenv.catalog.entries import Library, entries
from rgenv.catalog.listing import REWARDS, card, list_text
from rgenv.measured import TASKS
from rgenv.task_names import KNOWN_TASKS

ALL = entries(Library("0.1.25", KNOWN_TASKS), TASKS, KNOWN_TASKS)


def test_what_differs_from_most_tasks_is_a_remark() -> None:
    """Tasks without levels and those with known faults say so; a healthy task says nothing."""
    text = list_text(ALL, None)
    [acre] = [line for line in text.splitlines() if line.startswith("acre ")]
    assert acre.endswith("[no levels]")
    [known] = [line for line in text.splitlines() if line.startswith("string_splitting ")]
    assert known.endswith("[known: shortcut]")


def test_a_card_has_all_that_is_known() -> None:
    """It has a row for each level, and the reason of each fault."""
    found = {one.task: one for one in ALL}
    text = card(found["string_splitting"], 80)
    assert "  shortcut" in text and "two parities" in " ".join(text.split())
    rows = [line.split()[0] for line in text.splitlines() if line.startswith(("d", "0", "1"))]
    assert rows == ["default", "0", "0.25", "0.5", "0.75", "1"]
    assert max(map(len, text.splitlines())) <= 80
    assert "Nothing can make it harder" in card(found["acre"], 80)
    assert {one.measured.reward for one in ALL if one.measured} <= REWARDS.keys()
