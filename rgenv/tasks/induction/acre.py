"""Tell from experiments whether objects switch a detector on."""

import re

from rgenv.tasks import Answers, Choice, Entry, Levels, Task, part_of
from rgenv.tasks.symmetries import sorted_amounts


def shortcuts(question: str) -> Answers:
    """Look up the test among the results, or go by what was seen last."""
    results, test = question.split("results:\n", 1)[1].split("New test case:\n", 1)
    case = test.split("\n", 1)[0].strip()
    seen = dict(line.rsplit(" → ", 1) for line in results.split("\n") if " → " in line)
    objects = case.split(", ")
    together = [light for shown, light in seen.items() if any(one in shown for one in objects)]
    together = together or ["undetermined"]
    light = seen.get(case)
    return {
        "as the first result that names an object": together[0],  # .76
        "as the last result that names an object": together[-1],  # .74
        **({"as the same objects": light} if light else {}),  # .37
        **({"an object did it alone": "on"} if "on" in map(seen.get, objects) else {}),  # .31
    }


def family(entry: Entry) -> object:
    """Keep numbers of objects of the results, how often objects are named; ignore what they are."""
    tests = re.findall(r"^(.*) → (\w+)$", entry["question"], re.MULTILINE)
    last = part_of(r"New test case:\n(.*?)\n", entry)
    objects = [thing for line in (*(line for line, _ in tests), last) for thing in line.split(", ")]
    return sorted([line.count(",") + 1, light] for line, light in tests), sorted_amounts(objects)


TASK = Task(
    answer=Choice("on", "off", "undetermined"),
    labels={"on": 0.55, "off": 0.14},
    shortcuts=shortcuts,
    kept={
        "an object did it alone": 0.3,
        "as the first result that names an object": 0.5,
        "as the last result that names an object": 0.6,
        "as the same objects": 0.4,
    },
    family=family,
    levels=Levels(
        fixed=(
            "The only parameter, train, selects the split of the original paper. Over 600 items of "
            "each split, answers and sizes differ by less than a tenth."
        )
    ),
)
