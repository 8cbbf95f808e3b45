"""Score completions by an adapter, and print the scores as JSON.

    python -m tests.support.score_by_adapter trl rows.json [opened]

The file has a list of recipes and completions; "opened" says that the chat template opens the
thinking. This runs where only one trainer is installed.
"""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.support.polling import until

Rows = list[tuple[dict[str, Any], str]]


class Tokenizer:
    """One whose chat template opens the thinking."""

    def apply_chat_template(self, messages: Any, **_: Any) -> str:
        return f"{messages[-1]['content']}<assistant><think>\n"


def trl(rows: Rows, opened: bool) -> list[float]:
    from rgenv import ReasoningGym
    from rgenv.adapters.trl import GRPOProblems

    with ReasoningGym(min_score_spread=0.0) as gym:
        problems = GRPOProblems(gym)
        problems.on_init_end(
            SimpleNamespace(shuffle_dataset=False, max_completion_length=100),
            processing_class=Tokenizer() if opened else None,
        )
        return problems.reward(
            completions=[[{"role": "assistant", "content": text}] for _, text in rows],
            completion_ids=[[1, 2, 3] for _ in rows],
            recipe=[json.dumps(recipe) for recipe, _ in rows],
            train=[True for _ in rows],
        )


def verifiers(rows: Rows, opened: bool) -> list[float]:
    """Score as an environment of verifiers asks for it, for some traces at the same time."""
    from rgenv.adapters.verifiers import ReasoningGymData, ReasoningGymTask, ReasoningGymTaskConfig

    config = ReasoningGymTaskConfig(thinking_opened=opened)

    async def score(recipe: dict[str, Any], text: str) -> float:
        task = ReasoningGymTask(ReasoningGymData(recipe=recipe), config)
        trace = SimpleNamespace(
            last_reply=text,
            assistant_messages=[SimpleNamespace(content=text, reasoning_content=None)],
            info={},
            record_metric=lambda name, value: None,
        )
        return await task.correct(trace)

    return asyncio.run(_all(score, rows))


def inspect(rows: Rows, opened: bool) -> list[float]:
    """Score as an evaluation of inspect-ai asks for it."""
    from rgenv.adapters.inspect_ai import verdict

    scorer = verdict(thinking_opened=opened)

    async def score(recipe: dict[str, Any], text: str) -> float:
        output = SimpleNamespace(completion=text, message=SimpleNamespace(content=text))
        state = SimpleNamespace(metadata={"recipe": recipe}, output=output)
        found = await scorer(state, None)
        return found.value["score"]

    return asyncio.run(_all(score, rows))


def verl(rows: Rows, opened: bool) -> list[float]:
    """Score as a reward manager of verl asks for it, which runs in a process of Ray."""
    import ray

    from rgenv.adapters.verl import compute_score

    ray.init(address="local", num_cpus=1, log_to_driver=False)
    given = {"data_source": "reasoning_gym/x", "extra_info": {}, "thinking_opened": opened}
    given |= dict.fromkeys(("reward_router_address", "reward_model_tokenizer"))  # its managers add
    found = [
        compute_score(solution_str=text, ground_truth=json.dumps(recipe), **given)
        for recipe, text in rows
    ]
    assert all(one["acc"] == float(one["score"] >= 0.99) for one in found)
    return [one["score"] for one in found]


def skyrl(rows: Rows, opened: bool) -> list[float]:
    """Score as a generator of SkyRL does, whose rows name the environment."""
    import skyrl_gym

    entry_point = "rgenv.adapters.skyrl:ReasoningGymEnvironment"
    kwargs = {"thinking_opened": opened}
    skyrl_gym.register(id="rgenv", entry_point=entry_point, kwargs=kwargs)

    def score(recipe: dict[str, Any], text: str) -> float:
        extras = {"reward_spec": {"method": "rule", "ground_truth": json.dumps(recipe)}}
        environment = skyrl_gym.make("rgenv", env_config={}, extras=extras)
        environment.init([])
        done = environment.step(text)
        assert done["done"]
        return done["reward"]

    return [score(*row) for row in rows]


def openenv(rows: Rows, opened: bool) -> list[float]:
    """Score as clients of a server do, each in a session of its own."""
    from rgenv.adapters.openenv import CompletionAction, ReasoningGymClient

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def is_listening() -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    async def score(recipe: dict[str, Any], text: str) -> float:
        async with ReasoningGymClient(base_url=f"http://127.0.0.1:{port}") as client:
            await client.reset(recipe=recipe)
            done = await client.step(CompletionAction(text=f"<think>{text}" if opened else text))
        return done.reward

    async def scores() -> list[float]:
        await until(is_listening)
        return await _all(score, rows)

    words = ["rgenv-openenv", "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            return asyncio.run(scores())
        finally:
            server.terminate()


def ray(rows: Rows, opened: bool) -> list[float]:
    """Score as the map over a data set does."""
    import ray.data

    from rgenv.adapters.ray import score

    items = [
        {"place": place, "recipe": json.dumps(recipe), "completion": text}
        for place, (recipe, text) in enumerate(rows)
    ]
    found = score(ray.data.from_items(items), workers=1).take_all()
    return [row["score"] for row in sorted(found, key=lambda row: row["place"])]


def nemo_gym(rows: Rows, opened: bool) -> list[float]:
    """Score as an agent of NeMo Gym asks the resources server for it."""
    from fastapi.testclient import TestClient
    from nemo_gym.responses_converter import ResponsesConverter
    from nemo_gym.server_utils import ServerClient

    from rgenv.adapters.nemo_gym import RgenvConfig, RgenvServer

    config = RgenvConfig(
        name="rgenv", host="127.0.0.1", port=1, entrypoint="app.py", thinking_opened=opened
    )
    server = RgenvServer(config=config, server_client=ServerClient.model_construct())
    output = ResponsesConverter(return_token_id_information=False)  # takes the thinking apart
    with TestClient(server.setup_webserver()) as client:

        def score(recipe: dict[str, Any], text: str) -> float:
            sent = text.encode("utf-8", "replace").decode()  # HTTP knows no lone surrogates
            items = output.postprocess_assistant_message_dict(
                {"role": "assistant", "content": sent}
            )
            response = {
                **{"id": "r", "object": "response", "created_at": 0, "model": "m", "tools": []},
                **{"tool_choice": "auto", "parallel_tool_calls": False},
                "output": [item.model_dump() for item in items],
            }
            row = {
                "responses_create_params": {"input": [{"role": "user", "content": "?"}]},
                "response": response,
                "recipe": json.dumps(recipe),
            }
            answer = client.post("/verify", json=row)
            assert answer.status_code == 200, answer.text
            return answer.json()["reward"]

        return [score(*row) for row in rows]


async def _all(score: Any, rows: Rows) -> list[float]:
    free = asyncio.Semaphore(16)

    async def one(recipe: dict[str, Any], text: str) -> float:
        async with free:
            return await score(recipe, text)

    return await asyncio.gather(*(one(*row) for row in rows))


if __name__ == "__main__":
    found = json.loads(Path(sys.argv[2]).read_text())
    print(json.dumps(globals()[sys.argv[1]](found, "opened" in sys.argv)))
