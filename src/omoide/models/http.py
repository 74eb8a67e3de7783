"""One JSON request to a model endpoint, with everything that can go wrong on the way.

Standard library only. Redirects are not followed (a key must not travel to another host) and proxies from
the environment are not used. Tries again on 429, on 5xx and on broken connections, a few times, waiting
longer each time; every other answer fails at once with `ModelFailed`.
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from omoide.errors import BadInput, ModelFailed

_LARGEST_ANSWER = 256 * 1024 * 1024
_NETWORK = (OSError, http.client.HTTPException)


class _Again(Exception):
    """This try failed in a way that may pass. `wait`: seconds the endpoint asked for."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class Refused(ModelFailed):
    """The endpoint answered with a status that does not pass by waiting."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of one request. All times in seconds.

    `timeout` bounds one whole try, from connecting to the last byte. `attempts` counts all tries.
    `first_wait` doubles with every try; an endpoint that asks for more than `longest_wait` is given up.
    """

    timeout: float = 60.0
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 30.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address such as http://localhost:8080/v1 and the key for it, which is never shown."""

    url: str
    key: str | None
    patience: Patience

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise BadInput("base_url must look like http://localhost:8080/v1 or https://host/v1.")
        if self.key and not (self.key.isascii() and self.key.isprintable()):
            raise BadInput("The API key holds characters that cannot be sent (a line end?). Set it again.")

    def __repr__(self) -> str:
        return f"Endpoint({self.host})"

    @property
    def host(self) -> str:
        """Host and port, without a user name or password that may stand in the address."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The decoded JSON answer to `body`. Raises `ModelFailed` (its `Refused` with the status)."""
        wait = self.patience.first_wait
        for attempt in range(1, self.patience.attempts + 1):
            try:
                return self._try(path, body)
            except _Again as failure:
                pause = wait if failure.wait is None else failure.wait
                if attempt == self.patience.attempts or pause > self.patience.longest_wait:
                    raise ModelFailed(self._given_up(str(failure), attempt, failure.wait)) from failure
                time.sleep(pause)
                wait = min(wait * 2, self.patience.longest_wait)
        raise BadInput("attempts must be at least 1.")

    def _given_up(self, what: str, attempt: int, asked: float | None) -> str:
        later = f" It asks to wait {asked:.0f} s." if asked is not None else ""
        return (
            f"The model endpoint {self.host} {what} (attempt {attempt} of {self.patience.attempts}).{later} "
            "Check that it runs and is not overloaded, then try again."
        )

    def _try(self, path: str, body: dict[str, Any]) -> Any:
        until = time.monotonic() + self.patience.timeout
        connection = self._connection()
        try:
            connection.request("POST", self._path(path), json.dumps(body), self._headers())
            answer = connection.getresponse()
            content = self._content(answer, until)
        except TimeoutError as error:
            raise _Again(f"did not answer within {self.patience.timeout:g} s") from error
        except ssl.SSLCertVerificationError as error:
            raise ModelFailed(
                f"The certificate of {self.host} is not trusted: {error.verify_message}."
            ) from error
        except _NETWORK as error:
            raise _Again(f"broke the connection or cannot be reached ({_named(error)})") from error
        finally:
            connection.close()
        self._check_status(answer, content)
        try:
            return json.loads(content)
        except ValueError as error:
            raise ModelFailed(
                f"The model endpoint {self.host} answered with status {answer.status} but not with JSON "
                f"({_excerpt(content)!r}). Check that base_url ends in the API's path, often /v1."
            ) from error

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(str(parts.hostname), parts.port, timeout=self.patience.timeout)

    def _path(self, path: str) -> str:
        return urlsplit(self.url).path.rstrip("/") + path

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        return headers | {"Authorization": f"Bearer {self.key}"} if self.key else headers

    @staticmethod
    def _content(answer: http.client.HTTPResponse, until: float) -> bytes:
        # Piece by piece: the socket's own time-out starts again with every byte of a slow drip.
        pieces, size = [], 0
        while piece := answer.read1(65_536):
            pieces.append(piece)
            size += len(piece)
            if time.monotonic() > until:
                raise TimeoutError
            if size > _LARGEST_ANSWER:
                raise http.client.HTTPException("answer over 256 MB")
        if answer.length:  # `read1` ends quietly where `read` would complain
            raise http.client.IncompleteRead(b"", answer.length)
        return b"".join(pieces)

    def _check_status(self, answer: http.client.HTTPResponse, content: bytes) -> None:
        status = answer.status
        if status == 429 or status >= 500:
            wait = _seconds(answer.getheader("Retry-After"))
            raise _Again(f"answered with status {status} ({self._shown(content)})", wait)
        if not 200 <= status < 300:
            raise Refused(
                f"The model endpoint {self.host} refused with status {status}: {self._shown(content)}. "
                f"{_ADVICE.get(status, 'Check the model name and the settings of the endpoint.')}",
                status,
            )

    def _shown(self, content: bytes) -> str:
        """The endpoint's own words. Some endpoints repeat the key they were given."""
        text = _message(content)
        return text.replace(self.key, "[key]") if self.key else text


_ADVICE = {
    401: "Check the key in the environment variable named by api_key_env.",
    403: "Check that the key may use this model.",
    404: "Check base_url (it often ends in /v1) and the model name.",
    413: "Send smaller texts: lower max_tokens.",
}


def _message(content: bytes) -> str:
    try:
        found = json.loads(content)
        error = found.get("error", found)
        text = error.get("message", "") if isinstance(error, dict) else str(error)
    except (ValueError, AttributeError):
        text = ""
    return " ".join(str(text).split())[:200] or _excerpt(content) or "no reason given"


def _excerpt(content: bytes) -> str:
    return " ".join(content[:120].decode("utf-8", "replace").split())


def _seconds(value: str | None) -> float | None:
    """Retry-After in either of its forms: seconds or an HTTP date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = when.timestamp() - time.time()
    return seconds if 0 <= seconds < 1e9 else 0.0 if seconds < 0 else None


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
