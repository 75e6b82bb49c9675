"""The features that a preprocessor returns for `return_tensors`, in the style of transformers' BatchFeature."""

from __future__ import annotations

from typing import Any


class Features(dict[str, Any]):
    """A dictionary of arrays, also by attribute; `to` moves PyTorch's tensors to a device or dtype.

    >>> features = Features(pixel_values=[1, 2])
    >>> features.pixel_values is features["pixel_values"]
    True
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"these features have {', '.join(self) or 'no entries'}, not {name!r}") from None

    def to(self, *arguments: Any, **options: Any) -> Features:
        """Return the features with each tensor moved: the arguments are those of `torch.Tensor.to`.

        Only tensors of floats get another dtype, so that masks stay integers. Other arrays stay as they are.
        """
        return Features({name: _move(value, arguments, options) for name, value in self.items()})


def _move(value: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_move(one, arguments, options) for one in value]
    if not hasattr(value, "to") or not hasattr(value, "is_floating_point"):
        return value
    moved = value.to(*arguments, **options)
    return moved if value.is_floating_point() else moved.to(value.dtype)
