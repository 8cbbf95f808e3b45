"""rgenv/adapters/verl.py: the gym that processes of a machine share."""

import json
from pathlib import Path

from rgenv import ReasoningGym
from tests.support.trainers import against, run

SHARED = """
import json, os, signal, sys, time
import ray
import ray.util
from rgenv.adapters.verl import compute_score

ray.init(address="local", num_cpus=3, log_to_driver=False)
recipe, right = json.loads(sys.argv[1]), sys.argv[2]

@ray.remote(num_cpus=1)
class Scoring:
    def score(self, text):
        return compute_score("gcd", text, json.dumps(recipe), workers=1)["acc"]

def scores():
    texts = [f"<answer>{right}</answer>", "no tags", f"<answer>{right}</answer>"]
    calls = zip(scoring, texts)
    return ray.get([one.score.remote(text) for one, text in calls])

def actor():
    [name] = ray.util.list_named_actors()
    return ray.get(ray.get_actor(name).__ray_call__.remote(lambda actor: os.getpid()))

scoring = [Scoring.remote() for _ in range(3)]
before = scores(), actor()
os.kill(before[1], signal.SIGKILL)
time.sleep(1)
after = scores(), actor() != before[1]
unmade = {**recipe, "config": {"many": 3}}, {"task": "gdc", "seed": 3}
found = [compute_score("gcd", "<answer>1</answer>", json.dumps(one), workers=1) for one in unmade]
print(json.dumps([before[0], *after, found]))
"""


@against("verl")
def test_processes_of_a_machine_share_one_gym(tmp_path: Path) -> None:
    """Three processes that score start one actor; after its end, the next call starts another.

    A recipe that makes no problem scores 0.
    """
    with ReasoningGym(["gcd"]) as gym:
        problem = gym.make("gcd", 3)
    words = ["-c", SHARED, json.dumps(problem.recipe), problem.answer]
    found = json.loads(run("verl", "python", *words, cwd=tmp_path).splitlines()[-1])
    assert found == [[1.0, 0.0, 1.0]] * 2 + [True, [{"score": 0.0, "acc": 0.0}] * 2]
