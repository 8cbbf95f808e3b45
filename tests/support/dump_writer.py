"""A program that saves groups as fast as it can, for tests that kill it.

    python tests/support/dump_writer.py FOLDER FIRST

Numbers its groups from FIRST and writes each number to stdout once its group is saved.
"""

import os
import sys
from pathlib import Path

from rgenv.rollouts.dump import FILES, RolloutDump, group_row
from rgenv.storage.json_lines import cut_torn_lines


def main(folder: Path, number: int) -> None:
    cut_torn_lines(folder, FILES)
    dump = RolloutDump(folder, run_id="run", batch_size=7)
    while True:
        conversation = [{"role": "assistant", "content": "x" * (number % 50_000)}]
        if dump.add(group_row("gcd", [conversation], [1.0], metadata={"n": number})):
            os.write(1, b"%d\n" % number)
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
