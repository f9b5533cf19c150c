"""One report document as JSON, Markdown or HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sentinel.reporting.render_markdown import markdown


def rendered(document: Mapping[str, Any], form: str) -> str:
    """Return the report as `json`, `html` or `markdown`, ending in a line feed.

    Raises:
        ValueError: there is no such form.
    """
    if form == "json":
        return json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if form == "html":
        # Drawing charts takes a library that is slow to load: only who wants them waits.
        from sentinel.reporting.render_html import html

        return html(document)
    if form == "markdown":
        return markdown(document)
    message = f"a report is written as json, html or markdown, not {form!r}"
    raise ValueError(message)
