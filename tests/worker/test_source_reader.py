"""rgenv/worker/source_reader.py: what a module defines and imports."""

from pathlib import Path

import pytest

from rgenv.worker.source_reader import Module, read_module

SOURCE = '''
"""A module."""
import math
import toy.letters
import toy.letters as other
from . import near
from .near import one as first, two
from ..far import *
from toy.words import three

A = B = 1
A += 2
print(A)

if A:
    from .maybe import four
    C = 1

def work(text):
    """Work."""
    from .late import five
    return five(text).strip("words.txt")
'''


@pytest.fixture
def module(tmp_path: Path) -> Module:
    """The module toy.tasks.here."""
    (tmp_path / "here.py").write_text(SOURCE)
    return read_module("toy", "tasks.here", tmp_path / "here.py")


def test_names_are_bound_by_statements_and_imports(module: Module) -> None:
    """Imports of other packages are left out; relative ones are resolved."""
    assert {name: len(bound) for name, bound in module.definitions.items()} == {
        "A": 2,
        "B": 1,
        "C": 1,
        "work": 1,
    }
    assert module.imports == {
        "toy": ("", None),
        "other": ("letters", None),
        "near": ("tasks", "near"),
        "first": ("tasks.near", "one"),
        "two": ("tasks.near", "two"),
        "three": ("words", "three"),
        "four": ("tasks.maybe", "four"),
    }
    assert module.stars == ["far"] and len(module.always) == 1


def test_a_definition_has_what_it_names(module: Module) -> None:
    """Identifiers, short texts and the imports within it."""
    [work] = module.definitions["work"]
    assert work.names == {"five", "text", "strip"} and work.texts == {"words.txt"}
    assert work.imports == (("tasks.late", "five"),) and work.module == "tasks.here"


def test_a_package_is_its_own_parent(tmp_path: Path) -> None:
    """A dot in ``__init__.py`` stands for the package."""
    (tmp_path / "__init__.py").write_text("from .near import one\nfrom ..far import two\n")
    module = read_module("toy", "tasks", tmp_path / "__init__.py")
    assert module.imports == {"one": ("tasks.near", "one"), "two": ("far", "two")}


def test_only_shared_classes_are_taken_apart(tmp_path: Path) -> None:
    """A method of a shared class is no part of the class itself."""
    text = "class Base:\n    size = 1\n\n    def grow(self):\n        return more\n"
    for name, methods in (("dataset", ["grow"]), ("coaching.base", ["grow"]), ("other", [])):
        (tmp_path / "file.py").write_text(text)
        [base] = read_module("toy", name, tmp_path / "file.py").definitions["Base"]
        assert [method for method, _ in base.methods] == methods
        assert ("more" in base.names) is not bool(methods)
