"""Find the path to a node in a graph like a star."""

import re
from itertools import pairwise

from rgenv.tasks import Entry, Forms, Task, by_library, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.lists import Numbers, joined_items, separated_forms, word

_STEP = re.compile(r" [->] ")


class NodePath(Numbers):
    """The nodes of a path in any form of a list, perhaps after the end of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        asked, sign, path = text.rpartition("=")
        if sign and not str(entry["question"]).rstrip("\n =").endswith(asked.strip()):
            return None
        return joined_items(_STEP.sub("→", path), word, " ")

    def forms(self, reference: str, question: str) -> Forms:
        nodes, (*_, task) = reference.split(), question.strip().split("\n")
        return separated_forms(reference, int, arrows=True) | {
            "the question's form": f"{task} {reference}",
            "signs": " > ".join(nodes),
            "dashes": " - ".join(nodes),
        }


ARMS = 8
"""Arms of a graph whose recipe names no number. The library has three, of which one is right."""


def correct(entry: Entry) -> Entry | None:
    """Add arms that lead elsewhere."""
    if "degree" in entry.get("config", {}):
        return entry
    before, task, rest = entry["question"].partition("task:\n|")
    shown, slash, ends = rest.partition("/")
    edges, nodes = shown.split("|"), set(re.findall(r"\d+", shown))
    known = entry["metadata"]
    center, length = str(known["center"]), known["path_length"]
    lacking = (ARMS - sum(edge.startswith(f"{center} ") for edge in edges)) * length
    rng, labels = random_of(entry), range(known["difficulty"]["node_range"])
    drawn = map(str, rng.sample(labels, min(len(labels), len(nodes) + max(0, lacking))))
    unused = [node for node in drawn if node not in nodes][: max(0, lacking)]
    for arm in zip(*[iter(unused)] * length, strict=False):
        edges += [f"{a} {b}" for a, b in pairwise([center, *arm])]
    rng.shuffle(edges)
    question = f"{before}{task}{'|'.join(edges)}{slash}{ends}"
    return changed(entry, question, entry["answer"])


TASK = Task(
    answer=NodePath(),
    correct=correct,
    verify=by_library,
    family=question_numbers,
    # Larger labels do not make a graph harder: the number of arms and their length do.
    levels=moving(
        path_length=[(3, 4), (4, 5), (5, 6), (6, 7), (8, 9)],
        degree=[ARMS, 8, 9, 10, 11],
        node_range=[1000],
    ),
)
