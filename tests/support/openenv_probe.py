"""Runs OpenEnv's runtime graders on a running server, by the plan of a folder.

`openenv validate FOLDER` does the same in a container; this needs no Docker. Prints the status of
each check as JSON. It runs in the environment of the tests against OpenEnv.
"""

import json
import sys
from pathlib import Path

from openenv.validation.graders import Subject
from openenv.validation.graders.runtime import (
    ObservationSchemaGrader,
    RewardWellFormedGrader,
    StateContractGrader,
)
from openenv.validation.parsers.openenv_yaml import OpenEnvYamlParser
from openenv.validation.runtime.collector import collect_runtime_evidence
from openenv.validation.runtime.contracts import load_runtime_plan

folder, url = Path(sys.argv[1]), sys.argv[2]
manifest = OpenEnvYamlParser().parse(folder)
plan = load_runtime_plan(folder, manifest.execution)
evidence = collect_runtime_evidence(url, plan, episode_timeout_s=60)
subject = Subject(folder, manifest, None, None, folder, evidence)
graders = RewardWellFormedGrader(), ObservationSchemaGrader(), StateContractGrader()
print(json.dumps({one.check_id: one.run(subject).status.value for one in graders}))
