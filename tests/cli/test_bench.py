"""`sizewise bench`: the table, JSON, progress on stderr only, and exit codes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sizewise_bench import command as bench
from sizewise_bench import ours, peers
from sizewise_bench.contender import from_call

ARGUMENTS = ("bench", "--rounds", "2", "--only", "32x32")
CASE = "bilinear antialias forward 1x32x32x3 -> 16x16"


@pytest.fixture
def alone(monkeypatch):
    """Make a fake peer the only one installed; `alone.shift` is added to its pixels."""

    class Alone:
        shift, same_pixels = 0.0, True

    def contenders(case, source, threads):
        def call():
            return ours.call(case, source)() + np.float32(Alone.shift)

        return [from_call("Copycat", call, same_pixels=Alone.same_pixels)]

    note = "Not installed here: everything else."
    monkeypatch.setattr(peers, "find_installed", lambda: ([peers.Peer("Copycat", "1.0", contenders)], [note]))
    return Alone


def test_the_table(command, alone):
    code, out, err = command(*ARGUMENTS)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("Sizewise ")
    assert "Copycat 1.0" in " ".join(lines)
    assert "Medians of 2 rounds" in " ".join(lines)
    assert any(line.startswith("bilinear antialias") and "Copycat " in line for line in lines)
    assert "1x32x32x3 -> 16x16" in out
    assert "Not installed here: everything else." in lines
    assert all(len(line) <= 80 and line == line.rstrip() for line in lines)
    assert err == f"{CASE}\n"


def test_json_is_one_object_and_progress_stays_on_stderr(command, alone):
    code, out, err = command(*ARGUMENTS, "--json", "--threads", "1")
    record = json.loads(out)
    assert (code, out.count("\n"), err) == (0, 1, f"{CASE}\n")
    assert list(record) == ["machine", "rounds", "rows", "notes"]
    assert record["machine"]["threads"] == 1
    assert record["machine"]["versions"]["Copycat"] == "1.0"
    [row] = record["rows"]
    assert (row["name"], row["best_peer"], row["refused"], row["unable"]) == (CASE, "Copycat", [], [])
    assert [entry["name"] for entry in row["entries"]] == ["Sizewise", "Sizewise out=", "copy", "Copycat"]
    assert all(0 < entry["minimum"] <= entry["median"] and entry["rounds"] == 2 for entry in row["entries"])


def test_a_peer_with_wrong_pixels_is_exit_code_1(command, alone):
    alone.shift = 0.5
    code, out, err = command(*ARGUMENTS)
    assert code == 1
    assert f"sizewise: {CASE}: Copycat differs from Sizewise by 0.62" in err
    assert "it was not timed" in err
    assert "Copycat 1.0." in " ".join(out.split())  # among the versions, and nowhere else
    assert out.count("Copycat") == 1


def test_a_peer_with_other_pixels_by_design_is_marked(command, alone):
    alone.shift, alone.same_pixels = 0.5, False
    code, out, _ = command(*ARGUMENTS)
    assert code == 0
    assert "Copycat* " in out
    assert "* gives other pixels by design" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "cubist"], "sizewise: no case has all the words 'cubist' in its name; names look like: bilinear"),
        (["--rounds", "0"], "--rounds"),
        (["--threads", "0"], "--threads"),
        (["--threads", "many"], "--threads"),
    ],
)
def test_bad_arguments_are_one_line_and_exit_code_2(command, alone, arguments, message):
    code, out, err = command("bench", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_quick_is_the_default(command, alone, monkeypatch):
    seen = []
    monkeypatch.setattr(bench.cases, "select", lambda listed, only: seen.append(len(listed)) or listed[-1:])
    assert command("bench", "--rounds", "1")[0] == 0
    assert command("bench", "--rounds", "1", "--all")[0] == 0
    assert seen[0] < 20 < 200 < seen[1]


def test_progress_bar_on_a_terminal(command, alone, monkeypatch):
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    code, out, err = command(*ARGUMENTS, "--json")
    assert code == 0
    assert json.loads(out)["rounds"] == 2
    assert "Timing" in err


def test_help_and_other_commands_import_no_framework(process):
    heavy = {"torch", "tensorflow", "jax", "cv2", "PIL", "skimage", "matplotlib"}
    code = f"import sys; from sizewise.cli.app import run; run(['bench', '--help']); heavy = {heavy!r}"
    done = process("-c", f"{code}; sys.exit(bool(heavy & set(sys.modules)))")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--quick" in done.stdout


def test_without_the_package_one_line_says_how_to_install_it(process):
    code = "import sys; sys.modules['sizewise_bench'] = None; from sizewise.cli.app import run; sys.exit(run({}))"
    done = process("-c", code.format(["bench", "--only", "bilinear", "--json"]))
    message = 'sizewise: sizewise bench needs an optional package: pip install "sizewise[bench]"\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)
    assert "sizewise-bench" in process("-c", code.format(["--help"])).stdout
