"""The printed form of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import dialects

if TYPE_CHECKING:
    from .plan import Plan


def format_size(size: tuple[int, ...]) -> str:
    """Return a size as in 480x640."""
    return "x".join(map(str, size))


def format_plan(plan: Plan) -> str:
    """Return a plan as a short table."""
    request = plan.request
    arguments = [request.method, f"antialias={request.antialias}", f"dialect={request.dialect}"]
    arguments += [f"{name}={value}" for name, value in request.options]
    kind = ("Plan" if plan.parent is plan else "Tile of a Plan") + (".T" if plan.transposed else "")
    rows = [("axis", "n_in", "n_out", "scale", "taps", "row sums", "inputs read")]
    for axis, (one, scale) in enumerate(zip(plan.taps, plan.scale, strict=True)):
        taps, sums = f"{one.count.min()}..{one.count.max()}", one.weights.sum(axis=1)
        n_read = int(one.is_read.sum())
        read = f"{n_read} ({n_read / max(one.n_in, 1):.4g} of all)"
        sizes = (str(axis), str(one.n_in), str(one.n_out), f"{scale:.6g}")
        rows.append((*sizes, taps, f"{sums.min():.6g}..{sums.max():.6g}", read))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["   ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    heading = f"{kind} {format_size(plan.input_size)} -> {format_size(plan.output_size)}: {', '.join(arguments)}"
    return "\n".join([heading, *lines, f"{request.dialect}: {dialects.get(request.dialect).versions}"])
