"""rgenv/worker/stub_imports.py: stubbed packages can be imported and are empty."""

from rgenv.pool.process import worker_environment
from tests.support.programs import run_python

WORKER = """
import atexit, runpy, sys
from rgenv.worker.stub_imports import ONLY_DRAW
def report():
    stubbed = [name for name in ONLY_DRAW if name in sys.modules]
    loaded = [name for name in stubbed if hasattr(sys.modules[name], "__file__")]
    print("loaded:", loaded, "of", len(stubbed), file=sys.stderr)
atexit.register(report)
sys.argv = ["rgenv.worker", "{}"]
runpy.run_module("rgenv.worker", run_name="__main__")
"""


def test_a_worker_loads_no_package_that_only_draws() -> None:
    done = run_python("-c", WORKER, env=worker_environment())
    assert done.stderr.splitlines()[-1] == "loaded: [] of 4"
