"""A user's own task, from its module to its score; and what its author is told."""

import json
from pathlib import Path

import pytest

from rgenv import ReasoningGym
from rgenv.errors import BadUsage
from rgenv.types import Verdict
from tests.support.own_tasks import WHOLE, write
from tests.support.programs import run_python

pytestmark = pytest.mark.slow


def test_composite_mixes_it_with_other_tasks() -> None:
    """Its answers are read by the kind of its record there, too."""
    parts = {"datasets": [{"name": "visitors", "weight": 1.0}, {"name": "gcd", "weight": 1.0}]}
    settings = {"task_modules": "examples/own_task.py", "task_configs": {"composite": parts}}
    with ReasoningGym("composite", workers=1, **settings) as gym:
        asked = list(gym.problems(20, level=0.5))
        own = [one for one in asked if "museum" in one.question]
        assert 2 < len(own) < 18
        assert gym.score(own[0], [f"<answer>**{own[0].answer} visitors**</answer>"]) == [1.0]


EXECUTING = [
    *("execute", "compile", "under its name", "bytecode", "bytecode of a file"),
    *("other constants", "pickled", "a module"),
]
FAILING = {
    "hang": ("timeout", "no reply within 1 s"),
    "raise": ("error", "IndexError"),
    "quote": ("error", "RuntimeError: what is ??"),
    "recurse": ("error", "RecursionError"),
    "exit": ("error", "SystemExit: 0"),
    "exit at once": ("crashed", "exit status 0"),
    "kill": ("error", "a worker may not do os.kill"),
    "interrupt": ("error", "Operation not permitted"),
    "write": ("error", "a worker may not write files"),
    "read": ("error", "a worker may not read files but the library's"),
    "read itself": ("error", "a worker may not read files but the library's"),
    "fork": ("error", "a worker may not do os.fork"),
    "shell": ("error", "a worker may not do os.system"),
    "connect": ("error", "a worker may not do socket"),
    **{word: ("rejected", "text that the verifier would execute") for word in EXECUTING},
    "fill": ("error", "MemoryError"),
    "nan": ("error", "the verifier returned NaN"),
    "none": ("error", "TypeError"),
    "text": ("error", "the verifier returned '1.0', which is not a number"),
    "print": ("scored", ""),
}
"""Answer at which a verifier fails -> its verdict. What it prints goes nowhere."""


def test_a_verifier_that_fails_costs_one_score(tmp_path: Path) -> None:
    """Right answers before and after it are right, and no file is changed."""
    module = write(tmp_path)
    with ReasoningGym("own", task_modules=module, workers=1, scoring_timeout=1.0) as gym:
        problem = gym.make("backwards", 7, 0.5)
        right = f"<answer>\n {problem.answer} </answer>"
        texts = [text for fault in FAILING for text in (f"<answer>{fault}</answer>", right)]
        others = {"true": 1.0, "parse": 1.0, "import": 1.0, "three": 1.0, "negative": 0.0}
        texts += [f"<answer>{other}</answer>" for other in others]
        verdicts = gym.verdicts(problem, texts)
    # To parse executes nothing, an import runs the code of a file, and a score is in [0, 1].
    scores = [one.score for one in verdicts]
    assert scores == [0.0, 1.0] * len(FAILING) + [*others.values()]
    assert all(type(score) is float for score in scores)
    found = dict(zip(FAILING, verdicts[::2], strict=False))
    assert {name: one.kind for name, one in found.items()} == {
        name: kind for name, (kind, _) in FAILING.items()
    }
    assert all(words in found[name].detail for name, (_, words) in FAILING.items()), found
    assert module.read_text() == WHOLE and list(tmp_path.iterdir()) == [module]


def test_a_verifier_sees_the_bare_answer_alone(tmp_path: Path) -> None:
    """Not the answer in its tags, which a rule about its length would take for a longer one."""
    text = WHOLE.replace("float(answer == entry", "float(len(answer) > 17 or answer == entry")
    with ReasoningGym("own", task_modules=write(tmp_path, text), workers=1) as gym:
        verdict = gym.verdicts(gym.make("backwards", 7), ["<answer>7</answer>"])[0]
    assert verdict == Verdict(0.0, "scored", 0.0, 0.0)


def test_wrappers_that_hold_nothing_are_an_empty_answer(tmp_path: Path) -> None:
    """Their verdict is that of an empty answer, though the verifier pays one."""
    text = WHOLE.replace("float(answer == entry", "float(not answer.strip() or answer == entry")
    empty = ["", r"\boxed{}", r"\boxed{\text{}}", "$ $", '" "', r"\( \)", "```\n \n```", "** **."]
    with ReasoningGym("own", task_modules=write(tmp_path, text), workers=1) as gym:
        verdicts = gym.verdicts(
            gym.make("backwards", 7), [f"<answer>{one}</answer>" for one in empty]
        )
    assert verdicts == [Verdict(0.0, "no_answer", detail="empty answer")] * len(empty)


