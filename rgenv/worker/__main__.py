"""Run a worker process: ``python -m rgenv.worker SETTINGS``."""

from __future__ import annotations

import contextlib
import gc

from rgenv.worker.imports import ONLY_DRAW, stub_packages
from rgenv.worker.sandbox.sandbox import set_parent_death_signal

with contextlib.suppress(OSError):  # first, as the imports below take seconds
    set_parent_death_signal()
gc.disable()  # collections would take a fifth of the time that the imports take
stub_packages(*ONLY_DRAW)  # must precede the import of reasoning_gym

from rgenv.worker.operations import main  # noqa: E402

if __name__ == "__main__":
    main()
