"""Releases: one version and one address everywhere, workflows that call targets, the action, the hooks, the checks."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

import check_release
import pytest
import yaml
from check_release import (
    BINARY,
    FOREIGN,
    NAMES_VERSION,
    CheckError,
    check_contents,
    check_licenses,
    check_links,
    check_measurements,
    check_same,
    check_sdist,
    check_sentences,
    check_versions,
    find_tag,
    require,
)
from oldest import ENVIRONMENTS, requirements
from onnx import TensorProto, helper, save

import hatch_build
import sizewise as sw
from sizewise.cli.hook import _MODEL, split_arguments
from sizewise.cli.hook import main as run_hook

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


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the files that name the version, which `check_release` takes for the repository."""
    for name in ("CHANGELOG.md", "LICENSE", *(name for name, _ in NAMES_VERSION)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(check_release, "ROOT", tmp_path)
    return tmp_path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("name", ["CHANGELOG.md", *(name for name, _ in NAMES_VERSION)])
def test_control_another_version_in_one_place_is_refused(root: Path, name: str) -> None:
    edit(root / name, sw.__version__, "9.9.9")
    with pytest.raises(CheckError, match=rf"{re.escape(name)} (has version|is) 9\.9\.9"):
        check_versions(None)


def test_what_users_copy_names_the_newest_release(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release is dated and tagged; after it the version is raised, but not where users copy it."""
    version, log = sw.__version__, root / "CHANGELOG.md"
    log.write_text(f"## [{version}] - unreleased\n", encoding="utf-8")
    with pytest.raises(CheckError, match="no date"):
        check_versions(f"v{version}")
    edit(log, "unreleased", "2026-12-01")
    assert check_versions(f"v{version}").endswith(f"and tag v{version}")
    log.write_text(f"## [9.9.9] - unreleased\n## [{version}] - 2026-12-01\n", encoding="utf-8")
    edit(root / "benchmarks/pyproject.toml", version, "9.9.9")
    monkeypatch.setattr(check_release, "VERSION", "9.9.9")
    assert check_versions(None).startswith("version 9.9.9 (unreleased)")
    edit(root / "Dockerfile", version, "9.9.9")
    with pytest.raises(CheckError, match=rf"Dockerfile has version 9\.9\.9 instead of {re.escape(version)}"):
        check_versions(None)


def test_control_measurements_of_another_version_are_refused(tmp_path: Path) -> None:
    (tmp_path / "performance.md").write_text(f"Sizewise {sw.__version__}, Python 3.11.7", encoding="utf-8")
    (tmp_path / "reliability.md").write_text("Sizewise 0.0.9, Python 3.11.7", encoding="utf-8")
    with pytest.raises(CheckError, match=r"reliability\.md is of another version .* run `make reliability`"):
        check_measurements(tmp_path)


def test_control_sentences_about_the_time_before_the_release_are_refused(root: Path) -> None:
    (root / "README.md").write_text("Install it.", encoding="utf-8")
    assert check_sentences().startswith("no sentence")
    edit(root / "docs/how-to/ci.md", "# Check", "Until 0.2.0 is on the package index, use a clone.\n# Check")
    with pytest.raises(CheckError, match=r"docs/how-to/ci\.md says 'Until 0\.2\.0 is on the package index'"):
        check_sentences()


@posix
def test_a_version_belongs_to_its_tag(root: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "tag.gpgSign=false")
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)

    assert find_tag() is None
    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "first")
    assert find_tag() is None
    git("tag", f"v{sw.__version__}")
    assert find_tag() == f"v{sw.__version__}"
    git("commit", "--quiet", "--allow-empty", "--message", "second")
    with pytest.raises(CheckError, match="was released from another commit"):
        find_tag()


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


def make_sdist(folder: Path, files: Mapping[str, str]) -> Path:
    """Write an sdist of the project's license, metadata and other files."""
    text = {"LICENSE": (ROOT / "LICENSE").read_text("utf-8"), "PKG-INFO": "License-Expression: MIT\n\n", **files}
    for name, content in text.items():
        (folder / "a-1" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "a-1" / name).write_text(content, encoding="utf-8")
    with tarfile.open(folder / "a-1.tar.gz", "w:gz") as archive:
        archive.add(folder / "a-1", "a-1")
    return folder / "a-1.tar.gz"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"PKG-INFO": "License-Expression: GPL-3.0-only\n\n"}, "has the license GPL-3.0-only"),
        ({"LICENSE": "Do what you want"}, "lacks LICENSE, or has another one"),
        ({"b.py": "# Copyright 2019 Someone"}, "b.py in a-1.tar.gz speaks of 'Copyright 2019'"),
        ({"font.woff2": "wOF2\0"}, "font.woff2 in a-1.tar.gz is binary"),
    ],
    ids=["metadata", "license file", "other work", "binary"],
)
def test_control_files_under_another_license_are_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    (tmp_path / "good").mkdir()
    assert check_licenses([make_sdist(tmp_path / "good", {"b.py": "x = 1"})]).startswith("3 files")
    with pytest.raises(CheckError, match=message):
        check_licenses([make_sdist(tmp_path, files)])


