"""Write the lock files: the versions of constraints.txt with the hashes of their files.

    python scripts/lock.py      # asks the package index that pip uses; takes minutes

- requirements-lock.txt: what requirements.txt needs, for running the environment.
- requirements-dev-lock.txt: these and what requirements-dev.txt needs, for `make` and CI.

A lock file has each file that a CPython of `PYTHONS` installs on one of `PLATFORMS`. torch is not
in it, because which of its builds is right depends on the machine.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "constraints.txt"
NOT_LOCKED = {"torch"}
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {
    "linux, x86_64": ["manylinux_2_28_x86_64", "manylinux2014_x86_64", "linux_x86_64"],
    "linux, aarch64": ["manylinux_2_28_aarch64", "manylinux2014_aarch64", "linux_aarch64"],
    "darwin, arm64": ["macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_10_12_universal2"],
}
"""sys_platform and platform_machine -> the tags of wheels."""

LOCKS = {
    "requirements-lock.txt": ["requirements.txt"],
    "requirements-dev-lock.txt": ["requirements-dev.txt"],
}
"""Lock file -> what is installed from it. A file names the earlier ones, and has only the rest."""

HEAD = "# Written by scripts/lock.py: the versions of constraints.txt, with hashes.\n"

Report = list[dict[str, Any]]
"""What pip would install: a mapping for each package, as `pip install --report` has it."""


def main() -> int:
    """Ask the index, and write the lock files."""
    pins = read_pins(PINS.read_text(encoding="utf-8"))
    reports = {
        (python, platform): ask(pins, python, platform)
        for platform in PLATFORMS
        for python in PYTHONS
    }
    for name, content in locks(pins, reports).items():
        (ROOT / name).write_text(content, encoding="utf-8")
    return 0


def read_pins(text: str) -> dict[str, Requirement]:
    """Return the requirements of a file with one on each line, by their canonical names."""
    lines = [line.partition(" #")[0].strip() for line in text.splitlines()]
    found = [Requirement(line) for line in lines if line and line[0] not in "#-"]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def ask(pins: Mapping[str, Requirement], python: str, platform: str) -> Report:
    """Ask pip which file of each pinned version it would install, without installing any.

    Raises:
        CalledProcessError: a version has no file for this Python and platform; pip says which.
    """
    print(f"Python {python} on {platform}", flush=True)
    environment = environment_of(python, platform)
    own = read_pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    wanted = [
        str(pin)
        for name, pin in pins.items()
        if name not in NOT_LOCKED and applies(own.get(name, pin), environment)
    ]
    tags = [word for tag in PLATFORMS[platform] for word in ("--platform", tag)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        only = ["--dry-run", "--ignore-installed", "--no-deps", "--target", folder, *tags]
        how = [*only, "--python-version", python, "--implementation", "cp"]
        subprocess.run([*pip, *how, "--report", report, *wanted], check=True)
        installed: Report = json.loads(report.read_text(encoding="utf-8"))["install"]
    return installed


def environment_of(python: str, platform: str) -> dict[str, str]:
    """Return the values of environment markers."""
    system, machine = platform.split(", ")
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": system,
        "platform_system": system.capitalize(),
        "platform_machine": machine,
        "os_name": "posix",
        "extra": "",
    }


def applies(requirement: Requirement, environment: Mapping[str, str], extra: str = "") -> bool:
    """Return whether a requirement holds in an environment."""
    marker = requirement.marker
    return marker is None or marker.evaluate({**environment, "extra": extra})


def locks(
    pins: Mapping[str, Requirement], reports: Mapping[tuple[str, str], Report]
) -> dict[str, str]:
    """Return the content of each lock file.

    Raises:
        SystemExit: a package needs one that has no version in constraints.txt.
    """
    hashes: dict[str, set[str]] = {}
    for report in reports.values():
        for package in report:
            name = canonicalize_name(package["metadata"]["name"])
            hashes.setdefault(name, set()).add(package["download_info"]["archive_info"]["hash"])
    written: dict[str, str] = {}
    known: set[str] = set()
    for lock, sources in LOCKS.items():
        roots = [
            requirement
            for source in sources
            for requirement in read_pins((ROOT / source).read_text(encoding="utf-8")).values()
        ]
        needed: set[str] = set()
        for (python, platform), report in reports.items():
            needed |= closure(roots, report, environment_of(python, platform))
        if missing := needed - hashes.keys():
            sys.exit(f"constraints.txt has no version of {', '.join(sorted(missing))}: add it.")
        own = read_pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
        head = HEAD + "".join(f"-r {earlier}\n" for earlier in written)
        lines = [entry(pins[name], own.get(name), hashes[name]) for name in sorted(needed - known)]
        written[lock] = head + "".join(lines)
        known |= needed
    return written


def closure(
    roots: Iterable[Requirement], report: Report, environment: Mapping[str, str]
) -> set[str]:
    """Return the names of all packages that the roots need, except those that are not locked."""
    needs = {
        canonicalize_name(package["metadata"]["name"]): [
            Requirement(line) for line in package["metadata"].get("requires_dist", [])
        ]
        for package in report
    }
    found: set[tuple[str, str]] = set()
    waiting = [(root, "") for root in roots]
    while waiting:
        requirement, parent_extra = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in NOT_LOCKED or not applies(requirement, environment, parent_extra):
            continue
        for extra in ("", *requirement.extras):
            if (name, extra) not in found:
                found.add((name, extra))
                waiting += [(need, extra) for need in needs.get(name, [])]
    return {name for name, _ in found}


def entry(pin: Requirement, own: Requirement | None, hashes: Iterable[str]) -> str:
    """Return the lines of one package; it has the marker with which requirements.txt names it."""
    marker = f" ; {own.marker}" if own is not None and own.marker is not None else ""
    values = [re.sub("=", ":", value, count=1) for value in sorted(hashes)]
    return f"{pin}{marker}" + "".join(f" \\\n    --hash={value}" for value in values) + "\n"


if __name__ == "__main__":
    sys.exit(main())
