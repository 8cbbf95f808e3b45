"""The lock files: the tested versions, with the hashes of all that is installed."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.paths import ROOT


def read(name: str) -> dict[str, tuple[Requirement, list[str]]]:
    """Return the requirement and the hashes of each package in a file."""
    found = {}
    for entry in (ROOT / name).read_text().replace(" \\\n", " ").splitlines():
        if re.match(r"\w", entry):
            line, *hashes = re.split(r"\s+--hash=", entry.partition("  # ")[0])
            requirement = Requirement(line)
            found[canonicalize_name(requirement.name)] = requirement, hashes
    return found


PINS = read("constraints.txt")


@pytest.mark.parametrize("name", ["requirements-lock.txt", "requirements-dev-lock.txt"])
def test_versions_are_those_that_were_tested(name: str) -> None:
    packages = read(name)
    assert len(packages) > 100
    for package, (requirement, hashes) in packages.items():
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier == PINS[package][0].specifier, package
        assert hashes and all(re.fullmatch("sha256:[0-9a-f]{64}", value) for value in hashes)


def test_make_installs_by_hash() -> None:
    for path, name in (
        ("Makefile", "requirements-lock"),
        ("Makefile", "requirements-dev-lock"),
        ("deploy/Dockerfile", "requirements-lock"),
    ):
        assert f"--require-hashes -r {name}.txt" in Path(ROOT, path).read_text()