@posix
def test_control_an_sdist_of_other_files_than_the_repository_is_refused(root: Path) -> None:
    for command in (["git", "init", "--quiet"], ["git", "add", "LICENSE", "Dockerfile"]):
        subprocess.run(command, cwd=root, check=True)
    same = make_sdist(root / "same", {"Dockerfile": ""})
    assert check_sdist(same).startswith("2 files")
    with pytest.raises(CheckError, match=r"\+notes\.txt, -Dockerfile"):
        check_sdist(make_sdist(root / "other", {"notes.txt": ""}))


def test_control_relative_and_broken_links_of_a_readme_are_refused() -> None:
    ours = f"{REPOSITORY}/blob/v{sw.__version__}"
    assert (
        check_links("a", f'<a href="{ours}/SECURITY.md#releases"><img src="https://example.org/a.png">', REPOSITORY)
        == 2
    )
    with pytest.raises(CheckError, match=r"a has the relative link docs/README\.md"):
        check_links("a", '<a href="docs/README.md">', REPOSITORY)
    with pytest.raises(CheckError, match=r"there is no docs/nothing\.md"):
        check_links("a", f'<a href="{ours}/docs/nothing.md">', REPOSITORY)


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


def run_action(folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHON": sys.executable, **variables}
    command = [ROOT / ".ci/action", "check"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


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
def test_the_action_imports_nothing_from_the_repository_that_it_checks(model: Path, tmp_path: Path) -> None:
    """A file that a pull request adds must not run in the job of the action."""
    for name in ("typer", "onnx", "sizewise"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the repository')", encoding="utf-8")
    shutil.copy(model, tmp_path / "--html=page.onnx")
    done = run_action(MODEL="--html=page.onnx", TARGET="onnxruntime", FAIL_ON="high", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "head/resize" in done.stdout


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


def test_hooks_run_commands_of_this_version(model: Path, tmp_path: Path) -> None:
    audit, compare = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    extras = PROJECT["optional-dependencies"]
    assert set(audit["additional_dependencies"]) == {*extras["cli"], *extras["audit"]}
    assert compare["entry"] == "sizewise preprocess compare"
    assert audit["files"] == _MODEL.pattern
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
    (tmp_path / "typer.py").write_text("raise SystemExit('imported from the repository')", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.count("head/resize") >= 2


def test_the_hook_splits_options_from_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert split_arguments(["audit", "--preprocess", "p.json", "a.onnx"]) == (
        ["audit", "--preprocess", "p.json"],
        ["a.onnx"],
    )
    recipe = ["audit", "--preprocess", "my_model.json"]
    assert split_arguments([*recipe, "web/model.json"]) == (recipe, ["web/model.json"])
    assert run_hook(["audit", "--fail-on", "high", "a.pt"]) == 2  # by a `files:` of the user: nothing would be checked
    assert capsys.readouterr().err.startswith("a.pt is no model file")


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
    assert hatch_build.ZIG in (ROOT / "constraints.txt").read_text(encoding="utf-8")
    assert PROJECT["dependencies"] == ["numpy>=1.26"]
    assert "| NumPy | 1.26 |" in page


def test_the_newest_versions_are_those_of_the_constraints() -> None:
    page = (ROOT / "docs/reference/compatibility.md").read_text(encoding="utf-8").partition("\n## ")[0]
    pins = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    newest = {name.lower().replace("_", "-"): version for name, version in pins}
    packages = {"protocol buffers": "protobuf", "pytorch": "torch", "tensorflow": "tensorflow-cpu"}
    rows = re.findall(r"^\| (\w[^|]*) \| [^|]+ \| ([^|;]+) \|", page, re.MULTILINE)
    assert len(rows) >= 11
    for names, versions in rows:
        for name, version in zip(names.lower().split(", "), cycle(versions.split(", ")), strict=False):
            assert f"{newest[packages.get(name, name)]}.".startswith(f"{version}."), name
