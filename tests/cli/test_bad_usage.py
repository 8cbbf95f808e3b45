"""Mistakes in the words of a command: one sentence, exit code 2, and no file is touched."""

import shlex
from pathlib import Path

import pytest

from rgenv.cli.entry import answer
from tests.support.exported import problem
from tests.support.viewed import write_lines

pytestmark = pytest.mark.slow

MISTAKES = [
    ("serv", "There is no command 'serv'. Did you mean serve? The commands are serve,"),
    ("serve --testing", "--testing is for programs that call the class themselves"),
    ("serve --seed 1", "There is no option --seed. Did you mean --env.seed?"),
    # tasks
    ("tasks gdc", "No task or category is called 'gdc'. Did you mean gcd"),
    ("tasks --task-modules no_such.py", "task_modules: no_such.py does not exist"),
    ("tasks gcd --level 2", "'2' is not a level: write none or a number in [0, 1]"),
    ("tasks gcd --seed -1", "'-1' is not a whole number from 0"),
    ("tasks gcd --shwo 1", "There is no option --shwo. Did you mean --show? See --help."),
    ("tasks composite --show 1", "composite mixes other tasks"),
    ("tasks gcd lcm --answer 4", "there are 2 tasks: name one"),
    ("tasks gcd --recipe {}", "--recipe is one problem: leave out names"),
    (f"tasks --recipe {'[' * 10**5}", "is not a recipe"),
    ("tasks --answer", "--answer needs a value: write --answer VALUE."),
    # validate
    (
        "validate --rows no.jsonl --dump file no",
        "--rows: no.jsonl is not a file. No rollout dump is at 'no': name a file, a folder or a "
        "pattern. --rows and --dump: write one of them.",
    ),
    ("validate --tasks gcd,composite", "made of other tasks"),
    ("validate --dump empty", "name a file"),
    (
        "validate --seeds 0 --levels 3 --frob --sedes 2 --strict-verifiers x",
        "--seeds: '0' is not a positive whole number. --levels: '3' is not a list of levels: write "
        "none or numbers in [0, 1]. --strict-verifiers: must be true or false, not 'x'. There is "
        "no option --frob. There is no option --sedes. Did you mean --seeds? See --help.",
    ),
    # view
    ("view", "the following arguments are required: FOLDER"),
    ("view empty", "here are no groups, samples or metrics"),
    ("view run.jsonl --output ''", "--output: is empty: name a file or a folder"),
    ("view run.jsonl --output /proc/x.html", "name a folder that you may write to"),
    ("view run.jsonl --output run.jsonl", "run.jsonl: name a file that ends with .html"),
    # export
    ("export empty", "here are no groups. Name a folder that `serve` or `process` wrote"),
    ("export . --output x.csv", "x.csv: name a file that ends with .jsonl or .parquet"),
    ("export . --output best.jsonl", "best.jsonl exists: add --force to replace it, or name"),
    ("export . --force --output run.jsonl", "run.jsonl is a file of the run: name another"),
    (
        "export nowhere gone --tasks x --min-level=1 --max-level=0",
        "--tasks: No task or category is called 'x'. The command `tasks` lists the tasks. "
        "--min-level is above --max-level: exchange them. nowhere does not exist: name the folder "
        "of a run, or a file. gone does not exist: name",
    ),
    ("export . --split train", "--split is for `export --problems N`. See --help."),
    ("export --problems 5 d --pairs", "--pairs is for `export FOLDER`, without --problems. See"),
    ("export . --min-score 2", "'2' is not a number from 0 to 1"),
    ("export . --output /proc/best.jsonl", "/proc takes no files (No such file or directory): "),
    # export --problems
    ("export --problems 5 d --seed x --to a", "--seed: must be a whole number, not 'x'. --to: w"),
    (
        "export --problems 5 --problems 6 file --split test",
        "write `--problems 1000 --problems hardened`. --split names test: write train, held_out or "
        "both. file is a file: name a folder.",
    ),
    ("export --problems 5 d --tasks gcd --held-out 1000000", "1000000 is more than 100000"),
    ("export --problems 5 full --tasks gcd", "or a data set of other settings"),
]
"""A command line, and a part of what is said."""


def fill(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "file").touch()
    (folder / "full" / "data").mkdir(parents=True)
    (folder / "full" / "data" / "train-00000-of-00001.jsonl").write_text("{}\n")
    (folder / "full" / "data" / "draft.tmp").touch()
    write_lines(folder / "run.jsonl", problem("a"))
    write_lines(folder / "best.jsonl", {"messages": []})


def content(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(("words", "said"), MISTAKES, ids=[words[:60] for words, _ in MISTAKES])
def test_a_mistake_is_one_sentence(
    words: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    fill(tmp_path)
    before = content(tmp_path)
    assert answer(shlex.split(words)) == 2
    out, err = capsys.readouterr()
    assert said in err and err.startswith("error: ") and err.count("\n") == 1 and out == ""
    assert content(tmp_path) == before
