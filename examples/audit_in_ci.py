"""Fail a build if a model's resizes do not survive the export: the same as `sizewise audit MODEL --fail-on high`.

Run as `python examples/audit_in_ci.py model.onnx`. Without a model, it audits one that it builds.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from onnx import TensorProto, helper, save


def build_model(path: Path) -> None:
    """Write a model with one resize that TFLite cannot do: cubic."""
    size = helper.make_node("Constant", [], ["size"], value_ints=[1, 3, 96, 96])
    resize = helper.make_node("Resize", ["x", "", "", "size"], ["y"], name="head/resize", mode="cubic")
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (1, 3, 64, 64))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 3, 96, 96))
    graph = helper.make_graph([size, resize], "demo", [x], [y])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)]), path)


def audit(model: Path) -> int:
    """Print the audit of a model; return 1 if a finding is of severity high, else 0."""
    command = [sys.executable, "-m", "sizewise", "audit", str(model), "--target", "tflite", "--fail-on", "high"]
    return subprocess.run(command, check=False).returncode


if len(sys.argv) > 1:
    sys.exit(audit(Path(sys.argv[1])))

with tempfile.TemporaryDirectory() as folder:
    demo = Path(folder) / "demo.onnx"
    build_model(demo)
    code = audit(demo)
print(f"exit code {code}: the build fails" if code else "exit code 0: the build passes")
assert code == 1