def test_a_recipe_of_another_version_of_the_file_is_refused(tmp_path: Path) -> None:
    """So is one of a task whose file is not named. A changed neighbour is another version, too."""
    module = write(tmp_path, f"import my_words\n{WHOLE}")
    neighbour = write(tmp_path, "WORDS = 7", "my_words.py")
    with ReasoningGym("own", task_modules=module, workers=1) as gym:
        problem = gym.make("backwards", 7, 0.5)
        assert gym.make(**problem.recipe) == problem
    write(tmp_path, "WORDS = 8", "my_words.py")
    with ReasoningGym("own", task_modules=module, workers=1) as gym:
        for call in (lambda: gym.make(**problem.recipe), lambda: gym.score(problem.recipe, ["7"])):
            with pytest.raises(BadUsage, match="recipe is of another version of backwards"):
                call()
        assert gym.make(**problem.recipe | {"source": None}).question == problem.question
    neighbour.unlink()
    with ReasoningGym(workers=1) as gym, pytest.raises(BadUsage, match="name its file in task_mod"):
        gym.make(**problem.recipe)


def test_a_task_without_levels_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    text = WHOLE.replace("Config, BackwardsCurriculum)", "Config)")
    with ReasoningGym("own", task_modules=write(tmp_path, text), workers=1) as gym:
        assert not gym.make("backwards", 7, 1.0).config
        for level in ("curriculum", "random"):
            assert {one.level for one in gym.problems(5, level=level)} == {None}
    assert caplog.text.count("keep their default parameters: backwards.") == 1


def changed(old: str, new: str, text: str = WHOLE) -> str:
    """Return the module with a mistake."""
    assert old in text, old
    return text.replace(old, new)


NUMPY = "import numpy; numpy.random.seed(self.seed); rng = Random"
VALIDATE = "    def validate(self): assert self.max_digits < 12, 'many'\n"
DATASETS = "from reasoning_gym.factory import DATASETS"
MODULES = {
    "def f(:": "can't be imported: SyntaxError: invalid syntax (my_tasks.py, line 1).",
    "\nraise KeyError('x')": "can't be imported (line 2): KeyError: 'x'.",
    "import sys\nsys.exit('leave')": "can't be imported (line 2): SystemExit: leave.",
    "import numpyy": "No module named 'numpyy': install it for /",
    "from rgenv.tasks import Number\nNumber(unit='(cm')": "unit='(cm' is not a regular expression",
    "X = 1": "registers no task: call reasoning_gym.factory.register_dataset",
    f"{WHOLE}\n{DATASETS}\nDATASETS['gcd'] = 7": "replaces the task gcd: add one instead.",
    f"{WHOLE}\nTASK = {{}}": "The record of backwards in",
    f"{WHOLE}\nTASKS = [Task()]": 'is not a mapping: write {"backwards": Task(...)}.',
    f"{WHOLE}\nTASK = Task()\nTASKS = {{}}": "has TASK and several tasks or TASKS",
    f"{WHOLE}\nTASKS = {{'other': Task()}}": "names 'other'; it registers backwards",
    f"import os\nprint('x' * 99999)\nos.write(1, b'{{}}')\n{WHOLE}": "",
}
"""Text of a module, and what its author is told; nothing for what is not a mistake."""

CHANGES = [
    # Names
    ('"backwards"', '"gcd"', "'gcd', which reasoning-gym has registered"),
    ('"backwards"', '"games"', "that no category has."),
    ('"backwards"', '"my task"', "registers 'my task': choose a name of letters"),
    # Data set, config and curriculum
    ("BackwardsConfig, Back", "None, Back", "Config class must be a data"),
    ('wards", BackwardsDataset', 'wards", 7', "must be a class"),
    ("(ProceduralDataset)", "", "must inherit from ProceduralDataset"),
    ("    seed: int | None = None\n", "", "keyword argument 'seed'"),
    (
        "int = 6\n    max_digits: int = 9",
        "int\n    max_digits: int",
        "missing 2 required positional arguments",
    ),
    (
        "max_digits: int = 9\n",
        f"max_digits: int = 9\n{VALIDATE}",
        "its generator fails with {'min_digits': 16, 'max_digits': 16}: AssertionError: many",
    ),
    ('name="min_digits"', 'name="least"', "keyword argument 'least'"),
    ("levels=[2, 4, 8, 16]", "levels=2", "its parameters can't be found"),
    # Entries
    ('"question"', '"ask"', "TypeError: the question is missing"),
    ('"answer": number', '"solution": number', "the answer is missing"),
    (', "metadata": {}', "", ""),
    ('"metadata": {}', '"metadata": {"a": object()}', "two `metadata`: have the same numbers"),
    ('f"Write {number} backwards."', '""', "ValueError: the question is empty"),
    ("Write {number}", "{number:>300000}", "has more than 262144 bytes"),
    ("Write {number}", "Write \\ud800 {number}", "surrogates not allowed"),
    ("Random(self.seed + idx)", "Random()", "the same seed makes two problems"),
    ("rng = Random", NUMPY, "ValueError: Seed must be between 0 and 2**32 - 1"),
    ("float(answer == entry", "0.5 * float(answer == entry", "not 1 but 0.5"),
    ("float(answer ==", "int(answer[-1]) % 2 * (answer ==", "answers are refused, e.g. '"),
    ("number[::-1],", '"",', "its reference answer is empty"),
    ("float(answer ==", "eval(answer) or (", "would execute"),
]
"""What is replaced in a module that is right, by what, and what its author is told."""

