"""Registration: this environment at the rollout API, and what it goes on from there."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.loop import Hooks, Loop
from rgenv.atropos.options import FROM_TRAINER
from rgenv.atropos.session import Session, new_dumps
from rgenv.dataset.shared_evidence import SharedEvidence
from rgenv.errors import StartupError
from rgenv.resume.checkpoints import Checkpoints, Found, reading
from rgenv.resume.progress import Progress, replay
from rgenv.rollout_api.api import Doing, RolloutApi, batch_problems
from rgenv.rollout_api.client import Sizes
from rgenv.rollouts.ledger import Ledger

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
        progress: Progress,
        ledger: Ledger,
        *,
        started: Callable[[], Session],
        count: Callable[[str], None],
        doing: Doing,
    ) -> None:
        self._hooks, self._config, self._loop = hooks, config, loop
        self._progress, self._ledger = progress, ledger
        self._started, self._count = started, count
        self._total_steps = config.total_steps
        self._known_sizes: Sizes | None = None
        self.api = RolloutApi(
            config.rollout_server_url,
            patience=config.outage_patience,
            num_replicas=config.num_replicas,
            doing=doing,
        )
        self.checkpoints = Checkpoints(
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
            await self.checkpoints.claim(reply["checkpoint_dir"], config.startup_timeout)
        return reply

    async def registered(self, checkpoint_dir: str) -> None:
        """Record from now on what happens to each problem; share evidence with other replicas.

        Raises:
            StartupError: the rollout API, which knows what arrived from a killed run, is away.
        """
        session, progress = self._started(), self._progress
        if not self.api.registered:
            if progress.unsettled:
                progress.arrived(await self.api.latest_group(), session.source)
            about = {**self.checkpoints.about, "run": session.recorder.dumps.run_id}
            path, step = self.checkpoints.progress, self._hooks.curr_step
            progress.begin(path, session.source, about, step=step)
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

    # Checkpoints

    def save_checkpoint(self, root: str, step: int, others: dict[str, Any] | None) -> None:
        """Write a checkpoint with data of a subclass; if the disk refuses, log it and go on."""
        session = self._started()
        self.checkpoints.root = root
        waiting = [*session.collector.collecting, *self._loop.unfinished]
        self.checkpoints.save(
            step,
            run_id=session.recorder.dumps.run_id,
            source_state=session.source.state_dict(waiting),
            others=others,
        )

    def load_checkpoint(self, root: str, dumps_dir: Path) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: a checkpoint is damaged or of another program; the message names it.
        """
        if self.api.registered:  # only the API was restarted
            return
        self.checkpoints.root = root
        step, force = self._hooks.curr_step, self._config.force
        found = self.checkpoints.find(step=step, start_over=force)
        if found is not None:
            resume(self._started(), self._config, dumps_dir, found)
            self._progress.went_on_from(found)
            self._ledger.go_on_from(self._progress.tokens_before)


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


def resume(
    session: Session,
    config: ReasoningGymEnvConfig,
    dumps_dir: Path,
    found: Found,
) -> None:
    """Restore stream, curriculum and dumps; raise StartupError if the checkpoint is damaged."""
    with reading(found.path):
        replay(session.source, found)
        session.recorder.dumps = new_dumps(
            config, dumps_dir, session.pool.version, run_id=found.run
        )
    log.info(
        "Resumed from %s: serving %d problems again, then problem %d and later ones.",
        found.path,
        session.source.requeued,
        session.source.position,
    )


def share_evidence(session: Session, config: ReasoningGymEnvConfig, checkpoint_dir: str) -> None:
    """Let the curriculum learn from the groups of the other replicas, if there are any."""
    learns = config.complexity_mode == "curriculum"
    if learns and config.num_replicas > 1 and checkpoint_dir:
        folder = Path(checkpoint_dir, "env_checkpoints", f"{config.wandb_name}_evidence")
        session.source.share(SharedEvidence(folder, f"replica{config.replica_id}"))
