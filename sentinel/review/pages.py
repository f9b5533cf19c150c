"""Templates of the workbench: every value is escaped, a name that is missing is an error."""

from __future__ import annotations

from datetime import UTC
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

_environment = Environment(
    loader=PackageLoader("sentinel.review"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_environment.filters["moment"] = lambda moment: moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
_environment.filters["machine"] = lambda moment: moment.astimezone(UTC).isoformat()
_environment.filters["query"] = urlencode
_environment.filters["count"] = lambda number: f"{number:,}"


def page(template: str, status: int = 200, request: Request | None = None, **values: Any) -> HTMLResponse:
    """Return a rendered page; with its request it says who is signed in, and `who.csrf_token` is known."""
    values["who"] = getattr(request.state, "who", None) if request is not None else None
    return HTMLResponse(_environment.get_template(template).render(values), status)


def message(title: str, text: str, status: int) -> HTMLResponse:
    """Return a page that says one thing; both strings are written by us."""
    return page("message.html", status, title=title, text=text)


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return content and media type of the few static files, by name."""
    folder = files("sentinel.review") / "static"
    kinds = {"workbench.css": "text/css", "icon.svg": "image/svg+xml"}
    return {name: ((folder / name).read_bytes(), kind) for name, kind in kinds.items()}
