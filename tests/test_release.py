"""Releases: one version and one address everywhere, workflows that call targets, the action, the hooks, the checks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from check_release import (
    BINARY,
    FOREIGN,
    CheckError,
    check_contents,
    check_measurements,
    check_same,
    check_versions,
    require,
)
from oldest import ENVIRONMENTS, requirements
from onnx import TensorProto, helper, save

import hatch_build
import sizewise as sw
from sizewise.cli.hook import split_arguments

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
TARGETS = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
posix = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")


# --- one version, one address ---------------------------------------------------------------------------------------


def test_versions_agree_everywhere() -> None:
    assert check_versions(None).startswith(f"version {sw.__version__} (")


@pytest.mark.parametrize("tag", ["v9.9.9", f"v{sw.__version__}.1"])
def test_control_a_tag_of_another_version_is_refused(tag: str) -> None:
    with pytest.raises(CheckError, match=f"the tag is {tag}"):
        check_versions(tag)


def test_control_measurements_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "performance.md").write_text(f"Sizewise {sw.__version__}, Python 3.11.7", encoding="utf-8")
    (tmp_path / "reliability.md").write_text("Sizewise 0.0.9, Python 3.11.7", encoding="utf-8")
    with pytest.raises(CheckError, match=r"reliability\.md is of another version .* run `make reliability`"):
        check_measurements(tmp_path)


def test_addresses_agree_everywhere() -> None:
    """Every address of the repository begins like that in pyproject.toml."""
    bench = tomllib.loads((ROOT / "benchmarks/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all(PROJECT["urls"][name] == url for name, url in bench["urls"].items())
    files = [
        *ROOT.glob("*.md"),
        *ROOT.glob("*.cff"),
        *(ROOT / ".github").rglob("*.yml"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    addresses = {
        address
        for file in files
        for address in re.findall(r"https://github.com/[\w-]*sizewise[\w-]*/[\w-]+", file.read_text())
    }
    assert addresses == {REPOSITORY}


# --- readme on the package index -------------------------------------------------------------------------------------


def test_links_of_the_readme_are_absolute_on_the_index() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    absolute = hatch_build.make_links_absolute(text, REPOSITORY, "1.2.3")
    raw = REPOSITORY.replace("github.com", "raw.githubusercontent.com")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", absolute)
    assert len(links) > 15
    for is_image, link in links:
        assert link.startswith(f"{raw}/v1.2.3/" if is_image else f"{REPOSITORY}/blob/v1.2.3/")
    code = re.compile(r"```.*?```", re.DOTALL)
    assert code.findall(absolute) == code.findall(text)


def test_links_that_are_absolute_or_within_the_page_stay() -> None:
    text = "[a](https://example.org/b) [b](#c) ![d](e.png)"
    absolute = hatch_build.make_links_absolute(text, "https://github.com/a/b", "1")
    assert absolute == text.replace("(e.png)", "(https://raw.githubusercontent.com/a/b/v1/e.png)")


# --- checks of builds ------------------------------------------------------------------------------------------------


def test_control_builds_that_differ_are_refused(tmp_path: Path) -> None:
    for name, content in (("first", b"1"), ("second", b"2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.whl").write_bytes(content)
    first, second = ([tmp_path / name / "a.whl"] for name in ("first", "second"))
    assert check_same(first, first).startswith("1 files")
    with pytest.raises(CheckError, match=r"two builds of a\.whl differ"):
        check_same(first, second)


def test_control_a_wheel_without_a_file_is_refused(tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "a"), "zip", ROOT / "sizewise" / "files")
    wheel = (tmp_path / "a.zip").rename(tmp_path / "a.whl")
    with pytest.raises(CheckError, match=r"\+batch\.py.*-sizewise/__init__\.py"):
        check_contents([wheel])


def test_the_list_of_files_has_every_module() -> None:
    listed = set((ROOT / "tests/wheel_files.txt").read_text(encoding="utf-8").split("\n"))
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "sizewise").rglob("*.py")}
    assert found <= listed, "run: python tests/check_release.py --update"


def test_other_peoples_work_is_seen() -> None:
    require(FOREIGN.search("# Copyright 2019 Someone"), "a copyright")
    for text in (
        *("SPDX-License-Identifier: GPL-2.0", "(c) OpenJS Foundation", "Copyright The X Authors", "(C) 2024 Someone"),
        *("under the terms of the GNU General Public License", "/*! @license MIT */"),
    ):
        assert FOREIGN.search(text), text
    for text in ("The EXIF tag Copyright is kept.", "f(c) is a function of c", "under its MIT license"):
        assert not FOREIGN.search(text), text
    assert BINARY.fullmatch("docs/images/scene.png") and not BINARY.fullmatch("docs/assets/font.woff2")


# --- workflows -------------------------------------------------------------------------------------------------------


def steps(workflow: Path) -> list[dict[str, object]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_calls_targets_and_scripts_that_exist(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    commands = [str(step["run"]) for step in steps(workflow) if "run" in step]
    commands += re.findall(r"^ +- (make .+)$", text, re.MULTILINE)
    for command in commands:
        words = [word for word in shlex.split(command) if "=" not in word]
        if words[0] == "make":
            assert set(words[1:]) <= TARGETS | {"site"}, command
        elif words[0] != "eval":
            script = words[1] if words[0] == "sh" else words[0]
            assert os.access(ROOT / script, os.X_OK), command
        assert "${{" not in command  # inputs of others reach a shell through the environment only


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_workflows_have_few_rights(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses: ([^.].*)", text)  # "./..." is a workflow of this repository
    assert len(used) >= len([step for step in steps(workflow) if "uses" in step])
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", name)] == []
    assert yaml.safe_load(text)["permissions"] == {"contents": "read"}


@posix
def test_a_nightly_task_reaches_make_as_it_is_written(tmp_path: Path) -> None:
    """The step's own shell command, run with a `make` that prints its arguments."""
    (tmp_path / "make").write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n", encoding="utf-8")
    (tmp_path / "make").chmod(0o755)
    jobs = yaml.safe_load((ROOT / ".github/workflows/nightly.yml").read_text(encoding="utf-8"))["jobs"]
    (step,) = [one for one in jobs["nightly"]["steps"] if one.get("name") == "task"]
    for task in jobs["nightly"]["strategy"]["matrix"]["task"]:
        variables = {**os.environ, "TASK": task, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(["bash", "-e", "-c", step["run"]], env=variables, capture_output=True, text=True)
        assert done.stdout.splitlines() == shlex.split(task)[1:], task


def test_only_the_job_that_publishes_may_identify_itself() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))["jobs"]
    assert [name for name, job in jobs.items() if "id-token" in job.get("permissions", {})] == ["publish"]
    assert jobs["publish"]["needs"] == ["tests", "build", "test-wheels", "test-musl-wheels"]
    publish = jobs["publish"]
    assert publish["environment"] == "${{ matrix.environment }}"
    environments = {one["project"]: one["environment"] for one in publish["strategy"]["matrix"]["include"]}
    assert environments == {"sizewise": "pypi", "sizewise-bench": "pypi-bench"}
    assert publish["if"] == "github.event_name == 'push' && github.ref_type == 'tag'"
    assert publish["steps"][-1]["with"]["attestations"] is True


