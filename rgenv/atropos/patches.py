"""What is replaced inside Atropos' modules while its code runs, and why."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from types import SimpleNamespace

from atroposlib.envs import base as atropos_base
from atroposlib.envs.server_handling import sglang_server, trl_vllm_server, vllm_server
from transformers import AutoTokenizer

from rgenv.inference.tokenizers import at_need

log = logging.getLogger("ReasoningGymEnv")

_LOADING = (atropos_base, vllm_server, sglang_server, trl_vllm_server)
"""Atropos' modules whose constructors load a tokenizer, with the name `AutoTokenizer`."""


@contextlib.contextmanager
def loaded_at_need(timeout: float) -> Iterator[None]:
    """Let Atropos' constructors get a `LazyTokenizer` for what is not on this machine.

    The constructors have no argument for that, so the class that they load tokenizers with is
    replaced within this context.

    Args:
        timeout: seconds that loading may take.
    """
    for module in _LOADING:
        module.AutoTokenizer = SimpleNamespace(from_pretrained=lambda name: at_need(name, timeout))
    try:
        yield
    finally:
        for module in _LOADING:
            module.AutoTokenizer = AutoTokenizer


@contextlib.contextmanager
def without_page() -> Iterator[None]:
    """Keep `process` from writing Atropos' HTML page of all groups.

    In that page the text of the model is live markup: scripts in a completion would run in the
    browser of whoever looks at it.
    """

    def leave_out(path: str) -> None:
        log.info("To read the groups: python -m json.tool --json-lines %s", path)

    before = atropos_base.generate_html
    atropos_base.generate_html = leave_out
    try:
        yield
    finally:
        atropos_base.generate_html = before
