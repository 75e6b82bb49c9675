"""Jobs: the tree is kept, conflicts are found first, and nothing is written outside of the output folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sizewise.errors import ArgumentError, FileError
from sizewise.files import jobs


@pytest.fixture
def tree(tmp_path):
    """Return a folder `in` with images at two depths, and files to skip."""
    for name in ("b.png", "a.jpg", "deep/er/c.npy", "deep/d.GIF", "notes.txt", ".hidden.png", ".git/e.png"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def pairs(found, root):
    return [(job.source.relative_to(root).as_posix(), job.target.relative_to(root).as_posix()) for job in found.jobs]


def test_the_tree_is_kept_below_out(tree):
    found = jobs.find([tree / "in"], tree / "out")
    assert pairs(found, tree) == [
        ("in/a.jpg", "out/a.jpg"),
        ("in/b.png", "out/b.png"),
        ("in/deep/d.GIF", "out/deep/d.png"),
        ("in/deep/er/c.npy", "out/deep/er/c.npy"),
    ]
    assert found.notes == ("other files skipped: 1 (.txt)",)
    assert [job.target.suffix for job in jobs.find([tree / "in"], tree / "out", "webp").jobs] == [".webp"] * 4


def test_files_and_folders_together(tree):
    found = jobs.find([tree / "in" / "deep", tree / "in" / "b.png"], tree / "out")
    assert [target for _, target in pairs(found, tree)] == ["out/d.png", "out/er/c.npy", "out/b.png"]


def test_output_folder_is_not_an_input(tree):
    out = tree / "in" / "deep" / "small"
    out.mkdir()
    (out / "b.png").touch()
    assert all("small" not in source for source, _ in pairs(jobs.find([tree / "in"], out), tree))
    assert len(jobs.find([tree / "in"], tree / "in", "tiff").jobs) == 5  # outputs beside inputs


@pytest.mark.parametrize(
    ("inputs", "out", "targets"),
    [
        (["in/a.jpg"], "x.png", ["x.png"]),
        (["in/a.jpg"], "new", ["new/a.jpg"]),
        (["in/a.jpg"], "in/deep", ["in/deep/a.jpg"]),
        (["in/lost.jpg"], "x.png", ["x.png"]),
    ],
)
def test_single_file_to_file_or_folder(tree, inputs, out, targets):
    found = jobs.find([tree / name for name in inputs], tree / out)
    assert [target for _, target in pairs(found, tree)] == targets


@pytest.mark.parametrize(
    ("inputs", "out", "format", "message"),
    [
        (["in/a.jpg", "in/b.png"], "x.png", None, "is named as a file"),
        (["in"], "x.png", None, "is named as a file"),
        (["in"], "in/notes.txt", None, "is a file; several inputs"),
        (["in/a.jpg"], "x.gif", None, "cannot write '.gif'; use a folder, or one of .png"),
        (["in/a.jpg"], "x.png", "jpeg", "is not named as --format jpeg"),
        (["in/a.jpg"], "new", "jpg", "did you mean 'jpeg'"),
        (["in/a.jpg"], "-", None, "-o '-': results are written to files"),
        (["in/deep/empty"], "new", None, "nothing to resize: no .png"),
    ],
)
def test_invalid_outputs(tree, inputs, out, format, message):
    (tree / "in" / "deep" / "empty").mkdir()
    with pytest.raises(ArgumentError, match=message):
        jobs.find([tree / name for name in inputs], Path(out) if out == "-" else tree / out, format)


def test_skipped_files_are_named_by_their_endings(tree):
    for name in ("1.HEIC", "2.heic", "3.mp4", "4.txt", "5.xmp", "6.json", "LICENSE"):
        (tree / "in" / name).touch()
    assert jobs.find([tree / "in"], tree / "out").notes == ("other files skipped: 8 (.heic, .txt, .mp4, .xmp, ...)",)


def test_conflicts_are_found_before_writing(tree):
    (tree / "other").mkdir()
    (tree / "other" / "b.png").touch()
    found = jobs.find([tree / "in", tree / "other"], tree / "out")
    for arguments in ({"overwrite": True, "skip": False}, {"overwrite": False, "skip": True}):
        with pytest.raises(ArgumentError, match=r"in/b\.png' and '.*other/b\.png' would both become '.*out/b\.png'"):
            jobs.check(found.jobs, **arguments)
    (tree / "in" / "a.png").touch()
    with pytest.raises(ArgumentError, match="would both become"):
        jobs.check(jobs.find([tree / "in"], tree / "out", "png").jobs, overwrite=False, skip=False)


def test_output_that_is_another_input_is_rejected(tree):
    source = tree / "in"
    first = jobs.Job(source / "b.png", source / "x.png", source)
    second = jobs.Job(source / "a.jpg", source / "b.png", source)
    with pytest.raises(ArgumentError, match="which is an input, too"):
        jobs.check([first, second], overwrite=True, skip=False)
    jobs.check([first], overwrite=True, skip=False)


def test_existing_outputs_are_not_replaced_by_default(tree):
    (tree / "out").mkdir()
    found = jobs.find([tree / "in"], tree / "out")
    jobs.check(found.jobs, overwrite=False, skip=False)
    (tree / "out" / "b.png").touch()
    with pytest.raises(ArgumentError, match=r"out/b\.png' exists already; --skip-existing leaves"):
        jobs.check(jobs.find([tree / "lost.png"], tree / "out" / "b.png").jobs, overwrite=False, skip=False)
    with pytest.raises(ArgumentError, match=r"out/b\.png' exists already; --skip-existing leaves"):
        jobs.check(found.jobs, overwrite=False, skip=False)
    os.symlink("nowhere", tree / "out" / "a.jpg")  # a broken link exists, too
    with pytest.raises(ArgumentError, match=r"2 outputs exist already, as '.*out/a\.jpg'"):
        jobs.check(found.jobs, overwrite=False, skip=False)
    for arguments in ({"overwrite": True, "skip": False}, {"overwrite": False, "skip": True}):
        jobs.check(found.jobs, **arguments)


@pytest.mark.parametrize("link", [False, True])
def test_input_is_not_replaced_by_default(tree, link):
    out = tree / "in"
    if link:
        out = tree / "same"
        os.symlink("in", out)
    found = jobs.find([tree / "in" / "b.png"], out)
    with pytest.raises(ArgumentError, match=r"b\.png' is input and output; --overwrite replaces it"):
        jobs.check(found.jobs, overwrite=False, skip=False)
    jobs.check(found.jobs, overwrite=True, skip=False)


def test_links_to_folders_are_not_followed_and_loops_end(tree):
    os.symlink("..", tree / "in" / "loop")
    os.symlink(".", tree / "in" / "deep" / "here")
    os.symlink("../b.png", tree / "in" / "deep" / "linked.png")
    found = jobs.find([tree / "in"], tree / "out")
    assert len(found.jobs) == 5  # with the link to a file
    assert "links to folders are not followed: 2" in found.notes
    os.symlink("in", tree / "given")
    assert len(jobs.find([tree / "given"], tree / "out").jobs) == 5  # a link given as the input is followed


def test_links_out_of_the_output_folder_are_rejected(tree):
    (tree / "outside").mkdir()
    (tree / "out").mkdir()
    os.symlink("../outside", tree / "out" / "deep")
    inside, outside = [], []
    for job in jobs.find([tree / "in"], tree / "out").jobs:
        try:
            job.require_inside()
            inside.append(job.target.name)
        except FileError as error:
            assert "a link leads there" in str(error)
            outside.append(job.target.name)
    assert (inside, outside) == (["a.jpg", "b.png"], ["d.png", "c.npy"])
    dots = jobs.find([tree / "in" / "deep" / ".." / "b.png"], tree / "out").jobs[0]
    assert dots.target == tree / "out" / "b.png"


def test_output_folder_may_be_a_link(tree):
    (tree / "real").mkdir()
    os.symlink("real", tree / "out")
    for job in jobs.find([tree / "in"], tree / "out").jobs:
        job.require_inside()


def test_an_unreadable_folder_is_reported(tree, monkeypatch):
    real = os.scandir

    def scandir(path):
        if os.path.basename(path) == "deep":
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = jobs.find([tree / "in"], tree / "out")
    assert [job.source.name for job in found.jobs] == ["a.jpg", "b.png"]
    assert found.errors == (f"cannot read the folder {str(tree / 'in' / 'deep')!r}: Permission denied",)
