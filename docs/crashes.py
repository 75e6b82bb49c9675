"""Calls that crash a peer, or did, each run now in a process of its own: there, and the same of Sizewise."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import faults

PATIENCE = 60  # seconds, importing included, after which a call that should take none is stopped
ROOM = 12 << 30  # bytes of addresses that a process may have, so that the machine lives
MOST_WORDS = 160  # letters of an error message that are shown


@dataclass(frozen=True)
class Crash:
    """A call that has brought a peer down: code whose last line is the call, and the code that asks Sizewise the same.

    `report` is where it was reported; `then` says what it did in the release that it was reported of.
    """

    framework: str
    report: str
    then: str
    call: str
    ours: str


CRASHES = (
    Crash(
        framework="tensorflow",
        report="tensorflow/tensorflow#46890",
        then="aborted the process",
        call="tf.image.resize(np.ones((5, 5, 5)), [2065374891, 1145309325])",
        ours="sw.resize(np.ones((5, 5, 5)), (2065374891, 1145309325))",
    ),
    Crash(
        framework="tensorflow",
        report="tensorflow/tensorflow#57897",
        then="aborted the process",
        call="tf.image.resize(np.ones((2, 2, 2, 2)), [1801181592, 1846789676], antialias=True)",
        ours="sw.resize(np.ones((2, 2, 2, 2)), (1801181592, 1846789676), antialias=True)",
    ),
    Crash(
        framework="tensorflow",
        report="tensorflow/tensorflow#61576",
        then="aborted the process",
        call="tf.raw_ops.ResizeArea(images=tf.ones((0, 6, 6, 1)), size=[-1610612736, -1610612736])",
        ours='sw.resize(np.ones((0, 6, 6, 1)), (-1610612736, -1610612736), "area")',
    ),
    Crash(
        framework="tensorflow",
        report="tensorflow/tensorflow#57995",
        then="was a vulnerability (a security fix)",
        call="tf.raw_ops.ResizeNearestNeighborGrad(grads=tf.ones((1, 1, 1, 1)), size=[1879048192, 1879048192])",
        ours='sw.resize_grad(np.ones((1, 1, 1, 1), np.float32), (1879048192, 1879048192), "nearest")',
    ),
    Crash(
        framework="torch",
        report="pytorch/pytorch#88951",
        then="converted a number that no integer holds (undefined behaviour)",
        call='F.interpolate(torch.rand(5, 3, 16, 16), scale_factor=-1e20, mode="bilinear")',
        ours="sw.resize(np.ones((5, 16, 16, 3)), scale=-1e20)",
    ),
    Crash(
        framework="torch",
        report="pytorch/pytorch#88939",
        then="read outside its memory",
        call="""x = torch.ones((1, 1, 540, 540), dtype=torch.bfloat16)
F.interpolate(x, 2, mode="bilinear", align_corners=True).flatten().tolist()""",
        ours="""x = torch.ones((1, 1, 540, 540), dtype=torch.bfloat16)
sw.resize(x, (2, 2), dialect="torch", align_corners=True).flatten().tolist()""",
    ),
    Crash(
        framework="torch",
        report="pytorch/pytorch#162335",
        then="died of a signal",
        call="""x = torch._empty_affine_quantized((8, 6, 0, 7), scale=0.1, zero_point=85, dtype=torch.quint8)
F.interpolate(x, 202)""",
        ours="sw.resize(np.empty((8, 6, 0, 7), np.uint8), (202, 202), axes=(2, 3))",
    ),
    Crash(
        framework="torch",
        report="pytorch/pytorch#144643",
        then="returned wrong numbers, silently",
        call="""n = 2**22 + 4
x = (torch.arange(n) % 2).to(torch.float32)[None, None]
F.interpolate(x, 2 * n, mode="linear")[0, 0, -6:].tolist()""",
        ours="""n = 2**22 + 4
x = (np.arange(n) % 2).astype(np.float32)
sw.resize(x, 2 * n)[-6:].tolist()""",
    ),
    Crash(
        framework="tfjs",
        report="[framework-faults.md](../explanation/framework-faults.md)",
        then="never returned",
        call="""const tf = require('@tensorflow/tfjs');
tf.grad(x => tf.image.resizeNearestNeighbor(x, [2, 2], true).sum())(tf.ones([1, 1, 1, 1]))""",
        ours='sw.resize_grad(np.ones((2, 2)), (1, 1), "nearest", dialect="tfjs", align_corners=True).tolist()',
    ),
)

_IMPORTS = {
    "tensorflow": "import numpy as np, tensorflow as tf",
    "torch": "import numpy as np, torch, torch.nn.functional as F",
    "sizewise": "import numpy as np, sizewise as sw",
}
_RUN = """
import ast, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({room}, {room}))
names = {{}}
exec({imports!r}, names)
*lines, last = ast.parse({code!r}).body
try:
    exec(compile(ast.Module(lines, []), "<call>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
    words = f"returns {{value}}" if isinstance(value, list) else f"returns an array of shape {{tuple(value.shape)}}"
except Exception as error:
    words = f"raises {{type(error).__name__}}: {{error}}"
sys.stdout.buffer.write(words.encode())
"""


def theirs(crash: Crash) -> str:
    """What the peer does now, in words."""
    if crash.framework == "tfjs":
        return str(faults.said("tfjs", crash.call, faults.PATIENCE))
    return outcome(_IMPORTS[crash.framework], crash.call)


def ours(crash: Crash) -> str:
    """What Sizewise does, in words."""
    imports = _IMPORTS["sizewise"] + (", torch" if "torch." in crash.ours else "")
    return outcome(imports, crash.ours)


def outcome(imports: str, code: str) -> str:
    """What becomes of a process that runs the code: what it returns or raises, its signal, or that it never ends."""
    script = _RUN.format(room=ROOM, imports=imports, code=code)
    try:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"nothing: stopped after {PATIENCE} s"
    if done.returncode < 0:
        return f"the process dies of {signal.Signals(-done.returncode).name}"
    words = faults.plain(done.stdout.decode("utf-8", "replace"))
    return words if len(words) <= MOST_WORDS else f"{words[:MOST_WORDS].rstrip()} ..."


def table() -> list[str]:
    """The rows of a table in Markdown, each call run now."""
    with ThreadPoolExecutor(2) as pool:
        answers: list[tuple[str, str]] = list(pool.map(lambda crash: (theirs(crash), ours(crash)), CRASHES))
    rows = ["| call | reported | then | now | Sizewise |", "|---|---|---|---|---|"]
    for crash, (their, our) in zip(CRASHES, answers, strict=True):
        name = f"{faults.NAMES[crash.framework]} {faults.version(crash.framework)}"
        rows.append(f"| {_code(crash.call)} | {crash.report} | {crash.then} | {name}: {_cell(their)} | {_cell(our)} |")
    return rows


def _code(code: str) -> str:
    return "<br>".join(f"`{line}`" for line in code.splitlines())


def _cell(words: str) -> str:
    return words.replace("|", "\\|")
