"""rgenv/worker/imports.py: stubbed packages can be imported and are empty."""

from rgenv.pool.process import worker_environment
from tests.support.programs import run_python

WORKER = """
import atexit, runpy, sys
from rgenv.worker.imports import ONLY_DRAW
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


LATE = """
import importlib, sys
from rgenv.worker import imports, operations
imports.hold()
import sympy.physics.units, pprint
for name in ("pytest", "charset_normalizer", "email.mime.base", "sympy.none"):
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error.name)
"""


def test_a_program_finds_the_same_modules_on_any_machine() -> None:
    found = run_python("-c", LATE, env=worker_environment()).stdout.split()
    assert found == ["pytest", "charset_normalizer", "email.mime", "sympy.none"]
