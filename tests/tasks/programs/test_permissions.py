"""Programs that only compute may run, and no others."""

import gzip
import json
import re

import pytest
from reasoning_gym.data import get_data_file_path

from rgenv.tasks.programs.permissions import may_run

MAIN = "def main_solution(text):\n    return "


@pytest.mark.parametrize(
    "code",
    [
        "import math\nimport random\nfrom time import time\n" + MAIN + "math.sqrt(float(text))",
        "import sys\n" + MAIN + "min(int(text), sys.maxsize)",
        "from collections import *\n" + MAIN + "Counter(text).most_common()",
        "import numpy as np\n" + MAIN + "np.array([1, 2]).sum().tolist()",
        MAIN + "'{}'.format(text)",
        MAIN + "getattr(text, 'upper')()",
        "def main_solution(input, dir):\n    return input + dir",
        "class A:\n    def __init__(self):\n        self.__class__.__name__\n" + MAIN + "1",
        "import json\n" + MAIN + "json.loads(text)",
    ],
)
def test_programs_that_compute_may_run(code: str) -> None:
    """Unused modules and parameters named like builtins do not matter."""
    assert may_run(code)


FORBIDDEN = (
    "eval(text)|[exec][0](text)|compile(text, '', 'eval')|__import__(text)|open(text).read()"
    "|input()|globals()[text]|getattr(text, text)|getattr(text, '__class__').__subclasses__()"
    "|getattr(text, '__dict__')|setattr(text, text, 1)|text.format(text)|text.__globals__"
    "|__builtins__|type(text, (), {})"
).split("|")
IMPORTS = {
    **{"import os": "os.system(text)", "import subprocess": "1", "import importlib": "1"},
    **{"import pickle": "pickle.loads(text)", "import sympy": "sympy.sympify(text)"},
    **{"import numpy as np": "np.load(text)", "import numpy as n": "n.random.rand()"},
    **{"from numpy import load": "load(text)", "import io": "io.open(text)"},
    **{"import operator": "operator.attrgetter(text)", "import random": "random.random()"},
    **{"import random as r": "r.choice(text)", "from random import choice": "choice(text)"},
    **{"import time": "time.time()", "import sys": "sys.modules[text]", "import sys as s": "[s]"},
    "from . import x": "1",
}


@pytest.mark.parametrize(
    "code",
    [
        *(MAIN + expression for expression in FORBIDDEN),
        *(f"{line}\n{MAIN}{expression}" for line, expression in IMPORTS.items()),
        *("async def main_solution(n):\n    return n", "def main_solution(", "x = " + "(" * 500),
    ],
)
def test_programs_that_do_more_may_not_run(code: str) -> None:
    """Nothing that executes, imports, opens, looks up by name, or draws from outside the input."""
    assert not may_run(code)


def test_most_programs_of_the_library_may_run() -> None:
    """More than four in five may; of those that may, none names what executes text."""
    with gzip.open(get_data_file_path("codeio.jsonl.gz"), "rt", encoding="utf-8") as lines:
        codes = [json.loads(line)["code_sample"] for line in lines][::10]
    allowed = [code for code in codes if may_run(code)]
    assert len(allowed) > 0.8 * len(codes)
    for code in allowed:
        plain = re.sub(r"#.*|\"\"\".*?\"\"\"|'''.*?'''", "", code, flags=re.DOTALL)
        assert not re.search(r"(?<![\w.])(eval|exec|open|__import__)\(", plain)
