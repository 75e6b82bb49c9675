"""The card of a recipe: one page of Markdown that a model card can link."""

from __future__ import annotations

from ...errors import ArgumentError
from ...preprocess import Preprocessor
from ...preprocess.text import describe
from ...version import __version__

SIZES = ((480, 640), (640, 480), (1080, 1920), (333, 500), (64, 64))


def card(recipe: Preprocessor, name: str) -> str:
    """Return the card: steps, sizes of usual inputs, how to run it, and the JSON form."""
    steps = [
        f"| {index} | {step.name} | {describe(step).replace('|', ' ')} |" for index, step in enumerate(recipe.steps, 1)
    ]
    sizes = [f"| {height}x{width} | {_result(recipe, (height, width))} |" for height, width in SIZES]
    return "\n".join(
        [
            f"# Input recipe: {name}",
            "",
            f"Results are {recipe.layout}. Sizes are height x width.",
            "",
            "| | step | parameters |",
            "|---|---|---|",
            *steps,
            "",
            "| image | result |",
            "|---|---|",
            *sizes,
            "",
            "Save the JSON below as `recipe.json`, and run it without the framework that it comes from:",
            "",
            "```python",
            "import sizewise as sw",
            "",
            'batch = sw.Preprocessor.load("recipe.json")(["photo.jpg"])',
            "```",
            "",
            "```json",
            recipe.to_json(),
            "```",
            "",
            f"Written by Sizewise {__version__}: `sizewise preprocess card`.",
            "",
        ]
    )


def _result(recipe: Preprocessor, size: tuple[int, int]) -> str:
    try:
        height, width = recipe.output_size(size)
    except ArgumentError:
        return "refused"
    return f"{height}x{width}"
