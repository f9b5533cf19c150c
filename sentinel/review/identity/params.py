"""What an operator can set about who may use the workbench."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import urlsplit

from sentinel.review.loopback import is_loopback

RoleName = Literal["viewer", "reviewer", "adjudicator", "admin"]
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class ProxyParams:
    """A reverse proxy that signs people in and says in a header who they are.

    `addresses` are those the proxy connects from (addresses or networks); from any other the headers mean
    nothing. Empty: no proxy is trusted. `role_header` names one of the four roles, or a key of `roles`;
    without it people begin with `role` and keep what an admin gives them.
    """

    addresses: tuple[str, ...] = ()
    header: str = "X-Forwarded-User"
    name_header: str = ""
    role_header: str = ""
    roles: Mapping[str, RoleName] = field(default_factory=dict)
    role: RoleName = "viewer"

    def __post_init__(self) -> None:
        """Raise ValueError for what could never work."""
        for address in self.addresses:
            try:
                ipaddress.ip_network(address)
            except ValueError:
                message = f"addresses: {address[:64]!r} is no address and no network such as 10.0.0.0/8"
                raise ValueError(message) from None
        for name in (self.header, self.name_header, self.role_header):
            if name and not _HEADER_NAME.fullmatch(name):
                message = f"{name[:64]!r} is no name of a header"
                raise ValueError(message)
        if not self.header:
            raise ValueError("header must name the header that says who somebody is")


@dataclass(frozen=True, slots=True)
class OidcParams:
    """An OpenID Connect provider; without `issuer` there is none.

    `role_claim` names a claim of the ID token (dots lead into objects) whose value, or one of whose values,
    is one of the four roles or a key of `roles`; the most powerful counts. Without it people begin with
    `role` and keep what an admin gives them.
    """

    issuer: str = ""
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    scopes: tuple[str, ...] = ("openid", "profile")
    name_claim: str = "name"
    role_claim: str = ""
    roles: Mapping[str, RoleName] = field(default_factory=dict)
    role: RoleName = "viewer"
    timeout_seconds: float = 10.0

    def __post_init__(self) -> None:
        """Raise ValueError for what could never work."""
        if not self.issuer:
            return
        parts = urlsplit(self.issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise ValueError("issuer must be an https address (http on a loopback address alone)")
        if not self.client_id:
            raise ValueError("client_id must be set: the name this workbench has at the provider")
        if "openid" not in self.scopes:
            raise ValueError("scopes must hold openid")
        if not 0 < self.timeout_seconds <= 60:
            raise ValueError("timeout_seconds must lie between 0 and 60")


@dataclass(frozen=True, slots=True)
class AccessParams:
    """Sign-in, sessions and limits.

    `key` is the workbench's secret where it does not get the sampling salt; a proxy or a provider needs one
    of the two, to know people again by. `public_url` is the address people reach the workbench at, where
    that is not the one it listens on: its host is answered to, its origin may post, and https makes cookies
    Secure. `believed_seconds`: for how long a token that was verified is not hashed again (revoking still
    works at once). `open_metrics`: `/metrics` asks nobody off loopback, either. The limits count per minute:
    attempts to sign in by address, labels by person and by address.
    """

    key: str = field(default="", repr=False)
    public_url: str = ""
    token_days: float = 90.0
    session_idle_hours: float = 8.0
    session_hours: float = 72.0
    believed_seconds: float = 60.0
    sign_ins_per_minute: int = 10
    submits_per_minute: int = 120
    submits_per_minute_of_address: int = 1200
    kept_answer_days: float = 7.0
    open_metrics: bool = False
    body_bytes: int = 2_097_152
    import_bytes: int = 67_108_864
    proxy: ProxyParams = field(default_factory=ProxyParams)
    oidc: OidcParams = field(default_factory=OidcParams)

    def __post_init__(self) -> None:
        """Raise ValueError for what could never work."""
        if self.public_url:
            parts = urlsplit(self.public_url)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/"):
                raise ValueError("public_url must be an address such as https://review.example.org")
        positive = ("token_days", "session_idle_hours", "session_hours", "kept_answer_days")
        limits = ("sign_ins_per_minute", "submits_per_minute", "submits_per_minute_of_address")
        for name in (*positive, *limits, "body_bytes", "import_bytes"):
            if not getattr(self, name) > 0:
                message = f"{name} must be above 0"
                raise ValueError(message)
        if not 0 <= self.believed_seconds <= 3600:
            raise ValueError("believed_seconds must lie between 0 and 3600")

    @property
    def is_vouched_for(self) -> bool:
        """Return whether a proxy or a provider says who people are."""
        return bool(self.proxy.addresses or self.oidc.issuer)


ROLE_NAMES: tuple[RoleName, ...] = get_args(RoleName)
