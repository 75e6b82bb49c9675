"""Writer of docs/reference/huggingface.md: the image processors of transformers that are read, and those refused.

Run as `python docs/make_huggingface.py`; it needs no framework.
"""

from __future__ import annotations

from pathlib import Path

from sizewise.preprocess import Preprocessor
from sizewise.preprocess.readers._huggingface_classes import CLASSES, PARTS, TORCHVISION_ONLY
from sizewise.preprocess.readers._huggingface_refused import REFUSED

PAGE = Path(__file__).resolve().parent / "reference" / "huggingface.md"
TOP = """# Image processors of Hugging Face transformers

<!-- Written by `python docs/make_huggingface.py` from the reader's tables: do not edit. -->

The classes whose `preprocessor_config.json` [`sw.Preprocessor.load`](../how-to/preprocess.md) reads, and those that it
refuses. The tests compare these lists with the classes of transformers 5.23, the defaults of each class with its own,
and its pixels with those of its configuration, by each backend: equal bit for bit, except where transformers resizes
floats (DINOv3ViT, DepthPro, RfDetr: up to 16 ULP of the largest value measured, 32 allowed).

Names are without `ImageProcessor`; those that end in `Fast`, `Pil` or `FeatureExtractor` mean the same classes.

- A key that is null turns `do_*` off, as in transformers 5. A folder's `processor_config.json` goes before its
  `preprocessor_config.json` if it holds an image processor. Where it names no class, that of the `model_type` in its
  `config.json` is taken, as by AutoImageProcessor.
- Where `do_convert_rgb` is true, transparent pixels are put over white, as transformers 5 does with Pillow images.
  Elsewhere transformers takes RGB only; here other images become RGB, without their alpha. Arrays of 4 channels are
  refused.
- EXIF orientation is ignored. transformers ignores it in Pillow images, but heeds it in files: put
  `Decode(orientation="exif")` first for that.
- Float arrays with backend "pil": transformers casts them to uint8 before it resizes, those in [0, 1] times 255, and
  refuses other fractions; here they are resized as floats. Give uint8 arrays for equal pixels.
- Pixels of Qwen2-VL and its kin and of SigLIP 2 are those before they are cut into patches. Of a video (VideoMAE),
  each frame is an image.
- An image that transformers cannot process, such as bytes that it would have to normalize (DINOv3ViT and RfDetr
  without `do_rescale`), may have a result here.

"""


def page() -> str:
    """Return the page."""
    lines = [TOP + f"## Read: {len(CLASSES)} classes", "", "| class | backends | steps by default |", "|---|---|---|"]
    for name in sorted(CLASSES, key=str.lower):
        steps = Preprocessor.load({"image_processor_type": f"{name}ImageProcessor"}).steps
        names = ", ".join(step.name for step in steps if step.name not in ("decode", "layout"))
        backends = "torchvision" if name in TORCHVISION_ONLY else "torchvision, pil"
        lines.append(f"| {name} | {backends} | {names} |")
    lines += ["", "Refused, where they are true:", "", "| key | reason |", "|---|---|"]
    lines += [f"| `{key}` | {reason} |" for key, reason in sorted(PARTS.items())]
    lines += ["", f"## Refused: {len(REFUSED)} classes", "", "| class | reason |", "|---|---|"]
    lines += [f"| {name} | {reason} |" for name, reason in sorted(REFUSED.items(), key=lambda one: one[0].lower())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
