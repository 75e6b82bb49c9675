"""`sizewise --version --verbose`, and completion in shells."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version

import pytest
from variants import at_each

import sizewise as sw


def test_verbose_prints_one_fact_a_line(command):
    code, out, err = command("--version", "--verbose")
    assert (code, err) == (0, "")
    facts = {line.split()[0]: line.split(maxsplit=1)[1] for line in out.splitlines()}
    core = sw.core_info()
    assert (facts["sizewise"], facts["isa"], facts["supported"]) == (
        sw.__version__,
        core.isa,
        ", ".join(core.supported),
    )
    assert (facts["numpy"], facts["machine"]) == (version("numpy"), platform.machine())
    assert f"typer {version('typer')}" in facts["packages"]


def test_json_has_the_same_facts(command):
    code, out, _ = command("--version", "--verbose", "--json")
    facts = json.loads(out)
    assert code == 0
    assert (facts["sizewise"], facts["core"]) == (sw.__version__, sw.core_info().version)
    assert facts["packages"]["pillow"] == version("pillow")


def test_no_framework_is_imported(process):
    code = """
import sys
from sizewise.cli.app import run
run(["--version", "--verbose"])
print(sorted({"torch", "tensorflow", "jax", "keras", "cv2", "transformers", "dask"} & set(sys.modules)))
"""
    assert process("-c", code).stdout.splitlines()[-1] == "[]"


def test_the_reason_for_the_fallback_is_a_fact(process):
    done = process("-m", "sizewise", "--version", "--verbose", "--json", SIZEWISE_ISA="numpy")
    facts = json.loads(done.stdout)
    assert (facts["isa"], facts["core"], facts["reason"]) == ("numpy", None, "SIZEWISE_ISA=numpy")


@at_each(option=["--verbose", "--json"])
def test_facts_need_the_version_option(command, option):
    message = f"sizewise: {option} before a command belongs to --version: sizewise --version {option}\n"
    assert command(option) == (2, "", message)


@pytest.mark.parametrize(
    ("words", "expected"), [("sizewise expl", "explain"), ("sizewise preprocess comp", "compare")], ids=str
)
def test_a_shell_completes_commands(process, words, expected):
    given = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_SIZEWISE_COMPLETE": "complete_bash"}
    code = "import sys; sys.argv[0] = 'sizewise'; from sizewise.cli import main; main()"
    done = process("-c", code, **given)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, [expected], "")
