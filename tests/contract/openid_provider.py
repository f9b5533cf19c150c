"""A small OpenID Connect provider on loopback, with real signatures, that can be told to misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "sentinel", "a secret of the client"


def _key() -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": secrets.token_hex(4), "use": "sig"})


@dataclass
class Provider:
    """`claims` and `header` go into the next ID token over what is right; None takes a claim away."""

    url: str = ""
    user: dict[str, Any] = field(default_factory=lambda: {"sub": "user-1", "name": "Robin"})
    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=_key)
    forged_with: Any = None
    is_unsigned: bool = False
    answers_nothing: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: list[dict[str, str]] = field(default_factory=list)

    def rotate_key(self) -> None:
        self.key = _key()

    def authorize(self, location: str) -> str:
        """Let the user sign in: return the address the browser is sent back to."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(8)
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Answer the token endpoint: a code is good once, with its verifier, for its client."""
        query = self.codes.pop(form.get("code", ""), None)
        expected = "Basic " + base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if (
            query is None
            or authorization != expected
            or form.get("redirect_uri") != query["redirect_uri"]
            or base64.urlsafe_b64encode(challenge).decode().rstrip("=") != query["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        self.seen.append(query | form)
        token = {"access_token": "opaque", "token_type": "Bearer", "id_token": self.id_token(query["nonce"])}
        return 200, token

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce}
        claims = {k: v for k, v in (claims | self.user | self.claims).items() if v is not None}
        if self.is_unsigned:
            parts = ({"alg": "none"}, claims)
            encoded = (base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
            return b".".join([*encoded, b""]).decode()
        if callable(self.forged_with):
            forged: str = self.forged_with(claims)
            return forged
        if self.forged_with is not None:
            header, key = self.forged_with
            return jwt.encode(header, claims, key)
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def document(self, path: str) -> dict[str, Any] | None:
        if path == "/.well-known/openid-configuration":
            found = {"issuer": self.url, "authorization_endpoint": f"{self.url}/authorize"}
            found |= {"token_endpoint": f"{self.url}/token", "jwks_uri": f"{self.url}/keys"}
            return found | self.metadata
        if path == "/keys":
            return {"keys": [self.key.as_dict(private=False)]}
        return None


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Yield a provider that answers until the block ends."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            document = None if provider.answers_nothing else provider.document(self.path)
            self._send(404 if document is None else 200, document or {})

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            form = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
            self._send(*provider.exchange(form, self.headers.get("Authorization", "")))

        def _send(self, status: int, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
