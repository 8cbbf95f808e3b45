"""rgenv/atropos/startup.py: log levels, and warnings at the start."""

import logging

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import set_up_logging


@pytest.mark.parametrize("suppressed", [True, False])
@pytest.mark.parametrize("debug", [True, False])
def test_atropos_own_lines_are_hidden_unless_asked_for(
    suppressed: bool, debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its warnings come through, except for those of groups that metrics count."""
    set_up_logging(ReasoningGymEnvConfig(debug_logging=debug, suppress_base_env_logs=suppressed))
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
