"""Wrong JSON values."""

import json
import random

from rgenv.validation.wrong_values import CHANGERS


def test_a_change_of_json_keeps_its_form() -> None:
    """Changed values are JSON, so they are refused for their value alone."""
    reference = json.dumps({"a": [1, 2.5, "x"], "b": True, "c": None})
    for seed in range(30):
        for text in CHANGERS["codeio"](reference, "", random.Random(seed)).values():
            assert json.loads(text) != json.loads(reference)
