"""The garbage collector, told what a long-lived process looks like.

    spare_the_loop()    # once, when everything is imported and before work begins

A full collection goes through the million objects that imports left, and stops the event loop for
0.2 s; the young generations hold the token lists of the groups under way, milliseconds each time.
Nearly all that is made here is freed by its count, so looking for the rest can wait. For a process
of one's own: whoever imports the environment keeps the collector they have.
"""

from __future__ import annotations

import gc

THRESHOLDS = (20_000, 20, 10)
"""New containers before the young are looked through, and how often that before the next older."""


def spare_the_loop() -> None:
    """Never look again through what there is now, and seldom through what comes."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
