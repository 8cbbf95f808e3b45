"""Run a command that ends when the given process ends, however hard that one dies.

    python -m demo.leash 4711 run-api --port 8000

For programs that would outlive the runner that started them. The exit code is the command's.
"""

import os
import signal
import subprocess
import sys

LOOK_SECONDS = 0.25
MERCY_SECONDS = 5.0


def run(parent: int, command: list[str]) -> int:
    child = subprocess.Popen(command)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    while os.getppid() == parent:
        try:
            code = child.wait(LOOK_SECONDS)
            return code if code >= 0 else 128 - code  # as a shell tells death by signal
        except subprocess.TimeoutExpired:
            continue
    child.terminate()
    try:
        return child.wait(MERCY_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
