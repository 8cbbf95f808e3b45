"""rgenv/rollouts.py: groups on disk."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts import RolloutDump, group_row

text = st.text(st.characters(codec=None))
conversations = st.lists(st.tuples(text, st.floats(0, 1)), min_size=1, max_size=6)


def dump_in(folder: Path, batch_size: int = 2) -> RolloutDump:
    return RolloutDump(folder, run_id="run", batch_size=batch_size)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def row(number: int = 0) -> dict:
    return group_row("gcd", [[{"role": "user", "content": "q"}]], [1.0], metadata={"n": number})


@given(pairs=conversations)
def test_each_conversation_stands_beside_its_own_score(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, float]]
) -> None:
    """Whatever the texts, what is read back is what was added, in order, one line a group."""
    dump = dump_in(tmp_path_factory.mktemp("dump"))
    talks = [[{"role": "assistant", "content": content}] for content, _ in pairs]
    dump.add(group_row("gcd", talks, [score for _, score in pairs], metadata={}))
    dump.close()
    [read] = rows(dump.paths[0])
    assert [
        (rollout["conversation"][0]["content"], rollout["score"]) for rollout in read["rollouts"]
    ] == pairs


def test_a_row_is_on_disk_when_add_returns(tmp_path: Path) -> None:
    """No close is needed for a row to be readable."""
    dump = dump_in(tmp_path)
    dump.add(row(7))
    [partial] = tmp_path.iterdir()
    assert rows(partial)[0]["metadata"] == {"schema": 1, "n": 7}
    dump.close()


def test_a_full_batch_gets_its_final_name(tmp_path: Path) -> None:
    """Five rows in batches of two are three numbered files, none of them unfinished."""
    dump = dump_in(tmp_path)
    for number in range(5):
        dump.add(row(number))
    dump.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"reasoning_gym_environment_rollouts_run_{n:04d}.jsonl" for n in range(3)]
    numbers = [r["metadata"]["n"] for path in dump.paths for r in rows(path)]
    assert numbers == [0, 1, 2, 3, 4]


def test_closing_twice_or_empty_makes_no_file(tmp_path: Path) -> None:
    """Close is idempotent, and a run without groups leaves nothing behind."""
    dump = dump_in(tmp_path)
    dump.close()
    assert list(tmp_path.iterdir()) == []
    dump.add(row())
    dump.close()
    dump.close()
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_that_cannot_be_written_costs_the_group_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A refused write is False, counted and named in the log, and the next one may work."""
    blocked = tmp_path / "dumps"
    blocked.write_text("a file where the folder should be")
    dump = dump_in(blocked)
    assert dump.add(row()) is False
    assert dump.unwritten == 1
    assert str(blocked) in caplog.text
    blocked.unlink()
    assert dump.add(row()) is True


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    """NaN would make a line that no JSON reader takes."""
    nan = group_row("gcd", [[]], [float("nan")], metadata={})
    with pytest.raises(ValueError, match="JSON"):
        dump_in(tmp_path).add(nan)
    with pytest.raises(ValueError, match="zip"):
        group_row("gcd", [[], []], [1.0], metadata={})
