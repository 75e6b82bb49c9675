"""Calls that crash another library, or did: each is run now in a separate process, there and in Sizewise."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import faults

TIMEOUT_SECONDS = 60  # imports included
ADDRESS_SPACE_BYTES = 12 << 30  # limit of a process, to protect the machine
MAX_MESSAGE_LENGTH = 160  # characters of an error message to show


@dataclass(frozen=True)
class Crash:
    """A call that crashes another library: code whose last line is the call, and the same resize in Sizewise.

    `report` is where it was reported; `then` is what it did in the release of that report.
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
        then="converted a number that no integer holds (undefined behavior)",
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
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
names = {{}}
exec({imports!r}, names)
*lines, last = ast.parse({code!r}).body
try:
    exec(compile(ast.Module(lines, []), "<call>", "exec"), names)
    value = eval(compile(ast.Expression(last.value), "<call>", "eval"), names)
    text = f"returns {{value}}" if isinstance(value, list) else f"returns an array of shape {{tuple(value.shape)}}"
except Exception as error:
    text = f"raises {{type(error).__name__}}: {{error}}"
sys.stdout.buffer.write(text.encode())
"""


def theirs(crash: Crash) -> str:
    """Return what the other library does now, as text."""
    if crash.framework == "tfjs":
        return str(faults.reply("tfjs", crash.call, faults.TIMEOUT_SECONDS))
    return outcome(_IMPORTS[crash.framework], crash.call)


def ours(crash: Crash) -> str:
    """Return what Sizewise does, as text."""
    imports = _IMPORTS["sizewise"] + (", torch" if "torch." in crash.ours else "")
    return outcome(imports, crash.ours)


def outcome(imports: str, code: str) -> str:
    """Run the code in a process; return its result, its error, its signal, or that it did not end."""
    script = _RUN.format(limit=ADDRESS_SPACE_BYTES, imports=imports, code=code)
    try:
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"nothing: stopped after {TIMEOUT_SECONDS} s"
    if done.returncode < 0:
        return f"the process dies of {signal.Signals(-done.returncode).name}"
    text = faults.first_line(done.stdout.decode("utf-8", "replace"))
    return text if len(text) <= MAX_MESSAGE_LENGTH else f"{text[:MAX_MESSAGE_LENGTH].rstrip()} ..."


def table() -> list[str]:
    """Run each call; return the lines of a Markdown table."""
    with ThreadPoolExecutor(2) as pool:
        answers: list[tuple[str, str]] = list(pool.map(lambda crash: (theirs(crash), ours(crash)), CRASHES))
    rows = ["| call | reported | then | now | Sizewise |", "|---|---|---|---|---|"]
    for crash, (their, our) in zip(CRASHES, answers, strict=True):
        name = f"{faults.NAMES[crash.framework]} {faults.version(crash.framework)}"
        rows.append(f"| {_code(crash.call)} | {crash.report} | {crash.then} | {name}: {_cell(their)} | {_cell(our)} |")
    return rows


def _code(code: str) -> str:
    return "<br>".join(f"`{line}`" for line in code.splitlines())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
