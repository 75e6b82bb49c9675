"""Watching: which resizes a PyTorch model really makes when it runs, with their shapes and where in the model.

Nothing is patched: PyTorch itself tells a TorchFunctionMode of every call on the thread that watches, whatever name the
model imported the function under.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import get_ident
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentTypeError, MissingExtraError
from .audit.auditing import EXAMPLE, Audit, Done, audit_nodes
from .audit.node import Model, Node, Words
from .audit.prediction import Pixels

if TYPE_CHECKING:
    from types import TracebackType

_METHODS = {"linear": "bilinear", "trilinear": "bilinear"}
_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_NOTED = {"grid_sample": "a sampling at coordinates that are computed; not a plain resize"}


class Watch:
    """The resizes that were seen, in the order they were made; it goes on watching until its `with` ends.

    >>> import torch
    >>> model = torch.nn.Sequential(torch.nn.Conv2d(3, 3, 1), torch.nn.Upsample(scale_factor=2, mode="bilinear"))
    >>> with watch(model) as seen:
    ...     _ = model(torch.zeros(1, 3, 8, 8))
    >>> [(node.name, node.input_size, node.output_size) for node in seen.nodes]
    [('1', (8, 8), (16, 16))]
    """

    def __init__(self, model: Any = None) -> None:
        _torch()
        self._model = model
        self._names = _names(model)
        self._stack: list[str] = []  # the modules that are running, the innermost last
        self._entered: list[ExitStack] = []
        self._calls: list[Node] = []
        self._thread = 0  # the one that watches: others may run the model, too

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The calls; a second one of the same module has #2 after its name."""
        seen: dict[str, int] = {}
        return tuple(_numbered(node, seen) for node in self._calls)

    def audit(
        self,
        targets: Sequence[str] = (),
        *,
        example: tuple[int, int] = EXAMPLE,
        image: Pixels | None = None,
        image_name: str = "",
        done: Done | None = None,
    ) -> Audit:
        """The same facts that `sizewise audit` finds in a file: `sizewise.report.audit` draws them."""
        kind = f"PyTorch {_torch().__version__.partition('+')[0]}, watched"
        model = Model(kind, self.nodes)
        name = type(self._model).__name__ if self._model is not None else "every call"
        return audit_nodes(name, model, targets, example=example, image=image, image_name=image_name, done=done)

    report = audit

    def __enter__(self) -> Watch:
        self._thread = get_ident()
        with ExitStack() as entered:
            for module, name in self._names:
                before = module.register_forward_pre_hook(self._enters(name), prepend=True)
                entered.callback(before.remove)
                after = module.register_forward_hook(self._leaves, always_call=True)
                entered.callback(after.remove)
            entered.enter_context(_mode(self._calls, self._stack))
            self._entered.append(entered.pop_all())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._entered.pop().close()
        if not self._entered:
            self._stack.clear()

    def _enters(self, name: str) -> Callable[..., None]:
        def enters(module: Any, arguments: Any) -> None:
            if get_ident() == self._thread:
                self._stack.append(name)

        return enters

    def _leaves(self, module: Any, arguments: Any, result: Any) -> None:
        if self._stack and get_ident() == self._thread:
            self._stack.pop()


def watch(model: Any = None) -> Watch:
    """Watches what resizes a PyTorch model makes: `with watch(model) as seen: model(x)`, then `seen.audit()`.

    Without a model, every resize of the thread is seen, and none has a module's name. What is compiled or scripted runs
    elsewhere, and is not seen. Everything is as before when the `with` ends, however it ends.

    >>> import torch
    >>> with watch() as seen:
    ...     _ = torch.nn.functional.interpolate(torch.zeros(1, 1, 4, 4), size=(2, 2))
    >>> seen.nodes[0].words
    Words(dialect='torch', method='nearest', antialias=False, options=())
    """
    return Watch(model)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError("watch()", "torch") from None
    return torch


def _names(model: Any) -> list[tuple[Any, str]]:
    if model is None:
        return []
    if not isinstance(model, _torch().nn.Module):
        raise ArgumentTypeError(f"watch() takes a torch.nn.Module, not {type(model).__name__}")
    return [(module, name) for name, module in model.named_modules()]


def _numbered(node: Node, seen: dict[str, int]) -> Node:
    seen[node.name] = seen.get(node.name, 0) + 1
    return replace(node, name=f"{node.name} #{seen[node.name]}") if seen[node.name] > 1 else node


def _mode(calls: list[Node], stack: list[str]) -> Any:
    """What PyTorch tells of every call of a function."""
    torch = _torch()
    functional = torch.nn.functional
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            if function is functional.interpolate:
                given = inspect.signature(functional.interpolate).bind(*args, **(kwargs or {}))
                given.apply_defaults()
                calls.append(_node(given.arguments, result, _place(stack)))
            elif getattr(function, "__name__", "") in _NOTED and result is not NotImplemented:
                calls.append(_noted(function.__name__, args, kwargs or {}, result, _place(stack)))
            return result

    return Mode()


def _place(stack: list[str]) -> str:
    return next((name for name in reversed(stack) if name), "")


def _node(given: dict[str, Any], result: Any, name: str) -> Node:
    """A call of interpolate, in the words of dialect torch."""
    method, scale = given["mode"], given["scale_factor"]
    axes = given["input"].dim() - 2
    if scale is not None and not given["recompute_scale_factor"]:
        scale = tuple(float(one) for one in (scale if isinstance(scale, (list, tuple)) else [scale] * axes))
    else:
        scale = None
    options = (("align_corners", True),) if given["align_corners"] else ()
    return Node(
        name=name or "interpolate",
        op="interpolate",
        input_size=tuple(int(n) for n in given["input"].shape[2:]),
        output_size=tuple(int(n) for n in result.shape[2:]),
        layout=_LAYOUTS.get(axes, ""),
        scale=scale,
        words=Words("torch", _METHODS.get(method, method), bool(given["antialias"]), options),
    )


def _noted(op: str, args: Any, kwargs: Any, result: Any, name: str) -> Node:
    image = args[0] if args else kwargs["input"]
    before, after = (tuple(int(n) for n in one.shape[2:]) for one in (image, result))
    return Node(name or op, op, before, after, _LAYOUTS.get(image.dim() - 2, ""), note=_NOTED[op])
