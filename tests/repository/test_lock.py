"""The lock files: the tested versions, with the hashes of all that is installed."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import lock

PINS = lock.read_pins(lock.PINS.read_text())


def locked(name: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return the requirement and the hashes of each package in a lock file and those it names."""
    found: dict[str, tuple[Requirement, list[str]]] = {}
    text = (ROOT / name).read_text()
    for earlier in re.findall(r"^-r (.*)$", text, re.MULTILINE):
        found |= locked(earlier)
    lines = text.replace(" \\\n", " ").splitlines()
    for entry in (line for line in lines if re.match(r"\w", line)):
        line, *hashes = re.split(r"\s+--hash=", entry)
        requirement = Requirement(line)
        found[canonicalize_name(requirement.name)] = requirement, hashes
    return found


@pytest.mark.parametrize("name", lock.LOCKS)
def test_versions_are_those_that_were_tested(name: str) -> None:
    """Each line has the version of constraints.txt, and at least one SHA-256."""
    packages = locked(name)
    assert len(packages) > 100
    for package, (requirement, hashes) in packages.items():
        assert requirement.specifier == PINS[package].specifier, package
        assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", value) for value in hashes)


def test_everything_tested_is_locked_but_torch() -> None:
    """Besides torch, only what torch alone needs has no hash."""
    torch_alone = {"networkx"}
    assert PINS.keys() - locked("requirements-dev-lock.txt").keys() <= lock.NOT_LOCKED | torch_alone


@pytest.mark.parametrize("python", lock.PYTHONS)
@pytest.mark.parametrize("name", lock.LOCKS)
def test_nothing_is_missing(name: str, python: str) -> None:
    """What a locked package requires on a Python that is declared is locked, too."""
    packages = locked(name)
    report: lock.Report = [
        {"metadata": {"name": package, "requires_dist": importlib.metadata.requires(package) or []}}
        for package in packages
    ]
    roots = lock.read_pins((ROOT / lock.LOCKS[name][0]).read_text())
    if name == "requirements-dev-lock.txt":
        roots |= lock.read_pins((ROOT / "requirements.txt").read_text())
    needed = lock.closure(roots.values(), report, lock.environment_of(python, "linux, x86_64"))
    assert needed <= packages.keys()


def test_make_installs_by_hash() -> None:
    """`make` and the image install the lock files and let pip check every hash."""
    for path, name in (
        ("Makefile", "requirements-dev-lock"),
        ("deploy/Dockerfile", "requirements-lock"),
    ):
        assert f"--require-hashes -r {name}.txt" in Path(ROOT, path).read_text()
