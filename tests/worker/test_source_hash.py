"""rgenv/worker/source_hash.py: the hash of a task covers what its behaviour depends on, no more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rgenv.worker.source_hash import Source, package_digest

FILES = {
    "__init__.py": "from . import tasks\n",
    "dataset.py": """
class ProceduralDataset:
    def __init__(self, config):
        self.config = config

    def score_answer(self, answer, entry):
        return self.compare(answer, entry["answer"])

    def compare(self, answer, right):
        return float(answer == right)

    def unused(self):
        return 1
""",
    "factory.py": "from .dataset import ProceduralDataset\n\ndef register_dataset(*args): pass\n",
    "utils.py": """
LIMIT = 3

def clean(text):
    return text[:LIMIT]

def other():
    return 1
""",
    "shapes.py": "def square(n):\n    return n * n\n",
    "tables.py": "SIZES = [1, 2]\n",
    "late.py": "def shout(text):\n    return text.upper()\n",
    "data/__init__.py": "def read_data_file(name):\n    return name\n",
    "data/words.txt": "one two",
    "data/others.txt": "three",
    "tasks/__init__.py": "from .words import WordsDataset\n",
    "tasks/words.py": '''
"""Words."""
from random import Random

from .. import tables
from ..data import read_data_file
from ..factory import ProceduralDataset, register_dataset
from ..shapes import *
from toy.utils import clean as tidy

try:
    from .. import fast as speed
except ImportError:
    speed = None

NAME = "words"
FILE = "words.txt"


class WordsDataset(ProceduralDataset):
    """Asks for words."""

    def __getitem__(self, idx):
        """Return an entry."""
        from ..late import shout

        text = tidy(read_data_file(FILE))  # short
        return {"question": shout(text), "answer": square(len(tables.SIZES))}


def unused():
    return 1


register_dataset(NAME, WordsDataset)
''',
}
ROOTS = [("tasks.words", "WordsDataset")]

Edit = Callable[[str, str, str], str]


@pytest.fixture
def edited(tmp_path: Path) -> Edit:
    """Return a function that writes the library with one edit and returns the task's hash."""
    number = iter(range(100))

    def edit(name: str = "dataset.py", old: str = "", new: str = "") -> str:
        folder = tmp_path / str(next(number)) / "toy"
        for path, text in {**FILES, "fast.py": "SPEED = 1\n"}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        assert old in (folder / name).read_text()
        (folder / name).write_text((folder / name).read_text().replace(old, new, 1))
        return Source(folder).hash_of(ROOTS)

    return edit


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks/words.py", "text = tidy(", "text = (tidy)("),
        ("tasks/words.py", "# short", "# not long"),
        ("tasks/words.py", '"""Return an entry."""', '"""Return another entry."""'),
        ("tasks/words.py", '"""Words."""', ""),
        ("tasks/words.py", "def unused():\n    return 1", ""),
        ("tasks/words.py", "register_dataset(NAME,", "register_dataset('other name',"),
        ("tasks/__init__.py", "from .words", "X = 1\nfrom .words"),
        ("utils.py", "def other():\n    return 1", "def other():\n    return 2"),
        ("dataset.py", "return 1", "return 2"),
        ("dataset.py", "    def unused", "    def another(self): pass\n\n    def unused"),
        ("data/others.txt", "three", "four"),
        ("__init__.py", "from . import tasks", "from . import tasks, utils"),
    ],
)
def test_what_does_not_matter_is_no_part(edited: Edit, name: str, old: str, new: str) -> None:
    """Comments, docstrings, layout, unused definitions and other tasks' data leave it the same."""
    assert edited(name, old, new) == edited("dataset.py", "", "")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks/words.py", 'FILE = "words.txt"', 'FILE = "others.txt"'),
        ("tasks/words.py", "len(tables.SIZES)", "1 + len(tables.SIZES)"),
        ("tasks/words.py", "NAME =", "Random.seed = 1\nNAME ="),
        (
            "tasks/words.py",
            "    def __getitem__",
            "    def unknown(self): pass\n\n    def __getitem__",
        ),
        ("dataset.py", "return float(answer == right)", "return 1.0"),
        ("dataset.py", 'self.compare(answer, entry["answer"])', "self.unused()"),
        ("dataset.py", "    def unused", "    def __len__(self): return 1\n\n    def unused"),
        ("dataset.py", "class ProceduralDataset:", "class ProceduralDataset(dict):"),
        ("utils.py", "LIMIT = 3", "LIMIT = 4"),
        ("utils.py", "return text[:LIMIT]", "return text"),
        ("shapes.py", "n * n", "n + n"),
        ("tables.py", "[1, 2]", "[1, 2, 3]"),
        ("late.py", "upper", "lower"),
        ("data/words.txt", "one", "ten"),
        ("data/__init__.py", "return name", "return name * 2"),
        ("factory.py", "from .dataset import ProceduralDataset", "class ProceduralDataset: pass"),
    ],
)
def test_what_behaviour_depends_on_is_a_part(edited: Edit, name: str, old: str, new: str) -> None:
    """Definitions that are used, wherever they are, and data files that are named change it."""
    assert edited(name, old, new) != edited("dataset.py", "", "")


def test_any_change_of_a_file_changes_the_digest_of_the_package(tmp_path: Path) -> None:
    """Content, name and number of files count; compiled modules do not."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").write_text("1")
    (tmp_path / "a" / "__pycache__").mkdir()
    before = package_digest(tmp_path)
    (tmp_path / "a" / "__pycache__" / "b.pyc").write_text("2")
    assert package_digest(tmp_path) == before
    (tmp_path / "a" / "b.py").rename(tmp_path / "a" / "c.py")
    renamed = package_digest(tmp_path)
    (tmp_path / "a" / "c.py").write_text("2")
    assert len({before, renamed, package_digest(tmp_path)}) == 3
