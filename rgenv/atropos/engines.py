"""Atropos' clients of vLLM and SGLang, with our `Engine` in place of their requests.

Limits of requests and their timings are those of Atropos' APIServer.
"""

import inspect
from typing import Any

from atroposlib.envs.server_handling.server_baseline import APIServer
from atroposlib.envs.server_handling.sglang_server import SGLangServer
from atroposlib.envs.server_handling.vllm_server import VLLMServer

from rgenv.inference.dialects import OF_SGLANG, OF_VLLM
from rgenv.inference.engine import Engine


class VllmEngine(Engine, VLLMServer):
    """Atropos' client of vLLM, of Atropos' own vLLM server, and of the proxy of verl's recipe."""

    dialects = (*OF_VLLM, *OF_SGLANG)


class SGLangEngine(Engine, SGLangServer):
    dialects = (*OF_SGLANG, *OF_VLLM)


def engine_class(server_cls: Any, servers: Any) -> Any:
    """Return the class of the clients: that of the servers' type, or `server_cls` if it is one.

    Atropos' abstract APIServer stands for any type.
    """
    if not inspect.isabstract(server_cls):
        return server_cls
    first = (servers or [None])[0] if isinstance(servers, list) else servers
    classes: dict[str, type[APIServer]] = {"vllm": VllmEngine, "sglang": SGLangEngine}
    return classes.get(getattr(first, "server_type", ""), server_cls)
