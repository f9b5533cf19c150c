"""Where a request comes from: the peer, the page that sent it, and the token only our own pages know."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from urllib.parse import urlsplit

from fastapi import Request

from sentinel.review.identity.params import AccessParams

CSRF_HEADER = "x-csrf-token"
CSRF_FIELD = "csrf_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORM_TYPE = "application/x-www-form-urlencoded"
#: What a proxy adds to a request it hands on.
_FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")


def csrf_token_of(secret: bytes, purpose: str) -> str:
    """Return the token of a secret (of a session, of the store): 128 bits as hexadecimal digits."""
    return hmac.new(secret, b"csrf\x00" + purpose.encode(), hashlib.sha256).hexdigest()[:32]


async def carries_token(request: Request, expected: str) -> bool:
    """Return whether a request bears the token in its header or in the form it sends."""
    given = request.headers.get(CSRF_HEADER)
    if given is None and request.headers.get("content-type", "").lower().startswith(_FORM_TYPE):
        field = (await request.form()).get(CSRF_FIELD)
        given = field if isinstance(field, str) else None
    return given is not None and hmac.compare_digest(given.encode(), expected.encode())


def is_from_own_page(request: Request, params: AccessParams) -> bool:
    """Return whether a browser sent the request from a page of ours, or no browser sent it.

    Browsers name the origin of every request that may change something, and lie for nobody.
    """
    origin = request.headers.get("origin")
    if origin is None:
        return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
    parts = _split(origin)
    if parts is None:
        return False
    public = urlsplit(params.public_url)
    if params.public_url and parts == (public.scheme, public.netloc.lower()):
        return True
    # A proxy may end TLS in front of us, so that our own scheme is not known here.
    return parts[0] in ("http", "https") and parts[1] == request.headers.get("host", "").lower()


def is_from_browser(request: Request) -> bool:
    """Return whether a request bears what browsers add to theirs."""
    return any(name in request.headers for name in ("origin", "sec-fetch-site", "cookie"))


def is_forwarded(request: Request) -> bool:
    """Return whether a proxy handed the request on: whoever sent it need not be on this machine."""
    return any(name in request.headers for name in _FORWARDED)


def peer_is_among(request: Request, networks: tuple[str, ...]) -> bool:
    """Return whether the peer of the connection is one of some addresses or networks."""
    peer = _address(request.client.host if request.client else "")
    if peer is None:
        return False
    found = (ipaddress.ip_network(network) for network in networks)
    return any(peer.version == network.version and peer in network for network in found)


def address_of(request: Request, params: AccessParams) -> str:
    """Return whose rate is counted: the peer, or behind a trusted proxy the last address it added."""
    peer = request.client.host if request.client else ""
    if peer_is_among(request, params.proxy.addresses):
        forwarded = request.headers.getlist("x-forwarded-for")
        last = _address(forwarded[-1].rsplit(",", 1)[-1].strip()) if forwarded else None
        if last is not None:
            return str(last)
    return peer


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _split(origin: str) -> tuple[str, str] | None:
    try:
        parts = urlsplit(origin)
    except ValueError:
        return None
    return (parts.scheme, parts.netloc.lower()) if parts.netloc and not parts.path else None
