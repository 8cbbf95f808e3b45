"""The template: a process that has imported the library, and forks a worker when it is asked to.

Its stdin is a socket, for requests and replies as in protocol.py::

    {"op": "fork"}                      # with a socket for the worker
    < {"reply": "Forked", "pid": 4711}
    {"op": "prepare", "task": "gcd"}    # for the workers that are forked later
    < {"reply": "Ready"}
    {"op": "end", "pid": 4711}          # kill a worker, if it runs, and tell its exit status
    < {"reply": "Ended", "status": -9}

Only it waits for its workers, so a process id is never another process's, and the kernel ends them
when it ends. It sees neither a recipe nor an answer; each worker closes a sandbox before it does.
"""

import gc
import json
import os
import resource
import signal
import socket
from collections.abc import Callable
from typing import BinaryIO

from rgenv.worker.protocol import Ended, Failed, Forked, Ready, Reply
from rgenv.worker.sandbox import sandbox

MAX_REQUEST = 4096


def serve(
    replies: BinaryIO, send: Callable[[Reply], object], prepare: Callable[[str], object]
) -> bool:
    """Answer requests until the socket is closed; return whether this process is a worker now.

    A worker has its own socket, as stdin and under `replies`, and no other descriptor but three of
    the null device.
    """
    template, channel = os.getpid(), socket.socket(fileno=os.dup(0))
    while True:
        line, descriptors, _, _ = socket.recv_fds(channel, MAX_REQUEST, 1)
        if not line:
            return False
        request = json.loads(line)
        try:
            if request["op"] == "fork":
                gc.freeze()  # a collection in a worker would write to memory that it shares
                pid = os.fork()
                if not pid:
                    break
                os.close(descriptors[0])
                send(Forked(pid))
            elif request["op"] == "end":
                os.kill(request["pid"], signal.SIGKILL)
                _, status = os.waitpid(request["pid"], 0)
                send(Ended(os.waitstatus_to_exitcode(status)))
            else:
                prepare(request["task"])
                send(Ready())
        except Exception as error:  # foreign code: a task that fails is not prepared
            send(Failed(f"{type(error).__name__}: {error}"[:300]))
    sandbox.set_parent_death_signal()
    if os.getppid() != template:  # it ended before its death could end this process
        os._exit(1)
    channel.close()
    os.dup2(descriptors[0], 0)
    os.dup2(descriptors[0], replies.fileno())
    os.dup2(1, 2)
    os.closerange(replies.fileno() + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    os.setsid()
    return True
