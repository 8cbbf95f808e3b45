"""Run a command: ``python -m rgenv evaluate ...`` is ``rgenv evaluate ...``."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # pip knows, but a clone may run without it
    sys.exit("error: Python 3.11 to 3.13 is needed; this is " + sys.version.split()[0] + ".")

from rgenv.cli.entry import main

if __name__ == "__main__":
    sys.argv[0] = "rgenv"  # what help and messages call the program
    main()
