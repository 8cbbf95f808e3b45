"""rgenv/worker/stub_imports.py: stubbed packages can be imported and are empty."""

from rgenv.pool.process import worker_environment
from tests.support.programs import run_python

WORKER = """
import atexit, runpy, sys
def report():
    print("loaded:", hasattr(sys.modules["matplotlib"], "__file__"), file=sys.stderr)
atexit.register(report)
sys.argv = ["rgenv.worker", "{}"]
runpy.run_module("rgenv.worker", run_name="__main__")
"""


def test_a_worker_does_not_load_matplotlib() -> None:
    done = run_python("-c", WORKER, env=worker_environment())
    assert done.stderr.splitlines()[-1] == "loaded: False"
