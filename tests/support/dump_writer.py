"""A program that saves groups as fast as it can and says which; made to be killed.

    python tests/dump_writer.py FOLDER FIRST

Numbers its groups from FIRST and writes each number to stdout once its group is safe.
"""

import os
import sys
from pathlib import Path

from rgenv.rollouts.dump import FILES, RolloutDump, group_row
from rgenv.storage.journal import Journal, finish_torn


def main(folder: Path, number: int) -> None:
    finish_torn(folder, FILES)
    dump = RolloutDump(folder, Journal, run_id="run", batch_size=7)
    while True:
        talk = [{"role": "assistant", "content": "x" * (number % 50_000)}]
        if dump.add(group_row("gcd", [talk], [1.0], metadata={"n": number})):
            os.write(1, b"%d\n" % number)
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
