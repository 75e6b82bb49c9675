"""TensorFlow tensors that cannot be resized, sizes that a graph leaves open, and other messages."""

from __future__ import annotations

import importlib.util
import re
from types import SimpleNamespace

import pytest
import tensorflow as tf
from tensorflow_calls import CALLS, tensor

import sizewise as sw
from sizewise.backends import tensorflow as backend
from sizewise.errors import ArgumentError, ArgumentTypeError, DtypeError, UnknownNameError, UnsupportedError


class TestBadInput:
    @pytest.mark.parametrize(
        ("x", "error", "message"),
        [
            (tf.constant([["a", "b"]]), DtypeError, "string"),
            (tf.complex(tf.ones((4, 4)), tf.ones((4, 4))), DtypeError, "complex64"),
            (tf.ragged.constant([[1.0], [2.0, 3.0]]), ArgumentTypeError, r"x\.to_tensor\(\)"),
            (tf.sparse.from_dense([[1.0, 0.0]]), ArgumentTypeError, r"tf\.sparse\.to_dense\(x\)"),
            (tf.constant(1.0), ArgumentError, "0-d"),
            (tf.ones((2, 0, 4, 3)), ArgumentError, "length 0"),
        ],
        ids=["strings", "complex", "ragged", "sparse", "scalar", "empty"],
    )
    def test_tensors(self, x, error, message):
        with pytest.raises(error, match=message):
            sw.resize(x, (2, 2))

    def test_arguments(self):
        x = tensor()
        with pytest.raises(ArgumentError, match="out cannot be used with tensors of TensorFlow"):
            sw.resize(x, (4, 4), out=tf.zeros((2, 4, 4, 3)))
        with pytest.raises(UnknownNameError, match="framework"):
            sw.resize(x, (4, 4), engine="framwork")
        with pytest.raises(ArgumentError, match="every entry must be an integer"):
            sw.resize(x, ("4", "4"))
        with pytest.raises(DtypeError, match="floating dtypes only, not int32"):
            sw.resize_grad(tf.ones((4, 4), tf.int32), (8, 8))
        with pytest.raises(UnsupportedError, match="only the kernels do"):
            sw.resize(tf.cast(x, tf.uint8), (18, 14), dialect="opencv", engine="framework")

    @pytest.mark.parametrize(
        ("shape", "message"),
        [((None, None, 7, 3), "unknown length"), ((2, 9, None, 3), "unknown length"), (None, "unknown rank")],
    )
    def test_unknown_shapes(self, shape, message):
        graph = tf.function(CALLS["bilinear"], input_signature=[tf.TensorSpec(shape)], autograph=False)
        with pytest.raises(ArgumentError, match=message):
            graph(tensor("float32"))

    @pytest.mark.parametrize(
        "call",
        [
            lambda x, n: sw.resize(x, n),
            lambda x, n: sw.resize(x, (n[0], 3)),
            lambda x, n: sw.resize(x, scale=tf.cast(n, tf.float32)),
            lambda x, n: sw.resize(x, tf.shape(x)[1:3] // 2),
        ],
    )
    def test_sizes_that_the_graph_leaves_open(self, call):
        shapes = [tf.TensorSpec((None, 9, 7, 3)), tf.TensorSpec(2, tf.int32)]
        graph = tf.function(call, input_signature=shapes, autograph=False)
        with pytest.raises(ArgumentError, match=r"(size|scale) is a tensor of a graph.* compute it from x.shape"):
            graph(tensor("float32"), tf.constant([4, 3]))

    def test_autograph_keeps_the_message_of_an_error(self):
        graph = tf.function(lambda x: sw.resize(x, (2, 2)), input_signature=[tf.TensorSpec((None, None, 3))])
        with pytest.raises(Exception, match=re.escape("(None, None, 3)")):
            graph(tf.ones((4, 4, 3)))

    @pytest.mark.parametrize("inside", [False, True])
    def test_kernels_under_xla(self, inside):
        def call(x):
            return CALLS["bilinear"](x, engine="kernel")

        graph = tf.function(tf.function(call) if inside else call, jit_compile=True)
        with pytest.raises(Exception, match="the kernels cannot run inside jit_compile=True"):
            graph(tensor("float32"))

    def test_kernels_on_another_device(self):
        elsewhere = SimpleNamespace(backing_device="/job:localhost/replica:0/task:0/device:GPU:0")
        assert not backend._use_kernels(elsewhere, None)
        with pytest.raises(UnsupportedError, match=r"this tensor is on .*GPU:0"):
            backend._use_kernels(elsewhere, "kernel")
        with pytest.raises(UnsupportedError, match=r"this tensor is on .*GPU:0"), tf.Graph().as_default():
            with tf.device("GPU:0"):
                x = tf.identity(tf.zeros((4, 4)))
            sw.resize(x, (2, 2), engine="kernel")
        remote = SimpleNamespace(backing_device="/job:worker/replica:0/task:1/device:CPU:0")
        assert not backend._use_kernels(remote, None)

    def test_a_tensorflow_that_is_too_old(self, monkeypatch):
        spec = importlib.util.spec_from_file_location("sizewise.backends.tensorflow", backend.__file__)
        monkeypatch.setattr(tf, "__version__", "2.15.1")
        with pytest.raises(ArgumentError, match=r"needs TensorFlow 2\.16 or newer for its arrays; this is 2\.15\.1"):
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
