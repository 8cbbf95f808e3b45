"""Check a release: the wheel has the version of its tag, and the changelog has an entry for it.

python scripts/check_release.py v0.1.0 dist
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main(words: list[str]) -> int:
    """Return the exit code: 0 fit for release, 1 not, 2 for a bad command line."""
    if len(words) != 2:
        print("usage: check_release.py TAG FOLDER", file=sys.stderr)
        return 2
    tag, folder = words
    version = tag.removeprefix("v")
    wheels = [path.name for path in Path(folder).glob("*.whl")]
    faults = []
    if wheels != [f"rgenv-{version}-py3-none-any.whl"]:
        faults.append(f"{folder} has {', '.join(wheels) or 'no wheel'}, but the tag is {tag}")
    if f"\n## {version}\n" not in (ROOT / "CHANGELOG.md").read_text():
        faults.append(f"CHANGELOG.md has no entry with the title {version}")
    for fault in faults:
        print(f"error: {fault}.", file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
