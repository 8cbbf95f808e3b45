"""A worker program that does what a request tells it, at the point that it tells; see `DEEDS`.

It runs in place of rgenv.worker (`write`), as a plain program, so that it starts in milliseconds.
Problem and answer of a seed are its number; an answer scores 1.0 if it is the seed. An answer, or
the config of a problem, may hold an order ``point:deed`` or ``point:deed:once``: the deed is done
each time, or by the first worker only. The file ``starts`` in its folder has orders for workers
that start, one a line.

`orders` generates orders.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from random import Random

from rgenv.worker.protocol import WorkerSettings
from tests.support.worker_programs import GREETING, worker_program

POINTS = ("before", "instead", "within", "after", "later")
"""Before a reply, in its place, after its first half, after it, or some moments after it."""

VALUES = """
1 -1 0 2 true null "1.0" [] {} [1.0] 1e999 NaN Infinity -0.5 1.0000001 7.5 1e-400 0.5e5
""".split()
"""What a score may be in place of a number."""

DEEDS = (
    # lines that are no replies
    r"line:",
    r"line:nonsense",
    r"line:[]",
    r"line:{}",
    r"line:{",
    r"line:null",
    r"line:123",
    r'line:{"raw": 1.0, "tagged": 1.0}',
    r'line:{"id": "0", "n": 1, "raw": 1.0, "tagged": 1.0}',
    r'line:{"failed": "x"}',
    r'line:{"ready": true}',
    "bytes:ff fe 00",
    "bytes:00",
    "bytes:80 04 95 2e 0a",
    "bytes:ef bb bf 7b 7d 0a",
    # replies to the request, but wrong ones
    "reply:doubled",
    "reply:swapped",
    "reply:other id",
    "reply:old id",
    "reply:cut",
    "reply:two keys",
    "reply:more keys",
    "reply:no keys",
    "reply:surrogate",
    "reply:failed",
    "reply:failed and more",
    *(f"reply:score {value}" for value in VALUES),
    # size, depth and time
    "much:x",
    "much:[",
    'much:{"a":',
    "much:9",
    "much:lines",
    "endless:line",
    "endless:lines",
    "dribble",
    "stderr",
    # the process
    "exit:0",
    "exit:7",
    "signal:KILL",
    "signal:SEGV",
    "signal:STOP",
    "hang",
    "close:0",
    "close:1",
    "close:2",
    "close:012",
)

STOPS = ("signal:STOP", "hang", "dribble")
"""Deeds after which a process lives and replies to nothing."""

PROGRAM = r'''
import signal, threading
FOLDER = __FOLDER__
GREETING = __GREETING__
old_ids = []

def out(data):
    try:
        while data:
            data = data[os.write(1, data):]
    except OSError:
        os._exit(1)

def line(value):
    out((value if isinstance(value, str) else json.dumps(value)).encode() + b"\n")

def first_time(order):
    try:
        name = order.encode().hex()[:200]
        os.close(os.open(os.path.join(FOLDER, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False

def wrong(kind, reply):
    if kind == "doubled":
        line(reply); line(reply)
    elif kind == "swapped":
        line({**reply, "raw": 1.0 - reply.get("raw", 0.0)}); line(reply)
    elif kind == "other id":
        line({**reply, "id": reply["id"][::-1]})
    elif kind == "old id":
        line({**reply, "id": old_ids[-2] if len(old_ids) > 1 else ""})
    elif kind == "cut":
        line(json.dumps(reply)[:-2])
    elif kind == "two keys":
        line(json.dumps(reply)[:-1] + ', "id": "%s"}' % reply["id"])
    elif kind == "more keys":
        line({**reply, "more": 1})
    elif kind == "no keys":
        line({"id": reply["id"]})
    elif kind == "surrogate":
        line({**reply, "raw_error": "\ud800", "question": "\ud800"})
    elif kind == "failed":
        line({"id": reply["id"], "failed": ["x"]})
    elif kind == "failed and more":
        line({"id": reply["id"], "failed": "x"}); line(reply)
    else:
        value = kind.split(" ", 1)[1]
        line(json.dumps({**reply, "raw": 0, "answer": 0}).replace('"raw": 0', '"raw": ' + value)
             .replace('"answer": 0', '"answer": ' + value))

def do(deed, reply):
    kind, _, rest = deed.partition(":")
    if kind == "line":
        line(rest)
    elif kind == "bytes":
        out(bytes.fromhex(rest))
    elif kind == "reply":
        wrong(rest, reply)
    elif kind == "much":
        out(b"{}\n" * 2_000_000 if rest == "lines" else rest.encode() * 3_000_000 + b"\n")
    elif kind == "endless":
        while True:
            out(b"x" * 65536 if rest == "line" else b"{}\n" * 20_000)
    elif kind == "dribble":
        while True:
            out(b" "); time.sleep(0.05)
    elif kind == "stderr":
        os.write(2, b"\x1b[31mnoise\n" * 50_000)
    elif kind == "exit":
        os._exit(int(rest))
    elif kind == "signal":
        os.kill(os.getpid(), getattr(signal, "SIG" + rest))
    elif kind == "hang":
        time.sleep(600)
    elif kind == "close":
        for number in map(int, rest):
            os.close(number)

def send(reply, order):
    """Send a reply, and do what an order says at its point."""
    point, _, deed = order.partition(":")
    deed, once, _ = deed.partition(":once")
    if not deed or (once and not first_time(order)):
        return line(reply)
    whole = json.dumps(reply).encode() + b"\n"
    if point == "before":
        do(deed, reply); line(reply)
    elif point == "instead":
        do(deed, reply)
    elif point == "within":
        out(whole[:20]); do(deed, reply); out(whole[20:])
    elif point == "after":
        line(reply); do(deed, reply)
    else:
        line(reply)
        threading.Timer(0.02, do, [deed, reply]).start()

def order_of(text):
    return text if ":" in text else ""

try:
    path = os.path.join(FOLDER, "starts")
    with open(path) as file:
        starts = file.read().splitlines()
except FileNotFoundError:
    starts = []
send(GREETING, next((order for order in starts if first_time("start" + order)), ""))

def asked():
    line = json.loads(sys.stdin.readline() or "null")
    if line is None:
        sys.exit()
    old_ids.append(line["ids"][0])
    return line

while True:
    request = asked()
    seed = request["seed"]
    order = order_of(request["config"].get("order", ""))
    label = {"id": request["ids"][0]}
    if request["op"] == "make":
        problem = {"question": str(seed), "answer": str(seed), "seed": seed, "family": 0}
        problem |= {"config": request["config"], "winnable": True, "held_out": False}
        send({**label, **problem, "hardened": False}, order)
    elif request["op"] == "solve":
        send({**label, "answer": str(seed)}, order)
    else:
        send({**label, "made": True}, order)
        for answer, one in zip(request["answers"], request["ids"][1:], strict=True):
            reply = {"raw": float(answer == str(seed)), "tagged": 0.0}
            send({"id": one, **reply}, order_of(answer))
'''


def write(folder: Path) -> WorkerSettings:
    """Write the program; return the settings of a worker that runs it."""
    body = PROGRAM.replace("__FOLDER__", repr(str(folder))).replace("__GREETING__", repr(GREETING))
    return worker_program(folder, body)


def orders(seed: int) -> Iterator[str]:
    """Yield orders for ever: all combinations of point and deed, shuffled, then again."""
    random = Random(seed)
    every = [f"{point}:{deed}" for point, deed in itertools.product(POINTS, DEEDS)]
    while True:
        random.shuffle(every)
        yield from (order + random.choice(["", ":once"]) for order in every)
