"""rgenv/atropos/startup.py: log levels, and warnings at the start."""

import logging

import pytest

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import set_log_levels, warn_of_options


def test_sampling_from_another_distribution_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """By default, tokens are sampled from the distribution that trainers compute."""
    warn_of_options("serve", ReasoningGymEnvConfig())
    warn_of_options("process", ReasoningGymEnvConfig(top_p=0.95))
    assert caplog.text == ""
    for changed in ({"top_p": 0.95}, {"temperature": 0.7}):
        warn_of_options("serve", ReasoningGymEnvConfig(**changed))
    assert caplog.text.count("docs/running.md") == 2


@pytest.mark.parametrize("suppressed", [True, False])
@pytest.mark.parametrize("debug", [True, False])
def test_atropos_own_lines_are_hidden_unless_asked_for(
    suppressed: bool, debug: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its warnings come through, except for those of groups that metrics count."""
    set_log_levels(ReasoningGymEnvConfig(debug_logging=debug, suppress_base_env_logs=suppressed))
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
