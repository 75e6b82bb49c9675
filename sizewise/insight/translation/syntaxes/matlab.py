"""MATLAB: imresize, written and not read."""

from __future__ import annotations

from ....resize_spec import ResizeSpec
from ..syntax import Syntax, lengths, plain


def _write(spec: ResizeSpec, image: str) -> str:
    size = f"[{' '.join(lengths(spec, image, of=('', '')))}]" if spec.scale is None else repr(plain(spec.scale))
    return f'imresize({image}, {size}, "{spec.method}", Antialiasing={str(spec.antialias).lower()})'


MATLAB = Syntax("matlab", "MATLAB", "matlab", names=(), read=None, write=_write, layout="HWC", scaled=True)
