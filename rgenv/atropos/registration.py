"""Registration: this environment at the rollout API, and what it goes on from there."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rgenv.atropos.config import FROM_TRAINER, ReasoningGymEnvConfig
from rgenv.atropos.loop import Hooks, Loop
from rgenv.atropos.session import Session, new_dumps
from rgenv.dataset.shared_evidence import SharedEvidence
from rgenv.errors import StartupError
from rgenv.rollout_api.api import Doing, RolloutApi, batch_problems
from rgenv.rollout_api.client import Sizes
from rgenv.rollouts.fates import Fates
from rgenv.rollouts.snapshot import Snapshot

log = logging.getLogger("ReasoningGymEnv")

STREAM_OPTIONS = {
    "seed",
    "task_names",
    "exclude_tasks",
    "task_modules",
    "task_weights",
    "task_configs",
    "problems",
    "balance_labels",
    "complexity_mode",
    "random_level_range",
    "start_levels",
    "max_prompt_tokens",
}
"""The options that determine which problems are asked, in which order."""


class Registration:
    """Registers an environment, resumes its run, and follows what the rollout API says."""

    def __init__(
        self,
        hooks: Hooks,
        config: ReasoningGymEnvConfig,
        loop: Loop,
        fates: Fates,
        *,
        started: Callable[[], Session],
        count: Callable[[str], None],
        doing: Doing,
    ) -> None:
        self._hooks, self._config, self._loop = hooks, config, loop
        self._fates = fates
        self._started, self._count = started, count
        self._total_steps = config.total_steps
        self._known_sizes: Sizes | None = None
        self.api = RolloutApi(
            config.rollout_server_url,
            patience=config.outage_patience,
            num_replicas=config.num_replicas,
            doing=doing,
        )
        self.snapshot = Snapshot(
            replica_id=config.replica_id,
            num_replicas=config.num_replicas,
            name=config.wandb_name,
            settings=config.model_dump(mode="json", include=STREAM_OPTIONS),
        )

    async def register(self) -> dict[str, Any]:
        """Wait for the trainer, register, and return the reply of the rollout API.

        StartupError: nothing says when the run ends, or another process has this replica's folder.
        """
        config = self._config
        reply = await self.api.register(
            {
                "max_token_length": config.max_token_length,
                "desired_name": config.wandb_name,
                "weight": config.inference_weight,
                "min_batch_allocation": config.min_batch_allocation,
                "group_size": config.group_size,
            }
        )
        check_steps(int(reply.get("num_steps", FROM_TRAINER)), self._total_steps)
        if not self.api.registered:
            await self.snapshot.claim(reply["checkpoint_dir"], config.startup_timeout)
        return reply

    async def registered(self, checkpoint_dir: str) -> None:
        """Save snapshots from now on; share evidence with other replicas."""
        session = self._started()
        if not self.api.registered:
            session.source.follows = True
            self.snapshot.begin(self._state)
        share_evidence(session, self._config, checkpoint_dir)
        self._loop.total_steps = self._config.total_steps
        self.api.registered = True

    async def new_status(self) -> dict[str, Any] | None:
        """Return the status of the rollout API; None if it is not yet time to ask again."""
        if not self.api.status_is_due:
            return None
        step = self._hooks.curr_step
        status = await self.api.refresh(step=step, register=self._register_again)
        self._loop.take_status(status)
        if self.api.sizes_are_due:
            await self._hooks.get_server_info()
        return status

    async def _register_again(self) -> None:
        self._count("registered_again")
        await self._hooks.register_env()
        await self._hooks.get_server_info()

    async def new_sizes(self) -> Sizes:
        """Return what the trainer takes; log if groups don't fit, or if it has changed."""
        before, config = self._known_sizes, self._config
        self._loop.take_sizes(await self.api.sizes())
        self._known_sizes = sizes = self._loop.sizes
        if before == sizes:
            return sizes
        if before is not None:
            log.warning("The trainer takes batches of %d and lengths below %d now.", *sizes)
        if sizes.max_token_len > 0:
            policy = self._started().policy
            policy.fit(sizes.max_token_len - 1, "the trainer")
            config.max_token_length = policy.training.max_tokens
        for problem in batch_problems(sizes, config.group_size, config.max_token_length):
            log.warning(problem)
        return sizes

    # Snapshots

    def _state(self) -> dict[str, Any]:
        session = self._started()
        waiting = [*session.collector.collecting, *self._loop.unfinished]
        return {
            "run": session.recorder.dumps.run_id,
            "step": self._hooks.curr_step,
            "tokens": dict(self._fates.tokens),
            "stream": session.source.state(waiting),
        }

    def save_checkpoint(self, root: str, others: dict[str, Any] | None) -> None:
        """Save a snapshot with data of a subclass; if the disk refuses, log it and go on."""
        self.snapshot.save_soon(others)
        if not self.api.registered:  # nothing saves it otherwise
            self.snapshot.root = root
            self.snapshot.save(self._state())

    def load_checkpoint(self, root: str, dumps_dir: Path) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: the snapshot is damaged or of another program; the message names it.
        """
        if self.api.registered:  # only the API was restarted
            return
        session, config, snapshot = self._started(), self._config, self.snapshot
        snapshot.root = root
        found = snapshot.find(step=self._hooks.curr_step, start_over=config.force)
        if found is None:
            return
        with snapshot.reading():
            session.source.load(found.stream)
        self._fates.tokens.update(found.tokens)
        version = session.pool.version
        session.recorder.dumps = new_dumps(config, dumps_dir, version, run_id=found.run)
        log.info(
            "Resumed from %s: serving %d problems again, then problem %d and later ones.",
            snapshot.path,
            session.source.requeued,
            session.source.position,
        )


def check_steps(steps: int, total_steps: int) -> None:
    """Check that the run has an end, or raise StartupError; warn if the trainer's is later."""
    if total_steps == FROM_TRAINER and steps < 1:
        raise StartupError(
            f"The trainer registered num_steps {steps}, so nothing says when this run ends: set "
            "--env.total_steps, or num_steps in the trainer."
        )
    if total_steps != FROM_TRAINER and steps > total_steps:
        log.warning(
            "This environment ends at step %d (--env.total_steps), before the %d steps of the "
            "trainer, which then waits for batches.",
            total_steps,
            steps,
        )


def share_evidence(session: Session, config: ReasoningGymEnvConfig, checkpoint_dir: str) -> None:
    """Let the curriculum learn from the groups of the other replicas, if there are any."""
    learns = config.complexity_mode == "curriculum"
    if learns and config.num_replicas > 1 and checkpoint_dir:
        folder = Path(checkpoint_dir, "env_checkpoints", f"{config.wandb_name}_evidence")
        session.source.share(SharedEvidence(folder, f"replica{config.replica_id}"))
