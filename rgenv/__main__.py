"""Run a command: ``python -m rgenv evaluate ...`` is ``rgenv evaluate ...``."""

from rgenv.cli.entry import main

main()
