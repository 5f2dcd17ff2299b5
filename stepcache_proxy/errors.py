"""Every exception this package raises, with the status and kind it is shown as.

StepcacheError
├── ConfigError               operator: a setting is wrong (exit 2)
├── StartError                operator: the machine refuses (exit 1)
├── InvalidRequestError       client: 400, names the header or field
│   └── BodyTooLargeError     client: 413
├── AccessError               the admin endpoints are not for this client: 403
│   └── TokenError            client: 401, no or a wrong admin token
├── UnknownRecordError        client: 404
├── ClientGoneError           client left: nobody is there to be answered
├── NotServableError          client asked only-if-cached: 504
├── UpstreamError             upstream: 502
│   ├── UpstreamTimeoutError  upstream: 504
│   ├── UpstreamStatusError   upstream answered with an error: passed on unchanged
│   └── StructuredOutputError a strict schema was demanded and the model cannot
└── SeamError                 a part of the cache: never reaches a client
    ├── StoreUnavailableError
    │   └── StoreRefusedError it answers but does not take what it is told to
    ├── IndexUnavailableError
    └── EmbedderUnavailableError

Foreign exceptions are mapped to these in one place per adapter, ``raise ... from``.
"""

from collections.abc import Sequence
from typing import ClassVar, Literal


class StepcacheError(Exception):
    """Root of all; ``status`` and ``kind`` are what an error object shows."""

    status: ClassVar[int] = 500
    kind: ClassVar[str] = "internal_error"
    code: ClassVar[str | None] = None


class ConfigError(StepcacheError):
    """Settings cannot be used; each of ``faults`` names one and the mend."""

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


class StartError(StepcacheError):
    """The proxy cannot start for a reason outside its settings."""


class InvalidRequestError(StepcacheError):
    """The client sent a control header or a body we cannot accept."""

    status = 400
    kind = "invalid_request_error"

    def __init__(self, message: str, *, param: str) -> None:
        super().__init__(message)
        self.param = param


class BodyTooLargeError(InvalidRequestError):
    """The request body is over ``server.max_body_bytes``."""

    status = 413
    code = "request_too_large"


class AccessError(StepcacheError):
    """The admin endpoints are not open to this client."""

    status = 403
    kind = "permission_error"
    code = "admin_access_denied"


class TokenError(AccessError):
    """The admin token is missing or wrong."""

    status = 401
    kind = "authentication_error"
    code = "invalid_admin_token"


class UnknownRecordError(StepcacheError):
    """No live record has this id."""

    status = 404
    kind = "not_found_error"
    code = "record_not_found"


class ClientGoneError(StepcacheError):
    """The client has closed the connection; 499 stands in figures and logs only."""

    status = 499
    kind = "client_gone"


class NotServableError(StepcacheError):
    """``only-if-cached`` was asked and nothing can be served."""

    status = 504
    kind = "not_cached_error"
    code = "only_if_cached"


class UpstreamError(StepcacheError):
    """The upstream could not be reached or broke off."""

    status = 502
    kind = "upstream_error"
    code = "upstream_unavailable"


class UpstreamTimeoutError(UpstreamError):
    """The upstream did not answer in time."""

    status = 504
    code = "upstream_timeout"


class UpstreamStatusError(UpstreamError):
    """The upstream answered a call of ours with an error, kept unchanged."""

    def __init__(
        self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes
    ) -> None:
        super().__init__(f"the upstream answered {status}")
        self.upstream_status = status
        self.headers = headers
        self.body = body


class StructuredOutputError(UpstreamError):
    """The model's answer breaks the strict schema, and no repair mended it."""

    code = "invalid_structured_output"


class SeamError(StepcacheError):
    """A part of the cache is not usable now; the request goes upstream."""

    seam: ClassVar[Literal["store", "index", "embedder"]] = "store"


class StoreUnavailableError(SeamError):
    """The record store did not answer in time or refused."""


class StoreRefusedError(StoreUnavailableError):
    """The record store answered and refused: it is full, read-only or forbids it."""


class IndexUnavailableError(SeamError):
    """The vector index did not answer in time or is not built."""

    seam = "index"


class EmbedderUnavailableError(SeamError):
    """The embedder did not answer in time or could not be loaded."""

    seam = "embedder"
