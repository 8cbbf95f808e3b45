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


@pytest.mark.parametrize(
    "code",
    [
        MAIN + "eval(text)",
        MAIN + "[exec][0](text)",
        MAIN + "compile(text, '', 'eval')",
        MAIN + "__import__(text)",
        MAIN + "open(text).read()",
        MAIN + "input()",
        MAIN + "globals()[text]",
        MAIN + "getattr(text, text)",
        MAIN + "getattr(text, '__class__').__subclasses__()",
        MAIN + "getattr(text, '__dict__')",
        MAIN + "setattr(text, text, 1)",
        MAIN + "text.format(text)",
        MAIN + "text.__globals__",
        MAIN + "__builtins__",
        MAIN + "type(text, (), {})",
        "import os\n" + MAIN + "os.system(text)",
        "import subprocess\n" + MAIN + "1",
        "import pickle\n" + MAIN + "pickle.loads(text)",
        "import importlib\n" + MAIN + "1",
        "import sympy\n" + MAIN + "sympy.sympify(text)",
        "import numpy as np\n" + MAIN + "np.load(text)",
        "import numpy as np\n" + MAIN + "np.random.rand()",
        "from numpy import load\n" + MAIN + "load(text)",
        "import io\n" + MAIN + "io.open(text)",
        "import operator\n" + MAIN + "operator.attrgetter(text)",
        "import random\n" + MAIN + "random.random()",
        "import random as r\n" + MAIN + "r.choice(text)",
        "from random import choice\n" + MAIN + "choice(text)",
        "import time\n" + MAIN + "time.time()",
        "import sys\n" + MAIN + "sys.modules[text]",
        "import sys\n" + MAIN + "[sys]",
        "from . import x\n" + MAIN + "1",
        "async def main_solution(n):\n    return n",
        "def main_solution(",
        "x = " + "(" * 500,
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
