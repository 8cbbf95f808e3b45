"""rgenv/runtime/host.py: the collector leaves alone what was there, and still finds what was not."""

import subprocess
import sys

SCRIPT = """
import gc, weakref
from rgenv.runtime.host import tune_garbage_collector

class Node:
    pass

def cycle():
    node = Node()
    node.itself = node
    return weakref.ref(node)

gc.disable()
before = cycle()
tune_garbage_collector()
after = cycle()
gc.enable()
gc.collect()
known = before() is not None
found_by_hand = after() is None
later = cycle()
kept = [[] for _ in range(500_000)]
print(known, found_by_hand, later() is None)
"""


def test_only_what_came_later_is_looked_through() -> None:
    """Objects from before are out of reach; cycles made later are found, by hand and in time."""
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    assert child.stdout.split() == ["True", "True", "True"]
