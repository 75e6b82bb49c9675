"""JAX in new processes: other versions of XLA, several devices, the end of Python."""

from __future__ import annotations

from itertools import product

import jax
import pytest
from samples import sample
from subprocesses import run_in_subprocess

from sizewise.backends import _xla

UNKNOWN = """
import warnings
import jax, jax.numpy as jnp, numpy as np, sizewise as sw
from sizewise.backends import _xla
{change}
x = np.arange(12, dtype=np.float32).reshape(4, 3)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    y = jax.jit(lambda x: sw.resize(x, (7, 5)))(x)
messages = [str(one.message) for one in caught if one.category is sw.errors.SizewiseWarning]
assert len(messages) == 1 and {message!r} in messages[0], messages
assert (np.asarray(y) == sw.resize(x, (7, 5))).all() and float(jnp.sum(jnp.ones(3))) == 3
"""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("_xla.TESTED = ((9, 1), (9, 2))", "and known are 9.1, 9.2"),
        ("_xla.TESTED = ((0, 99),); _xla.version = lambda include: (0, 99)", "XLA"),  # XLA itself refuses it
        ("jax.ffi.include_dir = lambda: '/nowhere'", "No such file"),
    ],
    ids=["not known", "refused by XLA", "no headers"],
)
def test_another_xla_is_called_back(change: str, message: str) -> None:
    run_in_subprocess(UNKNOWN.format(change=change, message=message))


def test_the_version_is_that_of_the_headers() -> None:
    assert _xla.version(jax.ffi.include_dir()) in _xla.TESTED


def test_python_ends_while_xla_still_works() -> None:
    run_in_subprocess(
        "import jax, jax.numpy as jnp, sizewise as sw\n"
        "x = jnp.ones((16, 256, 256, 3))\n"
        "sw.resize(x[:1, :8, :8], (5, 5)).block_until_ready()\n"
        "y = jax.jit(lambda x: sw.resize(sw.resize(x * 2, (300, 300), 'lanczos3'), (250, 250)))(x)\n"
        "assert not y.is_ready()"
    )


def test_arrays_in_parts_on_several_devices() -> None:
    run_in_subprocess(
        "import os; os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=2'\n"
        "import jax, numpy as np, sizewise as sw\n"
        "from jax.sharding import NamedSharding, PartitionSpec as P\n"
        "mesh = jax.make_mesh((2,), ('b',))\n"
        "x = np.random.default_rng(0).standard_normal((4, 6, 5, 3)).astype(np.float32)\n"
        "for where in (P('b'), P(None, 'b')):\n"
        "    given = jax.device_put(x, NamedSharding(mesh, where))\n"
        "    for call in (lambda x: sw.resize(x, (3, 7)), jax.jit(lambda x: sw.resize(x, (3, 7)))):\n"
        "        assert (np.asarray(call(given)) == sw.resize(x, (3, 7))).all()\n"
    )


DEVICES = """
import os; os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=4'
import jax, jax.numpy as jnp, numpy as np, sizewise as sw
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

def mesh(kind):
    return jax.make_mesh((4,), ("d",), axis_types=(kind,))

x = np.random.default_rng(0).standard_normal((8, 8, 4, 4)).astype(np.float32)
theirs = lambda x: jax.image.resize(x, (*x.shape[:-3], 4, 12, x.shape[-1]), "linear")
engines = [lambda x, engine=engine: sw.resize(x, (4, 12), "linear", dialect="jax", engine=engine)
           for engine in ("kernel", "framework")]

def outcome(call):
    try:
        return call()
    except Exception as error:
        return error

def assert_alike(what, make):
    expected = outcome(lambda: make(theirs))
    for resize in engines:
        result = outcome(lambda: make(resize))
        if isinstance(expected, Exception):
            assert type(result) is type(expected) and str(result)[:60] == str(expected)[:60], (what, result, expected)
        else:
            assert not isinstance(result, Exception), (what, result)
            assert jax.typeof(result) == jax.typeof(expected), (what, jax.typeof(result), jax.typeof(expected))
            np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4, err_msg=what)
    return expected
"""