def test_workflows_have_no_rights_beyond_these() -> None:
    found = {
        (workflow.stem, name): job["permissions"]
        for workflow in WORKFLOWS
        for name, job in yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].items()
        if "permissions" in job
    }
    assert found == {
        ("release", "publish"): {"id-token": "write"},
        ("release", "release-page"): {"contents": "write"},
        ("site", "publish"): {"pages": "write", "id-token": "write"},
    }


def test_what_every_change_and_every_release_must_run() -> None:
    each = (ROOT / ".ci/run").read_text(encoding="utf-8")
    for step in ("make lint types", "make site", "make test-all", "make release-check", ".ci/test-wheel", "oldest.py"):
        assert step in each
    release = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert 'make wheels FREE_THREADED="python3.13t python3.14t"' in release
    script = (ROOT / ".ci/test-wheel").read_text(encoding="utf-8")
    tests = re.findall(r"tests/[\w/.]+", script)
    assert len(tests) >= 5
    assert [name for name in tests if not (ROOT / name).exists()] == []


def test_classifiers_are_the_pythons_that_are_tested() -> None:
    pythons = {one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", one)}
    jobs = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text(encoding="utf-8"))["jobs"]
    tested = {one for job in jobs.values() for one in re.findall(r"3\.\d+(?!\d*t)", str(job.get("strategy", "")))}
    assert pythons == tested


@posix
def test_the_release_page_has_the_section_of_the_version() -> None:
    def page(tag: str) -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "TAG": tag, "DRY_RUN": "1"}
        return subprocess.run([ROOT / ".ci/release-page"], env=variables, capture_output=True, text=True)

    done = page(f"v{sw.__version__}")
    assert done.returncode == 0
    assert "### Added" in done.stdout
    assert "## [" not in done.stdout.replace("### [", "")
    assert (page("v9.9.9").returncode, page("v9.9.9").stderr) == (1, "CHANGELOG.md has no section about 9.9.9\n")


