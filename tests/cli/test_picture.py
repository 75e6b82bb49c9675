"""The picture in the documentation, as its command draws it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

DOCS = Path(__file__).parents[2] / "docs"
PICTURE = (DOCS / "images" / "explain.svg").read_text(encoding="utf-8")


def test_the_picture_is_current():
    made = runpy.run_path(str(DOCS / "make_images.py"))["explain_picture"]()
    assert made == PICTURE, "run: python docs/make_images.py"


def test_the_picture_needs_no_network():
    assert set(re.findall(r"https?://[^\"')\s]+", PICTURE)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in PICTURE
    assert "@font-face" not in PICTURE


def test_the_picture_is_well_formed_and_has_text():
    root = ElementTree.fromstring(PICTURE)
    text = "".join(root.itertext()).replace("\xa0", " ")
    assert "TensorFlow 1: 16 of 256 pixels" in text
    assert "every pixel gets a gradient, from 0.03189 to 0.0791" in text
