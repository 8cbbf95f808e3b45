"""Run a command: ``python -m rgenv evaluate ...`` is ``rgenv evaluate ...``."""

from rgenv.cli.entry import main

if __name__ == "__main__":
    main()
