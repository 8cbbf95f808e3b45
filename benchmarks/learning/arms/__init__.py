"""The arms, by name.

base.py           what an arm is; uniform at the default levels
uniform.py        uniform at random levels, and with the environment's curriculum
refill.py         DAPO: oversample and refill
mopps.py          MoPPS
sec.py            SEC
pac.py            PAC
rlve.py           RLVE's window of levels
oracle.py         an oracle that knows success rates
taught.py         a control that knows which tasks can be taught
ours.py           the environment's rule, and without each of its parts
signal_before.py  the environment's rule as it was
"""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.learning.arms import ours
from benchmarks.learning.arms.base import Arm
from benchmarks.learning.arms.mopps import Mopps
from benchmarks.learning.arms.oracle import Oracle
from benchmarks.learning.arms.pac import Pac
from benchmarks.learning.arms.refill import Refill, RefillCurriculum
from benchmarks.learning.arms.rlve import Rlve
from benchmarks.learning.arms.sec import Sec
from benchmarks.learning.arms.signal_before import SignalBefore
from benchmarks.learning.arms.taught import TaughtAlone
from benchmarks.learning.arms.uniform import Curriculum, DefaultCurriculum, Random
from benchmarks.learning.results import fingerprint

ARMS: dict[str, type[Arm]] = {
    "uniform": Arm,
    "uniform_random": Random,
    "uniform_curriculum": Curriculum,
    "uniform_curriculum_70": DefaultCurriculum,
    "refill": Refill,
    "refill_curriculum": RefillCurriculum,
    "mopps": Mopps,
    "sec": Sec,
    "pac": Pac,
    "rlve": Rlve,
    "oracle": Oracle,
    "taught_alone": TaughtAlone,
    "signal_before": SignalBefore,
    "ours": ours.Ours,
    "ours_without_luck": ours.WithoutLuck,
    "ours_without_cost": ours.WithoutCost,
    "ours_chance_alone": ours.ChanceAlone,
    "ours_70": ours.DefaultTarget,
}
CURRICULUM = (
    "uniform_curriculum",
    "uniform_curriculum_70",
    "refill_curriculum",
    "oracle",
    "taught_alone",
    "signal_before",
)
"""Arms that use the environment's curriculum, or its table of blind shares."""

SAMPLER = tuple(name for name in ARMS if name.startswith("ours"))
"""Arms that use the environment's sampler."""


def stamp_of(name: str) -> str:
    """Return the fingerprint of an arm."""
    return fingerprint(
        Path(str(sys.modules[ARMS[name].__module__].__file__)).name,
        curriculum=name in CURRICULUM + SAMPLER,
        sampler=name in SAMPLER,
    )
