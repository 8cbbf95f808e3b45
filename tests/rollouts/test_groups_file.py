"""rgenv/rollouts/groups_file.py: the file of `process`."""

from pathlib import Path

from rgenv.rollouts.group import scored_data
from rgenv.rollouts.groups_file import GroupsFile
from tests.support.rollouts import group, problem


def test_the_summary_has_number_place_means_and_seconds(tmp_path: Path) -> None:
    """Groups that were expected and not written don't count."""
    path = tmp_path / "groups.jsonl"
    groups = GroupsFile(path)
    assert groups.summary() == "no group"
    for made in (group(problem(), [1.0, 0.5]), group(problem(2), [0.0, 0.0])):
        groups.expect(made)
        groups.write(dict(scored_data(made)))
    groups.expect(group(problem(3), [1.0, 1.0]))
    assert groups.summary() == f"2 groups in {path}: mean reward 0.375, accuracy 0.250, 0 s"
    groups.close()


def test_a_run_without_a_group_leaves_nothing(tmp_path: Path) -> None:
    """The repaired command writes where it was told to; what another has put there stays."""
    wanted = tmp_path / "new" / "data" / "groups.jsonl"
    for others in ([], ["other"]):
        groups = GroupsFile(wanted)
        for name in others:
            (wanted.parent / name).write_text("x")
        groups.close()
        groups.close()
        assert [path.name for path in wanted.parent.iterdir()] == others
