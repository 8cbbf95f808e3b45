"""rgenv/atropos/config.py: the options, in each form in which they may be given."""

from typing import Any

import pytest
from pydantic import ValidationError

from rgenv.atropos.config import ReasoningGymEnvConfig


def configured(**values: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(**values)


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells leave it in ``--env.data_dumps_dir=~/dumps``, and YAML does, too."""
    monkeypatch.setenv("HOME", "/home/me")
    assert configured(data_dumps_dir="~/dumps").data_dumps_dir == "/home/me/dumps"
    assert configured(data_path_to_save_groups="a~b").data_path_to_save_groups == "a~b"


def test_replicas_are_found_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """replica_id and num_replicas default to a scheduler's variables; options override them."""
    monkeypatch.setenv("SLURM_PROCID", "3")
    monkeypatch.setenv("SLURM_NTASKS", "16")
    found = configured()
    assert (found.replica_id, found.num_replicas) == (3, 16)
    assert configured(replica_id=1).replica_id == 1


@pytest.mark.parametrize("name", ["./no/such", "/no/such", "~/no_such_folder", "a/b/c"])
def test_a_path_of_no_folder_is_no_tokenizer(name: str) -> None:
    """It is told at once; a model of the hub has an owner and a name."""
    with pytest.raises(ValidationError, match="there is no folder"):
        ReasoningGymEnvConfig(tokenizer_name=name)
    assert ReasoningGymEnvConfig(tokenizer_name="owner/model").tokenizer_name == "owner/model"
