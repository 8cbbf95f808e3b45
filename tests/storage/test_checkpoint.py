"""rgenv/storage/checkpoint.py: saving, finding and reading checkpoints."""

from pathlib import Path

from rgenv.storage import checkpoint


def test_the_newest_checkpoint_up_to_a_step_is_found(tmp_path: Path) -> None:
    for name in ("step-2.json", "step-10.json", "step-30.json", "step-x.json", "step-9.tmp"):
        (tmp_path / name).touch()
    assert checkpoint.newest(tmp_path, at_most=29) == tmp_path / "step-10.json"
    assert checkpoint.newest(tmp_path, at_most=30) == tmp_path / "step-30.json"
    assert checkpoint.newest(tmp_path, at_most=1) is None
    assert checkpoint.newest(tmp_path / "nowhere", at_most=9) is None
