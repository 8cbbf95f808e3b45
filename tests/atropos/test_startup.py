"""rgenv/atropos/startup.py: checks, log levels and worker processes before a session."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import check_options, set_log_levels
from rgenv.errors import BadUsage


def configured(**options: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(**{"startup_timeout": 0.01, "seed": 7, **options})


@pytest.mark.parametrize(
    ("mode", "options", "warned"),
    [
        ("serve", {}, False),
        ("serve", {"top_p": 0.95}, True),
        ("serve", {"temperature": 0.7}, True),
        ("process", {"top_p": 0.95}, False),
    ],
)
def test_sampling_from_another_distribution_is_a_warning(
    tmp_path: Path, mode: Any, options: Any, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """By default, tokens are sampled from the distribution that trainers compute."""
    client: Any = SimpleNamespace()
    check_options(mode, [client], client, configured(**options), tmp_path / "dumps")
    assert ("docs/running.md" in caplog.text) == warned


@pytest.mark.parametrize("suppressed", [True, False])
@pytest.mark.parametrize("debug", [True, False])
def test_atropos_own_lines_are_hidden_unless_asked_for(
    suppressed: bool, debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its warnings come through, except for those of groups that metrics count."""
    set_log_levels(configured(debug_logging=debug, suppress_base_env_logs=suppressed))
    base, managed = map(logging.getLogger, ("atroposlib.envs.base", "atroposlib.envs.server"))
    for logger in (base, managed):
        logger.debug("detail")
        logger.info("status")
        logger.warning("trouble")
    base.warning("Token length is too long in a group, skipping...")
    details, news = ["detail"] * debug, ["status", "trouble"]
    skipped = ["Token length is too long in a group, skipping..."]
    shown = ["trouble"] * 2 if suppressed else [*details, *news] * 2 + skipped
    assert caplog.messages == shown


@pytest.mark.parametrize("options", [{"task_names": ["gdc"]}, {"task_weights": {"gdc": 2.0}}])
def test_a_wrong_task_is_told_before_workers_start(tmp_path: Path, options: Any) -> None:
    client: Any = SimpleNamespace()
    with pytest.raises(BadUsage, match="gdc"):
        check_options("process", [client], client, configured(**options), tmp_path / "dumps")
