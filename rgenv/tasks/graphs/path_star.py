"""Find the path to a node in a graph like a star."""

import re
from itertools import pairwise

from rgenv.tasks import Entry, Task, by_library, changed, moving, question_numbers, random_of
from rgenv.tasks.answers.lists import Numbers, joined_items, word


class NodePath(Numbers):
    """The nodes of a path in any form of a list, perhaps after the end of the question."""

    def read(self, text: str, entry: Entry) -> str | None:
        asked, sign, path = text.rpartition("=")
        if sign and not str(entry["question"]).rstrip("\n =").endswith(asked.strip()):
            return None
        return joined_items(re.sub(" [->] ", "→", path), word, " ")


ARMS = 8
"""Arms of a hardened graph. The library has three."""


def harden(entry: Entry) -> Entry | None:
    """Add arms that lead elsewhere: any arm solves .33 of the library's problems, .12 of these."""
    if "degree" in entry["config"]:
        return None
    before, task, rest = entry["question"].partition("task:\n|")
    shown, slash, ends = rest.partition("/")
    edges, nodes = shown.split("|"), set(re.findall(r"\d+", shown))
    known, rng = entry["metadata"], random_of(entry)
    length, labels = known["path_length"], known["difficulty"]["node_range"]
    count = (ARMS - known["difficulty"]["degree"]) * length
    drawn = map(str, rng.sample(range(labels), min(labels, len(nodes) + count)))
    unused = [node for node in drawn if node not in nodes][:count]
    for arm in zip(*[iter(unused)] * length, strict=False):
        edges += [f"{a} {b}" for a, b in pairwise([str(known["center"]), *arm])]
    rng.shuffle(edges)
    question = f"{before}{task}{'|'.join(edges)}{slash}{ends}"
    return changed(entry, question, entry["answer"])


TASK = Task(
    answer=NodePath(),
    harden=harden,
    verify=by_library,
    family=question_numbers,
    # Larger labels do not make a graph harder: the number of arms and their length do.
    levels=moving(
        path_length=[(3, 4), (4, 5), (5, 6), (6, 7), (8, 9)],
        degree=[3, 5, 6, 8, 10],
        node_range=[1000],
    ),
)
