"""compat.keras against keras.layers.Resizing on each backend of Keras, each in a process that has KERAS_BACKEND set."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("keras_worker.py")
# Units in the last place of the largest value of float32. Keras computes bytes in float32, too, and rounds: sums within
# their last bits of a half may round the other way.
FORWARD_ULP = 16
BYTE_FRACTION = 1e-3


def run(backend: str, *arguments: str) -> dict:
    """Return the figures of the worker on one backend."""
    root = str(WORKER.parents[2])
    variables = {**os.environ, "KERAS_BACKEND": backend, "PYTHONPATH": root}
    command = [sys.executable, str(WORKER), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False, env=variables)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_pixels_gradients_and_saved_models(backend: str, record_property) -> None:
    if importlib.util.find_spec(backend) is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{backend} is not installed")
    figures = run(backend)
    record_property("figures", json.dumps(figures))
    assert figures["backend"] == backend and figures["calls"] > 100
    assert figures["ulp"] <= FORWARD_ULP and figures["nearest"] == 0
    assert figures["byte_step"] <= 1 and figures["bytes"] <= BYTE_FRACTION * figures["of"]
    assert figures["gradient"] <= 1e-6
    assert figures["saved"] is True
    assert figures["dialect"] == 0


def test_control_other_pixels_are_seen() -> None:
    figures = run("torch", json.dumps({"antialias": False}))
    assert figures["ulp"] > 1000 * FORWARD_ULP and figures["bytes"] > BYTE_FRACTION * figures["of"]


def test_refusals() -> None:
    code = (
        "import numpy as np, pytest\nfrom sizewise import errors\nfrom sizewise.compat.keras import Resizing\n"
        "x = np.ones((1, 8, 8, 3), 'float32')\n"
        "both = {'crop_to_aspect_ratio': True, 'pad_to_aspect_ratio': True}\n"
        "names = {'dialect': 'cv'}, {'dialect': 3}, {'fill_mode': 'wrap'}, {'interpolation': 'bilnear'}\n"
        "for bad in (*names, {'antialias': 'yes'}, {'fill_value': 'x'}, both):\n"
        "    with pytest.raises(errors.SizewiseError): Resizing(4, 4, **bad)\n"
        "for bad in ('4', 0, 4.5, None, True):\n"
        "    with pytest.raises(errors.ArgumentError, match='height'): Resizing(bad, 4)\n"
        "with pytest.raises(errors.UnsupportedError): Resizing(4, 4, 'lanczos3')(x)\n"
        "assert Resizing(4, 4, 'lanczos3', dialect='tensorflow')(x).shape == (1, 4, 4, 3)\n"
    )
    variables = {**os.environ, "KERAS_BACKEND": "torch"}
    subprocess.run([sys.executable, "-c", code], check=True, env=variables)


def test_keras_is_needed() -> None:
    code = (
        "import sys; sys.modules['keras'] = None\nfrom sizewise import errors\n"
        "try:\n    import sizewise.compat.keras\nexcept errors.MissingExtraError as e:\n"
        "    assert 'sizewise[keras]' in str(e)\nelse:\n    raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
