"""Watch: the resizes that a PyTorch model performs when it runs, with their shapes and modules.

Nothing is patched: a TorchFunctionMode sees every call on its thread, whatever name the model imported the function
under.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from threading import get_ident
from typing import Any

from ..errors import ArgumentTypeError, MissingExtraError
from ..resize_spec import ResizeSpec
from .audit.model_audit import EXAMPLE, Audit, Done, audit_nodes
from .audit.node import Model, Node
from .audit.predict import Pixels

_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_NOTED = {"grid_sample": "samples at computed coordinates; not a plain resize"}


class Watch:
    """The resizes seen so far, in the order of the calls; watches until its `with` block ends."""

    def __init__(self, model: Any = None) -> None:
        torch = sys.modules.get("torch")  # which every model has imported
        if model is not None and not (torch and isinstance(model, torch.nn.Module)):
            raise ArgumentTypeError(f"watch() takes a torch.nn.Module, not {type(model).__name__}")
        self._model = model
        self._stack: list[str] = []  # running modules, the innermost last
        self._entered: list[ExitStack] = []
        self._calls: list[Node] = []
        self._thread = 0  # the watching thread; others may run the model, too

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The calls; the second one of a module has #2 after its name."""
        seen: Counter[str] = Counter()
        nodes = []
        for node in self._calls:
            seen[node.name] += 1
            nodes.append(replace(node, name=f"{node.name} #{seen[node.name]}") if seen[node.name] > 1 else node)
        return tuple(nodes)

    def audit(
        self,
        targets: Sequence[str] = (),
        *,
        example: tuple[int, int] = EXAMPLE,
        image: Pixels | None = None,
        image_name: str = "",
        done: Done | None = None,
    ) -> Audit:
        """Audit the calls, as `sizewise audit` does a file; `sizewise.report.audit` prints the facts."""
        model = Model(f"PyTorch {_torch().__version__.partition('+')[0]}, watched", self.nodes)
        name = type(self._model).__name__ if self._model is not None else "every call"
        return audit_nodes(name, model, targets, example=example, image=image, image_name=image_name, done=done)

    report = audit

    def __enter__(self) -> Watch:
        self._thread = get_ident()
        with ExitStack() as entered:
            for name, module in [] if self._model is None else self._model.named_modules():
                before = module.register_forward_pre_hook(self._enter_hook(name), prepend=True)
                entered.callback(before.remove)
                after = module.register_forward_hook(self._leave_hook, always_call=True)
                entered.callback(after.remove)
            entered.enter_context(_mode(self._calls, self._stack))
            self._entered.append(entered.pop_all())
        return self

    def __exit__(self, *exception: object) -> None:
        self._entered.pop().close()
        if not self._entered:
            self._stack.clear()

    def _enter_hook(self, name: str) -> Callable[..., None]:
        def enter(module: Any, arguments: Any) -> None:
            if get_ident() == self._thread:
                self._stack.append(name)

        return enter

    def _leave_hook(self, module: Any, arguments: Any, result: Any) -> None:
        if self._stack and get_ident() == self._thread:
            self._stack.pop()


def watch(model: Any = None) -> Watch:
    """Watch the resizes of a PyTorch model: `with watch(model) as seen: model(x)`, then `seen.audit()`.

    Without a model, every resize of the thread is seen, without module names. Compiled and scripted code is not seen.
    All hooks are removed when the `with` block ends, also by an exception.

    >>> import torch
    >>> with watch() as seen:
    ...     _ = torch.nn.functional.interpolate(torch.zeros(1, 1, 4, 4), size=(2, 2))
    >>> seen.nodes[0].spec.label
    'torch nearest'
    """
    return Watch(model)


def _torch() -> Any:
    try:
        import torch
    except ImportError:
        raise MissingExtraError("watch()", "torch") from None
    return torch


def _mode(calls: list[Node], stack: list[str]) -> Any:
    """Return the mode that records resizes."""
    torch = _torch()
    functional = torch.nn.functional
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = function(*args, **(kwargs or {}))
            name = next((name for name in reversed(stack) if name), "")
            if function is functional.interpolate:
                given = inspect.signature(functional.interpolate).bind(*args, **(kwargs or {}))
                given.apply_defaults()
                calls.append(_node(given.arguments, result, name))
            elif getattr(function, "__name__", "") in _NOTED and result is not NotImplemented:
                image = args[0] if args else kwargs["input"]
                calls.append(_noted(function.__name__, image, result, name))
            return result

    return Mode()


def _node(given: dict[str, Any], result: Any, name: str) -> Node:
    """Return the node of a call of interpolate."""
    scale, axes = given["scale_factor"], given["input"].dim() - 2
    if scale is not None:
        each = scale if isinstance(scale, (list, tuple)) else [scale] * axes
        scale = None if given["recompute_scale_factor"] else tuple(map(float, each))
    options = {"align_corners": bool(given["align_corners"])}
    spec = ResizeSpec.of("torch", given["mode"], bool(given["antialias"]), options)
    return replace(_noted("interpolate", given["input"], result, name), scale=scale, spec=spec)


def _noted(op: str, image: Any, result: Any, name: str) -> Node:
    before, after = (tuple(int(n) for n in one.shape[2:]) for one in (image, result))
    return Node(name or op, op, before, after, _LAYOUTS.get(image.dim() - 2, ""), note=_NOTED.get(op, ""))
