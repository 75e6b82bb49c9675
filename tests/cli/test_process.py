"""The command as a process: pipes, colors, closed pipes, missing packages, and imports."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import sizewise as sw

SNAPSHOT = Path(__file__).with_name("explain_16x16_4x4.txt").read_text(encoding="utf-8")
COMMAND = ("-m", "sizewise", "explain", "16x16", "4x4")


def test_a_pipe_gets_plain_text(process):
    done = process(*COMMAND)
    assert (done.returncode, done.stdout, done.stderr) == (0, SNAPSHOT, "")


def test_no_color_keeps_the_shades_even_on_a_terminal(process):
    done = process(*COMMAND, NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b[38" not in done.stdout
    assert "\x1b[48" not in done.stdout
    assert "█···█···█···█···" in done.stdout


def test_a_terminal_gets_color(process):
    done = process(*COMMAND, FORCE_COLOR="1", COLORTERM="truecolor")
    assert "\x1b[38;2;253;231;37;48;2;62;62;70m▀" in done.stdout  # viridis yellow above the gray of no gradient
    assert "░" not in done.stdout


def test_a_stream_without_unicode_gets_ascii(process):
    done = process(*COMMAND, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "@...@...@...@..." in done.stdout


def test_errors_leave_stdout_empty(process):
    done = process("-m", "sizewise", "explain", "16x16", "4x4", "--dialect", "tensorflw1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("sizewise: unknown dialect: 'tensorflw1'; did you mean 'tensorflow1'?")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
@pytest.mark.parametrize(("arguments", "reader"), [("", "head -1"), ("", "true"), ("--json", "true")])
def test_a_closed_pipe_is_no_error_message(process, arguments, reader):
    line = f"(sleep 0.2; {shlex.quote(sys.executable)} {' '.join(COMMAND)} {arguments}) | {reader}"
    done = process("-c", f"import subprocess, sys; sys.exit(subprocess.call({line!r}, shell=True))")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (SNAPSHOT.splitlines(keepends=True)[0] if reader == "head -1" else "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["text", "json"])
def test_a_full_disk_is_one_line(process, arguments):
    line = f"{shlex.quote(sys.executable)} {' '.join([*COMMAND, *arguments])} > /dev/full"
    done = process("-c", f"import subprocess, sys; sys.exit(subprocess.call({line!r}, shell=True))")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "sizewise: cannot write the result: No space left on device\n"


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_a_missing_package_is_named_with_its_extra(process, package):
    blocked = f"""
import sys
sys.modules[{package!r}] = None  # makes its import fail
sys.argv = ["sizewise", "explain", "16x16", "4x4"]
from sizewise.cli import main
main()
"""
    done = process("-c", blocked)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'sizewise: the sizewise command needs an optional package: pip install "sizewise[cli]"\n'


def test_a_bug_report_needs_no_extra(process):
    blocked = "import sys; sys.modules['typer'] = None; from sizewise.cli import main; main()"
    facts = process("-c", blocked, "--version", "--verbose", "--json")
    assert (facts.returncode, facts.stderr) == (0, "")
    assert json.loads(facts.stdout)["sizewise"] == sw.__version__
    assert process("-c", blocked, "--version").stdout == f"sizewise {sw.__version__}\n"


def test_another_missing_module_is_not_blamed_on_the_extra(process):
    done = process("-c", "import sys; sys.modules['numpy'] = None; from sizewise.cli import main; main()")
    assert "numpy" in done.stderr
    assert "sizewise[cli]" not in done.stderr


@pytest.mark.parametrize("arguments", [[], ["--json"]], ids=["text", "json"])
def test_explain_imports_no_framework(process, arguments):
    code = f"""
import sys
from sizewise.cli.app import run
code = run({["explain", "16x16", "4x4", *arguments]!r})
heavy = {{"torch", "tensorflow", "jax", "autograd", "dask", "onnx", "scipy", "matplotlib"}}
sys.exit(f"imported {{heavy & set(sys.modules)}}" if heavy & set(sys.modules) else code)
"""
    done = process("-c", code)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are POSIX's")
def test_a_pseudo_terminal_gets_color_at_its_width():
    import pty

    here, there = pty.openpty()
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "COLUMNS": "120",
        "COLORTERM": "truecolor",
    }
    done = subprocess.Popen([sys.executable, *COMMAND], stdout=there, env=environment)
    os.close(there)
    pieces = []
    try:
        while piece := os.read(here, 65536):
            pieces.append(piece)
    except OSError:  # Linux: the other end is closed
        pass
    os.close(here)
    shown = b"".join(pieces).decode()
    assert done.wait(60) == 0
    assert "\x1b[48;2;253;231;37m  \x1b[0m" in shown  # cells two columns wide
    assert "▀" not in shown


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["resize", "a.png"], "sizewise resize"),
        (["explain"], "sizewise explain"),
        (["preprocess", "run"], "sizewise preprocess run"),
        (["rezise"], "sizewise"),
        (["preprocess", "sow"], "sizewise preprocess"),
    ],
)
def test_usage_errors_name_the_help_of_the_command(command, arguments, name):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "") and err.endswith(f" (see {name} --help)\n") and err.count("\n") == 1


@pytest.mark.parametrize("group", ["preprocess", "labels"])
def test_a_group_without_a_command_prints_its_help_alone(command, group):
    code, out, err = command(group)
    assert code == 2 and f"Usage: sizewise {group} [OPTIONS] COMMAND" in out + err and "sizewise:" not in out + err
