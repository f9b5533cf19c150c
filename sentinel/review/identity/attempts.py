"""What wrong tokens may cost, without standing in the way of right ones.

Checking a token is dear on purpose: memory and a core for some twenty milliseconds. A token that is known
from a moment ago is let through before anything is counted. Of the others a wrong one counts against its
address, or, where its prefix names a token of the store, against that token from that address alone: whoever
sends rubbish from an address many people share locks out nobody whose prefix they do not know.
"""

from __future__ import annotations

import threading

from sentinel.clock import Clock
from sentinel.review.identity.limits import RateLimit
from sentinel.review.identity.tokens import TokenVerifier
from sentinel.store.people import StoredToken

#: Tokens of no known prefix are hashed only so that they take as long as wrong ones: as many a minute, from
#: everywhere together, as so many addresses may send.
_ADDRESSES = 12
_TURNS = 64


class TooManyAttemptsError(Exception):
    """A token is not looked at before `seconds` have passed."""

    def __init__(self, seconds: float) -> None:
        super().__init__("too many tokens that are none")
        self.seconds = seconds

    @property
    def retry_after(self) -> str:
        """Return the value of the header of this name."""
        return str(int(self.seconds) + 1)


class Attempts:
    """Finds tokens and counts those that open nothing. Safe to share between threads."""

    def __init__(self, verifier: TokenVerifier, per_minute: int, clock: Clock) -> None:
        self._verifier = verifier
        self._wrong = RateLimit(per_minute, clock)
        self._strange = RateLimit(per_minute * _ADDRESSES, clock)
        self._signed_in = RateLimit(per_minute, clock)
        self._turns = [threading.Lock() for _ in range(_TURNS)]

    def token(self, text: str, address: str) -> StoredToken | None:
        """Return the valid token that a text is, None where it opens nothing.

        Raises:
            TooManyAttemptsError: too many wrong ones came from this address.
        """
        sought = self._verifier.seek(text)
        # The same token many times at once is hashed once.
        with self._turns[sought.digest[0] % _TURNS]:
            if self._verifier.is_believed(sought):
                return self._verifier.valid(sought)
            key = f"{address}\n{sought.token.id}" if sought.token else address
            wait = self._wrong.take(key)
            if not wait and sought.token is None:
                wait = self._strange.take("")
            if wait:
                raise TooManyAttemptsError(wait)
            if not self._verifier.is_right(sought):
                return None
            self._wrong.give_back(key)
        return self._verifier.valid(sought)

    def sign_in(self, text: str, address: str) -> StoredToken | None:
        """Return the token that a session begins with; as `token`, and each begins few a minute."""
        found = self.token(text, address)
        wait = 0.0 if found is None else self._signed_in.take(str(found.id))
        if wait:
            raise TooManyAttemptsError(wait)
        return found