# --- other people's CI -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX model with a cubic resize, which TFLite does not have."""
    size = helper.make_node("Constant", [], ["size"], value_ints=[1, 3, 96, 96])
    resize = helper.make_node("Resize", ["x", "", "", "size"], ["y"], name="head/resize", mode="cubic")
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, (1, 3, s, s)) for n, s in (("x", 64), ("y", 96)))
    path = tmp_path_factory.mktemp("models") / "model.onnx"
    graph = helper.make_graph([size, resize], "demo", [x], [y])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9), path)
    return path


def run_action(**variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable, **variables}
    return subprocess.run([ROOT / ".ci/action", "check"], env=environment, capture_output=True, text=True)


@posix
@pytest.mark.parametrize(("target", "code"), [("tflite", 1), ("onnxruntime", 0)])
def test_the_action_audits_every_model(model: Path, target: str, code: int) -> None:
    done = run_action(MODEL=f"{model}\n{model}\n", TARGET=target, FAIL_ON="high")
    assert done.returncode == code, done.stderr
    assert done.stdout.count("head/resize") >= 2


@posix
def test_the_action_compares_recipes(tmp_path: Path) -> None:
    for name, size in (("a", 224), ("b", 192)):
        recipe = {"size": {"height": size, "width": size}, "image_processor_type": "ViTImageProcessor"}
        (tmp_path / f"{name}.json").write_text(str(recipe).replace("'", '"'), encoding="utf-8")
    a, b = str(tmp_path / "a.json"), str(tmp_path / "b.json")
    assert run_action(TRAINING=a, SERVING=a).returncode == 0
    assert run_action(TRAINING=a, SERVING=b).returncode == 1


@posix
def test_the_action_refuses_inputs_that_do_not_belong_together() -> None:
    assert run_action().stderr == "Give model, or training and serving.\n"
    assert run_action(TRAINING="a.json").stderr == "training and serving belong together.\n"


def test_the_action_passes_every_input_to_its_script() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    script = (ROOT / ".ci/action").read_text(encoding="utf-8")
    passed = {name: value for step in action["runs"]["steps"] for name, value in step.get("env", {}).items()}
    assert {f"${{{{ inputs.{name} }}}}" for name in action["inputs"]} - set(passed.values()) == {
        "${{ inputs.python-version }}"
    }
    assert all(name in script for name in passed)


def test_hooks_run_commands_of_this_version(model: Path) -> None:
    audit, compare = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    extras = PROJECT["optional-dependencies"]
    assert set(audit["additional_dependencies"]) == {*extras["cli"], *extras["audit"]}
    assert compare["entry"] == "sizewise preprocess compare"
    assert re.search(audit["files"], "models/a.onnx")
    assert re.search(audit["files"], "web/model.json")
    assert not re.search(audit["files"], "web/my_model.json")
    command = [
        sys.executable,
        *audit["entry"].split()[1:],
        *audit["args"],
        "--target",
        "tflite",
        str(model),
        str(model),
    ]
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("head/resize") >= 2


def test_the_hook_splits_options_from_files() -> None:
    assert split_arguments(["audit", "--preprocess", "p.json", "a.onnx"]) == (
        ["audit", "--preprocess", "p.json"],
        ["a.onnx"],
    )
    assert split_arguments(["audit", "--fail-on", "high"]) == (["audit", "--fail-on", "high"], [])


# --- oldest versions -------------------------------------------------------------------------------------------------


def test_the_oldest_versions_are_those_of_the_ranges() -> None:
    for name, environment in ENVIRONMENTS.items():
        listed = requirements(environment)
        assert all(re.search(r"==|^[\w-]+$", one) for one in listed), name
        assert all((ROOT / test.partition("::")[0]).exists() for test in (*environment.tests, *environment.deselected))
    page = (ROOT / "docs/reference/compatibility.md").read_text(encoding="utf-8")
    for name, package in (("PyTorch", "torch"), ("TensorFlow", "tensorflow"), ("JAX", "jax"), ("PyArrow", "pyarrow")):
        extra = {"pyarrow": "parquet"}.get(package, package)
        (oldest,) = [one for one in PROJECT["optional-dependencies"][extra] if one.startswith(f"{package}>=")]
        assert f"| {name} | {oldest.partition('>=')[2]} |" in page
    assert PROJECT["dependencies"] == ["numpy>=1.26"]
    assert "| NumPy | 1.26 |" in page
