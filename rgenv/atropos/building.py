"""What `setup` builds of the configuration: each object gets plain values of it."""

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.servers import ScriptedServer, speaks_chat_only
from rgenv.atropos.startup import Mode
from rgenv.inference.chat import ChatServers
from rgenv.inference.chat_templates import chat_template
from rgenv.inference.generation import Generation
from rgenv.inference.policy import Policy, Sampling
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.collector import GroupCollector
from rgenv.rollouts.dump import RolloutDump
from rgenv.rollouts.group import score_group
from rgenv.rollouts.recorder import Dumps
from rgenv.stream.source import ItemSource
from rgenv.types import Group

GOOD_BATCH, FAILED_BATCH = 100, 50
"""Groups in one file of a dump."""

PROCESS_GIVES_UP_AFTER = 10
"""After this many attempts in a row without a group, `process` ends with an error."""


def new_policy(
    config: ReasoningGymEnvConfig,
    servers: Any,
    tokenizer: Any,
    *,
    mode: Mode,
    at_once: int,
    answered: Callable[[int, float], None],
    count: Callable[[str], None],
) -> Policy:
    """Return what asks the model for completions."""
    clients = servers.servers
    chat_only = speaks_chat_only(clients)
    training = Sampling(
        *(config.max_token_length, config.temperature, config.top_p),
        adapts="max_token_length" not in config.model_fields_set,
    )
    evaluation = Sampling(
        config.eval_max_tokens or 2 * config.max_token_length,
        *(config.eval_temperature, config.eval_top_p),
        limit_option="eval_max_tokens",
        adapts=config.eval_max_tokens is None,
    )
    evaluation = training if mode == "profile" else evaluation
    evaluation = replace(evaluation, changes=config.eval_request)
    kwargs = config.chat_template_kwargs
    request = evaluation.request | ({"chat_template_kwargs": kwargs} if kwargs else {})
    scripted = any(isinstance(client, ScriptedServer) for client in clients)
    generation = Generation(
        servers,
        patience=config.outage_patience,
        at_once=at_once,
        vocabulary=lambda: math.inf if scripted else len(tokenizer),
        answered=answered,
        count=count,
    )
    return Policy(
        generation,
        tokenizer,
        model=", ".join(dict.fromkeys(client.config.model_name for client in clients)),
        training=training,
        evaluation=evaluation,
        dialogue=config.dialogue,
        template_kwargs=kwargs,
        own_template=chat_template(config.chat_template) if config.chat_template else None,
        chat=ChatServers(clients, request) if chat_only else None,
        scripted=scripted,
    )


def new_dumps(config: ReasoningGymEnvConfig, folder: Path, version: str, *, run_id: str) -> Dumps:
    """Return where groups are saved, as `dump_rollouts` and `dump_failed_rollouts` say."""
    new = functools.partial(RolloutDump, folder, run_id=run_id)
    failed = new(batch_size=FAILED_BATCH, label="FAILED_rollouts")
    return Dumps(
        above_threshold=new(batch_size=GOOD_BATCH) if config.dump_rollouts else None,
        failed=failed if config.dump_failed_rollouts else None,
        threshold=config.rollout_save_score_threshold,
        version=version,
        run_id=run_id,
    )


def new_collector(
    config: ReasoningGymEnvConfig,
    pool: WorkerPool,
    policy: Policy,
    source: ItemSource,
    record: Callable[[Group], None],
    *,
    mode: Mode,
    abort: Callable[[Exception], None],
    count: Callable[[str], None],
) -> GroupCollector:
    """Return what asks for the completions of a problem, and has them scored."""
    return GroupCollector(
        policy.rollouts,
        pool.score,
        record,
        patience=config.outage_patience,
        abort=abort,
        count=count,
        no_room=lambda problem: source.leaves_no_room(problem, policy.training.limit_option),
        build=functools.partial(
            score_group,
            penalize_length=config.length_penalty,
            mask_truncated=config.mask_too_long_completions,
            min_spread=config.min_score_spread,
        ),
        give_up_after=PROCESS_GIVES_UP_AFTER if mode == "process" else None,
        raise_errors=policy.scripted,
    )
