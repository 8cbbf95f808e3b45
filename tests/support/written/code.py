"""The kinds of answers that only tasks of code have."""

import copy
import json
import random

from rgenv.tasks.code import codeio
from tests.support.written.base import Forms, changes


@changes.register
def _(kind: codeio.ProgramValue, reference: str, question: str, rng: random.Random) -> Forms:
    try:
        value = json.loads(reference)
    except ValueError:
        return {}
    changed = codeio._change_leaf(copy.deepcopy(value), rng)
    changes = {"leaf": changed} if changed != value else {}
    if isinstance(value, list) and value:
        changes["left out"] = value[:-1]
    if isinstance(value, dict) and value:
        changes["left out"] = dict(list(value.items())[:-1])
    return {name: json.dumps(other) for name, other in changes.items()}
