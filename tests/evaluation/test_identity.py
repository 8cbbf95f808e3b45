import shutil
from pathlib import Path

from rgenv.evaluation.identity import PACKAGE, digest_of, scoring_version


def test_the_version_changes_with_the_code_that_scores(tmp_path: Path) -> None:
    copy = tmp_path / "rgenv"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    assert digest_of(copy) == scoring_version()
    (copy / "rollouts" / "metrics.py").write_text("# changed\n")
    assert digest_of(copy) == scoring_version()
    seen = {scoring_version()}
    for file in ("worker/problem_maker.py", "tasks/answers/numbers.py", "dialogue/reading.py"):
        (copy / file).write_text("# changed\n")
        seen.add(digest_of(copy))
    assert len(seen) == 4
