"""Subclasses of ReasoningGymEnv, as users write them."""

from typing import Annotated, Any

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig
from atroposlib.utils.cli import (
    extract_namespace,
    get_double_dash_flags,
    get_prefixed_pydantic_model,
)
from pydantic import BeforeValidator, Field

from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig


class MineConfig(ReasoningGymEnvConfig):
    greeting: str = Field(default="none", description="Printed by every command.")
    names: set[str] | None = None
    pairs: dict[str, int] = Field(default={})
    anything: dict[str, Any] = Field(default={})
    pause: Annotated[list[float], BeforeValidator(lambda x: x and x.split("-"))] = Field(default=[])


class Mine(ReasoningGymEnv):
    """Adds an option, which it prints."""

    env_config_cls = MineConfig

    async def process_manager(self) -> None:
        print(f"{type(self).__name__} processes with {self.config.greeting}.", flush=True)
        await super().process_manager()


class TeacherConfig(BaseEnvConfig):
    teacher_enabled: bool = Field(default=False, description="Whether a teacher is asked.")
    teacher_top_k: int = Field(default=0, ge=-1, description="Log probabilities per position.")


class TeacherEnv(BaseEnv):
    """Has the surface of Atropos' TeacherDistillationEnv, and a teacher that knows one token."""

    env_config_cls = TeacherConfig
    teacher_namespace = "teacher"

    def __init__(
        self,
        config: TeacherConfig,
        server_configs: Any,
        teacher_server_configs: list[APIServerConfig] | None = None,
        slurm: bool = False,
        testing: bool = False,
    ) -> None:
        super().__init__(config, server_configs, slurm=slurm, testing=testing)
        self.teacher_servers = teacher_server_configs or []

    @classmethod
    def get_cli_serve_config_cls(cls) -> type:
        """Return Atropos' command with options of the teacher's server."""
        prefix = f"{cls.teacher_namespace}."
        serve: Any = super().get_cli_serve_config_cls()
        teacher: Any = get_prefixed_pydantic_model(APIServerConfig, prefix)

        class CliServeConfig(teacher, serve):
            def run(self) -> None:
                options = extract_namespace(get_double_dash_flags(), prefix)
                print(f"{cls.__name__} has the teacher {options.get('model_name')}.", flush=True)
                super().run()

        return CliServeConfig

    async def handle_send_to_api(self, scored_data: Any, *words: Any, **more: Any) -> None:
        """Add the teacher's arrays, and send."""
        if scored_data is not None and self.config.teacher_enabled:
            tokens = scored_data["tokens"]
            scored_data["distill_token_ids"] = [[[1]] * len(row) for row in tokens]
            scored_data["distill_logprobs"] = [[[0.0]] * len(row) for row in tokens]
        await super().handle_send_to_api(scored_data, *words, **more)


class TeacherFirst(TeacherEnv, ReasoningGymEnv):
    """The order in which Atropos' documentation combines classes."""


class TeacherLast(ReasoningGymEnv, TeacherEnv):
    """The other order."""
