"""Templates of the workbench: every value is escaped, a name that is missing is an error."""

from __future__ import annotations

from datetime import UTC, date, timedelta
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from sentinel.review.identity.permission import Action

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
_environment.filters["share"] = lambda share: "–" if share is None else f"{share:.1%}"
_environment.filters["decimal"] = lambda number: "–" if number is None else f"{number:.2f}"
_environment.filters["count"] = lambda number: f"{number:,}"
_environment.filters["day"] = lambda moment: moment.astimezone(UTC).strftime("%Y-%m-%d")
_environment.filters["size"] = lambda number, unit: f"{number:.1%}" if unit == "share" else f"{number:.3g}"
_environment.filters["number"] = lambda number: f"{number:g}"
_environment.filters["day_before"] = lambda day: (date.fromisoformat(day) - timedelta(days=1)).isoformat()

#: The pages that every page leads to, by address, and what it takes to see them.
_ROOMS = {
    "/": ("Queue", Action.VIEW),
    "/adjudication": ("Adjudication", Action.ADJUDICATE),
    "/overview": ("Overview", Action.VIEW),
    "/reports": ("Reports", Action.VIEW),
    "/alarms": ("Alarms", Action.VIEW),
    "/agreement": ("Agreement", Action.MEASURE),
    "/calibration": ("Calibration", Action.LABEL),
    "/guideline": ("Guideline", Action.VIEW),
    "/people": ("People", Action.MANAGE),
}


def page(template: str, status: int = 200, request: Request | None = None, **values: Any) -> HTMLResponse:
    """Return a rendered page; with its request it says who is signed in, and `who.csrf_token` is known."""
    who = getattr(request.state, "who", None) if request is not None else None
    values["who"] = who
    values["here"] = request.url.path if request is not None else ""
    values["rooms"] = {address: name for address, (name, action) in _ROOMS.items() if _leads(who, action)}
    return HTMLResponse(_environment.get_template(template).render(values), status)


def _leads(who: Any, action: Action) -> bool:
    """Whether a link to a room is shown; where nobody is known, what admins alone may see is not named."""
    return action is not Action.MANAGE if who is None else bool(who.person.may(action))


def message(title: str, text: str, status: int) -> HTMLResponse:
    """Return a page that says one thing; both strings are written by us."""
    return page("message.html", status, title=title, text=text)


#: Media types of the static files, by the end of their name.
_KINDS = {"css": "text/css", "svg": "image/svg+xml", "js": "text/javascript"}


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return content and media type of the static files, by name."""
    folder = files("sentinel.review") / "static"
    return {
        one.name: (one.read_bytes(), _KINDS[one.name.rpartition(".")[2]])
        for one in folder.iterdir()
        if one.name.rpartition(".")[2] in _KINDS
    }