RECORDS = {
    "anser=1": "unexpected keyword argument 'anser'",
    "answer='number'": "a wrong answer: 'number' is not a value of type Answer.",
    "answer=Choice('7')": "`answer` of its record lacks the reference answer '",
    "shortcuts={'a': '1'}": "a wrong shortcuts: {'a': '1'} is not a value of type Callab",
    "shortcuts=lambda question: [][0]": "`shortcuts` of its",
    "shortcuts=lambda question: {'zero': '0'}": "",
    "shortcuts=lambda question: {}, kept={'zero': 2.0}": "shares outside [0, 1]",
    "kept={'zero': 0.5}": "`kept`, but no `shortcuts`",
    "labels={'a': 'b'}": "`labels` or `kept` of its record fails",
    "labels={'a': 0.7, 'b': 0.6}": "more than 1 in all",
    "guarded={'eval': print}": "applies to tasks of reasoning-gym only",
    "limits=(lambda answer: 'long',)": "refuses the reference answer: long",
    "clarify=(('(', 'x'),)": "`clarify` of its record fails",
    "levels=Levels(min_digits=[1])": "Levels.__init__() got an unex",
    "levels=Levels(knots={'least': [1]})": "parameters that it does not have: least",
    "levels=Levels(knots={'min_digits': [{1}]})": "serializable",
    "levels=Levels(fixed='why', knots={'min_digits': [1, 2]})": "so that its knots are never used",
    "levels=Levels(work=[(1, 2)])": "but no `work`",
    "prepared=('max_digit',)": "does not have: max_digit",
    "family=lambda entry: 1 / 0": "`family` of its record f",
    "family=lambda entry: object()": "has two families",
    "work=lambda entry: -1": "`work` of its record returns -1",
    "work=lambda entry: 'x'": "`work` of its record fails",
    "correct=lambda entry: [][0]": "`correct` of its record f",
    "correct=lambda entry: entry | {'question': '?'}": "`correct` of its record changes the q",
    "harden=lambda entry: [][0]": "`harden` of its record f",
}
"""Fields of the record of a module, and what its author is told."""

LEVELS = f"{WHOLE}\nfrom rgenv.tasks.record import Levels\nfrom rgenv.tasks import Choice, Number\n"
PRICES = LEVELS.replace("number[::-1],", "'$' + number[::-1],")
MISTAKES = {
    f"{PRICES}TASK = Task(answer=Number())\n": "can't read the reference answer '$",
    **MODULES,
    **{changed(old, new): told for old, new, told in CHANGES},
    **{f"{LEVELS}TASK = Task({fields})\n": told for fields, told in RECORDS.items()},
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the author is told of each mistake; two further ones need two modules."""
    folder = tmp_path_factory.mktemp("mistakes")
    files = {text: [str(write(folder / str(n), text))] for n, text in enumerate(MISTAKES)}
    same = str(write(folder / "a", WHOLE)), str(write(folder / "b", WHOLE))
    other = str(write(folder / "c", WHOLE.replace('"backwards"', '"forwards"')))
    files |= {"one name": list(same), "one file name": [same[0], other]}
    given, told = json.dumps(list(files.values())), folder / "told.json"
    run_python("-m", "tests.support.load_own_tasks", str(told), given=given)
    return dict(zip(files, json.loads(told.read_text()), strict=True))


@pytest.mark.parametrize("text", MISTAKES, ids=range(len(MISTAKES)))
def test_a_mistake_is_told_in_one_sentence(told: dict[str, str], text: str) -> None:
    words = MISTAKES[text]
    assert words in told[text] if words else told[text] == ""


def test_two_modules_may_have_one_file_name_but_no_task_in_common(told: dict[str, str]) -> None:
    assert told["one file name"] == ""
    assert "registers 'backwards', which " in told["one name"]
    assert "/a/my_tasks.py has registered: choose another name." in told["one name"]


def test_what_a_task_needs_later_is_read_when_it_is_imported(tmp_path: Path) -> None:
    """A generator that opens a file is found at the start, in its sandbox."""
    (tmp_path / "words.txt").write_text("a b c")
    text = f"PATH = {str(tmp_path / 'words.txt')!r}\n{WHOLE}"
    late = changed("rng = Random", "open(PATH).read(); rng = Random", text)
    with pytest.raises(BadUsage, match="backwards, default level: its generator fails: Permission"):
        ReasoningGym(task_modules=write(tmp_path, late), workers=1)
    early = f"{text}\nWORDS = open(PATH).read()"
    with ReasoningGym("own", task_modules=write(tmp_path, early), workers=1) as gym:
        assert gym.make("backwards", 7).question
