"""OpenID Connect: the authorisation code flow with PKCE, against one configured provider.

After OpenID Connect Core 1.0 (section 3.1, ID token validation 3.1.3.7) and RFC 7636. State, nonce and
verifier travel in a signed cookie of ten minutes, so that any workbench on the store can end what another
one began.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, OctKey

from sentinel.errors import RetryError
from sentinel.review.identity.params import OidcParams, RoleName
from sentinel.review.identity.vouched import role_among

FLOW_SECONDS = 600
_METADATA_SECONDS = 3600.0
_LEEWAY_SECONDS = 60
#: Signatures with the provider's own keys; a shared secret is not one, and `none` is nothing.
_ALGORITHMS = [
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
]


class RefusedError(Exception):
    """The provider did not vouch for anybody. The message says why, without a value that came in."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What the provider says of somebody; `role` None: nothing."""

    subject: str
    name: str
    role: RoleName | None


@dataclass(frozen=True, slots=True)
class Flow:
    """A sign-in on its way: where the browser goes, and what it keeps meanwhile."""

    location: str
    cookie: str


class OidcProvider:
    """The configured provider. Safe to share between threads.

    `key` signs the cookie of a sign-in on its way.
    """

    def __init__(self, params: OidcParams, key: bytes) -> None:
        self._params = params
        self._key = OctKey.import_key(hmac.digest(key, b"oidc flow", "sha256"))
        self._lock = threading.Lock()
        self._metadata: tuple[float, Mapping[str, Any]] | None = None
        self._keys: KeySet | None = None

    def begin(self, redirect_uri: str, following: str) -> Flow:
        """Return where to send a browser that wants to sign in and then to see `following`.

        Raises:
            RetryError: the provider does not answer.
        """
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(24)
        with self._client(redirect_uri) as client:
            location, state = client.create_authorization_url(
                self._endpoint("authorization_endpoint"), code_verifier=verifier, nonce=nonce
            )
        expires = int(time.time()) + FLOW_SECONDS
        kept = {"state": state, "nonce": nonce, "verifier": verifier, "next": following, "exp": expires}
        return Flow(location, jwt.encode({"alg": "HS256"}, kept, self._key))

    def finish(self, redirect_uri: str, cookie: str, query: Mapping[str, str]) -> tuple[Claimed, str]:
        """Return whom the provider vouches for, and where they wanted to go.

        Raises:
            RefusedError: nobody, or not in answer to this browser's own request.
            RetryError: the provider does not answer.
        """
        kept = self._kept(cookie)
        if not hmac.compare_digest(str(kept["state"]).encode(), query.get("state", "").encode()):
            raise RefusedError("the answer belongs to another sign-in")
        if query.get("iss", self._params.issuer) != self._params.issuer:
            raise RefusedError("the answer comes from another provider")
        code = query.get("code")
        if not code:
            raise RefusedError("the provider declined")
        token = self._exchange(redirect_uri, code, str(kept["verifier"]))
        return self._claimed(token, str(kept["nonce"])), str(kept["next"])

    def _kept(self, cookie: str) -> Mapping[str, Any]:
        try:
            kept = jwt.decode(cookie, self._key, algorithms=["HS256"]).claims
            jwt.JWTClaimsRegistry(exp={"essential": True}).validate(kept)
        except (JoseError, ValueError):
            raise RefusedError("the sign-in was begun too long ago, or in another browser") from None
        return kept

    def _exchange(self, redirect_uri: str, code: str, verifier: str) -> str:
        try:
            with self._client(redirect_uri) as client:
                answer = client.fetch_token(
                    self._endpoint("token_endpoint"), code=code, code_verifier=verifier
                )
        except OAuthError:
            raise RefusedError("the provider did not accept its own code") from None
        except (httpx2.HTTPError, ValueError):
            raise _away() from None
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise RefusedError("the provider sent no ID token")
        return token

    def _claimed(self, token: str, nonce: str) -> Claimed:
        claims = self._verified(token)
        registry = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY_SECONDS,
            iss={"essential": True, "value": self._params.issuer},
            aud={"essential": True, "value": self._params.client_id},
            nonce={"essential": True, "value": nonce},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        try:
            registry.validate(claims)
        except JoseError:
            raise RefusedError("the ID token is not for this sign-in, or no longer valid") from None
        if claims.get("azp", self._params.client_id) != self._params.client_id:
            raise RefusedError("the ID token was given to another client")
        subject = claims["sub"]
        if not isinstance(subject, str) or not subject:
            raise RefusedError("the ID token names nobody")
        name = claims.get(self._params.name_claim) or claims.get("preferred_username") or subject
        return Claimed(subject, str(name), self._role(claims))

    def _role(self, claims: Mapping[str, Any]) -> RoleName | None:
        if not self._params.role_claim:
            return None
        value: Any = claims
        for part in self._params.role_claim.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        role = role_among(value if isinstance(value, list) else [value], self._params.roles)
        if role is None:
            raise RefusedError("the provider gives no role here")
        return role

    def _verified(self, token: str) -> dict[str, Any]:
        for attempt in (1, 2):
            try:
                return jwt.decode(token, self._key_set(anew=attempt == 2), algorithms=_ALGORITHMS).claims
            except (JoseError, ValueError):
                # The provider may sign with a key it has had for less time than we have had its list.
                continue
        raise RefusedError("the ID token bears no signature of the provider")

    def _key_set(self, *, anew: bool) -> KeySet:
        with self._lock:
            if self._keys is None or anew:
                self._keys = KeySet.import_key_set(self._get(self._endpoint("jwks_uri")))
            return self._keys

    def _endpoint(self, name: str) -> str:
        now = time.monotonic()
        metadata = self._metadata
        if metadata is None or now - metadata[0] > _METADATA_SECONDS:
            found = self._get(self._params.issuer.rstrip("/") + "/.well-known/openid-configuration")
            if found.get("issuer") != self._params.issuer:
                raise RetryError("the OpenID Connect provider calls itself another issuer than is configured")
            metadata = self._metadata = (now, found)
        endpoint = metadata[1].get(name)
        if not isinstance(endpoint, str):
            message = f"the OpenID Connect provider names no {name}"
            raise RetryError(message)
        return endpoint

    def _get(self, url: str) -> Any:
        try:
            answer = httpx2.get(url, timeout=self._params.timeout_seconds, follow_redirects=False)
            answer.raise_for_status()
            return answer.json()
        except (httpx2.HTTPError, ValueError):
            raise _away() from None

    def _client(self, redirect_uri: str) -> OAuth2Client:
        return OAuth2Client(
            client_id=self._params.client_id,
            client_secret=self._params.client_secret or None,
            token_endpoint_auth_method="client_secret_basic" if self._params.client_secret else "none",
            scope=" ".join(self._params.scopes),
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=self._params.timeout_seconds,
        )


def _away() -> RetryError:
    return RetryError("the OpenID Connect provider does not answer as one")