def test_shard_map() -> None:
    """A shard_map works wherever it does with jax.image.resize, and fails with the same error elsewhere."""
    inside = ["forward", "jit", "gradient", "tangent", "transpose", "vmap", "gradients", "hessian", "scan", "cond"]
    inside = [*sample([*inside, "checkpoint"], 4), "sum over devices"]
    mapped = sample(product((True, False), ("d", None), ("forward", "gradient")), 3)
    run_in_subprocess(
        DEVICES
        + f"chosen, maps = {inside}, {mapped}"
        + """
square = lambda resize: lambda x: (resize(x) ** 2).sum()
INSIDE = {
    "forward": lambda resize: resize,
    "jit": jax.jit,
    "gradient": lambda resize: jax.grad(square(resize)),
    "tangent": lambda resize: lambda x: jax.jvp(resize, (x,), (x,))[1],
    "transpose": lambda resize: lambda x: jax.vjp(resize, x)[1](resize(x))[0],
    "vmap": jax.vmap,
    "gradients": lambda resize: jax.vmap(jax.grad(square(resize))),
    "hessian": lambda resize: lambda x: jax.hessian(square(resize))(x[:, :2, :2, :1]),
    "scan": lambda resize: lambda x: jax.lax.scan(lambda carry, one: (carry, resize(one)), 0, x)[1],
    "cond": lambda resize: lambda x: jax.lax.cond(x.sum() > 0, resize, lambda x: resize(x) * 2, x),
    "checkpoint": lambda resize: jax.grad(jax.checkpoint(square(resize))),
    "sum over devices": lambda resize: lambda x: jax.lax.psum(resize(x), "d"),
}

def shard(f, inputs, outputs, checked=True):
    return jax.shard_map(f, mesh=mesh(AxisType.Auto), in_specs=inputs, out_specs=outputs, check_vma=checked)

refused = []
for name in chosen:
    for outputs in (P("d"), P()):
        make = lambda resize: jax.jit(shard(INSIDE[name](resize), P("d"), outputs))(x)
        refused += [(name, outputs)] * isinstance(assert_alike(f"{name} {outputs}", make), Exception)
assert refused == [(name, P()) for name in chosen if name != "sum over devices"], refused

for checked, axis, name in maps:
    where = P(axis) if axis else P()
    mapped = lambda resize: shard(INSIDE[name](resize), where, where, checked)
    what = f"of {name}, {where}, check_vma={checked}"
    assert_alike("value " + what, lambda resize: mapped(resize)(x))
    assert_alike("gradient " + what, lambda resize: jax.jit(jax.grad(square(mapped(resize))))(x))
    assert_alike("vmap " + what, lambda resize: jax.jit(jax.vmap(mapped(resize)))(jnp.stack([x, x])))
""",
        timeout=600,
    )


def test_shardings_in_types() -> None:
    """Batches stay sharded, resized axes are gathered, and gradients are sharded as the input is."""
    places = sample([("d",), (None, "d"), (None, None, "d"), (None, None, None, "d"), ()], 2)
    run_in_subprocess(
        DEVICES
        + f"places = {places}"
        + """
explicit = mesh(AxisType.Explicit)
with jax.set_mesh(explicit):
    for where in (P(*place) for place in places):
        given = jax.device_put(x, NamedSharding(explicit, where))
        for kept in (lambda f: f, jax.jit):
            assert_alike(f"{where}", lambda resize: kept(resize)(given))
            assert_alike(f"gradient {where}", lambda resize: kept(jax.grad(lambda x: (resize(x) ** 2).sum()))(given))
            assert_alike(f"vmap {where}", lambda resize: kept(jax.vmap(resize))(given))
""",
        timeout=300,
    )


def test_pmap() -> None:
    run_in_subprocess(
        DEVICES
        + """
x = x.reshape(4, 2, *x.shape[1:])
assert_alike("pmap", lambda resize: jax.pmap(resize)(x) + 0)
assert_alike("gradient in it", lambda resize: jax.pmap(jax.grad(lambda x: (resize(x) ** 2).sum()))(x) + 0)
assert_alike("gradient of it", lambda resize: jax.grad(lambda x: (jax.pmap(resize)(x) ** 2).sum())(x) + 0)
""",
    )


def test_an_older_jax_is_refused() -> None:
    run_in_subprocess(
        "import jax, sizewise as sw\n"
        "jax.__version_info__, jax.__version__ = (0, 7, 2), '0.7.2'\n"
        "try:\n"
        "    sw.resize(jax.numpy.ones((3, 3)), (2, 2))\n"
        "except sw.errors.ArgumentError as error:\n"
        "    assert 'needs JAX 0.8 or newer' in str(error) and '0.7.2' in str(error)\n"
        "else:\n"
        "    raise AssertionError\n"
    )
