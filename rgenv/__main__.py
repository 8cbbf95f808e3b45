"""Run a command: ``python -m rgenv evaluate ...`` is ``rgenv evaluate ...``."""

import sys

from rgenv.cli.entry import main

if __name__ == "__main__":
    sys.argv[0] = "rgenv"  # what help and messages call the program
    main()
