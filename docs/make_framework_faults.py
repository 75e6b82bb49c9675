"""Writer of docs/explanation/framework-faults.md: it runs every fault in its framework and in Sizewise.

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

Calls to paste, with their wrong result, the right one, and Sizewise's. `make docs` runs all of them on a CPU, with the
versions shown, and the tests run them again. A *gradient* fault is a gradient that is not the transpose of the
framework's own forward call; *right* is that transpose, from the forward call on unit images. A *forward* fault
contradicts the documented formula; *right* is the formula in exact fractions. Axes of length 1 are left out. Sizewise's
calls follow `import numpy as np, sizewise as sw`; its gradients are transposes by construction.
"""


def page(facts: list[Facts]) -> str:
    """Return the page in Markdown."""
    parts = [HEAD, contents(facts), *(section(number, one) for number, one in enumerate(facts, start=1))]
    return "\n".join(parts)


def contents(facts: list[Facts]) -> str:
    """Return a table with a row per fault."""
    rows = [
        f"| {number} | {faults.NAMES[one.fault.framework]} | {one.version} | {link(number, one)} | {one.fault.kind} |"
        for number, one in enumerate(facts, start=1)
    ]
    return "\n".join(["| | framework | version | fault | kind |", "|---|---|---|---|---|", *rows, ""])


def heading(number: int, one: Facts) -> str:
    return f"{number}. {faults.NAMES[one.fault.framework]}: {one.fault.title}"


def link(number: int, one: Facts) -> str:
    """Return the title, linked to its section by GitHub's anchor rule."""
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
- {faults.NAMES[fault.framework]} {one.version}: {format_answer(one.theirs)}
- right: {format_answer(one.right)}
- Sizewise: {format_answer(one.ours)}
"""


def format_answer(answer: Answer) -> str:
    """Return an array as nested lists with five digits, or the text."""
    if isinstance(answer, str):
        return answer
    if answer.ndim == 0:
        return f"{float(answer) + 0.0:.5g}"
    return f"[{', '.join(format_answer(part) for part in np.asarray(answer))}]"


if __name__ == "__main__":
    PAGE.write_text(page([faults.gather(fault) for fault in faults.every()]), encoding="utf-8")
    print(f"wrote {PAGE.name}")
