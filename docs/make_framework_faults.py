"""Writes docs/explanation/framework-faults.md: where frameworks resize wrongly, each case run in the framework and here just now.

Run as `python docs/make_framework_faults.py`; it needs the frameworks, node, and `npm install` in tests/node.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import faults
import numpy as np
from faults import Answer, Facts

PAGE = Path(__file__).resolve().parent / "explanation" / "framework-faults.md"

HEAD = """# Where frameworks resize wrongly

<!-- Written by `python docs/make_framework_faults.py`; change docs/faults, not this. -->

Every call below was run when this page was made, with the versions that it names, on a CPU. A *gradient* fault is a
gradient that is not the transpose of the framework's own forward call: *right* is that transpose, from the forward call
of images in which one pixel is 1. A *forward* fault contradicts the documented formula: *right* is that, in exact
fractions. Lists are without axes of length 1. Sizewise is called after
`import numpy as np, sizewise as sw`; its gradients are transposes by construction.
"""


def page(facts: list[Facts]) -> str:
    """The page in Markdown."""
    parts = [HEAD, contents(facts), *(section(number, one) for number, one in enumerate(facts, start=1))]
    return "\n".join(parts)


def contents(facts: list[Facts]) -> str:
    """A table with a row per fault."""
    rows = [
        f"| {number} | {faults.NAMES[one.fault.framework]} | {one.version} | {link(number, one)} | {one.fault.kind} |"
        for number, one in enumerate(facts, start=1)
    ]
    return "\n".join(["| | framework | version | fault | kind |", "|---|---|---|---|---|", *rows, ""])


def heading(number: int, one: Facts) -> str:
    return f"{number}. {faults.NAMES[one.fault.framework]}: {one.fault.title}"


def link(number: int, one: Facts) -> str:
    """The title, linked to its section by the rule of GitHub's anchors."""
    anchor = re.sub(r"[^\w\- ]", "", heading(number, one).lower()).replace(" ", "-")
    return f"[{one.fault.title}](#{anchor})"


def section(number: int, one: Facts) -> str:
    fault = one.fault
    language = "javascript" if fault.framework == "tfjs" else "python"
    return f"""## {heading(number, one)}

{textwrap.fill(fault.why, 120)}

```{language}
{fault.call}
```
```python
{fault.ours}
```
- {faults.NAMES[fault.framework]} {one.version}: {shown(one.theirs)}
- right: {shown(one.right)}
- Sizewise: {shown(one.ours)}
"""


def shown(answer: Answer) -> str:
    """Numbers to five digits, in nested lists; words as they are."""
    if isinstance(answer, str):
        return answer
    if answer.ndim == 0:
        return f"{float(answer) + 0.0:.5g}"
    return f"[{', '.join(shown(part) for part in np.asarray(answer))}]"


if __name__ == "__main__":
    PAGE.write_text(page([faults.gather(fault) for fault in faults.every()]), encoding="utf-8")
    print(f"wrote {PAGE.name}")
