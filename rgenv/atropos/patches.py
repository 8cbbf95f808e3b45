"""What is replaced in foreign code while it runs, each with its reason."""

import contextlib
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

from atroposlib.envs import base
from atroposlib.envs.server_handling import sglang_server, trl_vllm_server, vllm_server

from rgenv.inference.tokenizers import at_need
from rgenv.secrets import hide


@contextlib.contextmanager
def loaded_at_need(timeout: float) -> Iterator[None]:
    """Let constructors of Atropos get a tokenizer that is loaded at its first use.

    They load it themselves, with `AutoTokenizer`, and have no argument for another one. Making
    problems and scoring answers need none, so they would wait for a download in vain.
    """
    at_first_use = SimpleNamespace(from_pretrained=lambda name: at_need(name, timeout))
    with contextlib.ExitStack() as stack:
        for module in (base, vllm_server, sglang_server, trl_vllm_server):
            stack.enter_context(mock.patch.object(module, "AutoTokenizer", at_first_use))
        yield


@contextlib.contextmanager
def atropos_words(words: list[str]) -> Iterator[None]:
    """Run a command of Atropos with these words, and without printing the configuration.

    A base class may add a namespace to `serve`, as Atropos' TeacherDistillationEnv does. It reads
    its options from sys.argv, and Atropos prints all options, keys included.
    """
    with (
        mock.patch.object(sys, "argv", [sys.argv[0], *words]),
        mock.patch.object(base, "rprint", lambda printed: None),
    ):
        yield


def arguments_without_secrets() -> Any:
    """Hide keys of the command line from wandb, which saves sys.argv and has no setting for it."""
    return mock.patch.object(sys, "argv", [hide(word) for word in sys.argv])
