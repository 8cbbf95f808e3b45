"""The template: a process that has imported the library, and forks a worker when it is asked to.

The parent starts it like a worker, with the number of a Unix socket as a second argument. Requests
and replies are lines as in protocol.py::

    {"ids": ["4b"], "op": "fork"}                      # on the socket: stdin, stdout and stderr
    < {"id": "4b", "pid": 4711}                        # on the socket: a pidfd of the worker
    {"ids": ["e0"], "op": "prepare", "task": "gcd"}    # for the workers that are forked later
    < {"id": "e0", "prepared": true}
    {"ids": ["17"], "op": "status", "pid": 4711}       # of a worker that has ended
    < {"id": "17", "status": -9}

A template has one thread, sees neither a recipe nor an answer, and executes what an import of the
library could execute. So it has no sandbox; each worker closes its own before its first request.
"""

import gc
import json
import os
import resource
import socket
from collections.abc import Callable
from typing import Any, BinaryIO

from rgenv.worker.sandbox import sandbox


def serve(
    requests: BinaryIO, replies: BinaryIO, passing: socket.socket, prepare: Callable[[str], object]
) -> bool:
    """Answer requests until the end of the stream; return whether this process is a worker now.

    A worker has its own stdin, stdout and stderr, and no other descriptor; they come by `passing`.
    """
    template = os.getpid()
    for line in requests:
        request = json.loads(line)
        try:
            if request["op"] == "fork":
                pid, descriptors = _fork(passing)
                if pid == 0:
                    break
                reply: dict[str, Any] = {"pid": pid}
            elif request["op"] == "status":
                _, status = os.waitpid(request["pid"], 0)
                reply = {"status": os.waitstatus_to_exitcode(status)}
            else:
                prepare(request["task"])
                reply = {"prepared": True}
        except Exception as error:  # foreign code: a task that fails is not prepared
            reply = {"failed": f"{type(error).__name__}: {error}"[:300]}
        replies.write(json.dumps({"id": request["ids"][0], **reply}).encode() + b"\n")
        replies.flush()
    else:
        return False
    sandbox.set_parent_death_signal()
    if os.getppid() != template:  # it ended before its death could end this process
        os._exit(1)
    replies.close()
    passing.close()
    _take_over(descriptors)
    return True


def _fork(passing: socket.socket) -> tuple[int, list[int]]:
    """Fork; return the worker's process id, or 0 and its descriptors in the worker."""
    _, descriptors, _, _ = socket.recv_fds(passing, 1, 3)
    gc.freeze()  # a collection in a worker would write to memory that it shares with this process
    pid = os.fork()
    if pid:
        handle = os.pidfd_open(pid)
        socket.send_fds(passing, [b"\0"], [handle])
        for number in (handle, *descriptors):
            os.close(number)
    return pid, descriptors


def _take_over(descriptors: list[int]) -> None:
    """Make these descriptors stdin, stdout and stderr, and close all others."""
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    os.closerange(3, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.setsid()
