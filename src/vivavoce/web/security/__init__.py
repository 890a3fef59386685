"""The safety of the web application: guards around it, and rules that hold no state of their own."""

from vivavoce.web.security.archives import unpacked_archive
from vivavoce.web.security.compression import Compression
from vivavoce.web.security.cookies import ended_cookie, has_session, read_session, session_cookie
from vivavoce.web.security.headers import SECRET_PAGE, SecurityHeaders
from vivavoce.web.security.origins import HostGuard, OriginGuard
from vivavoce.web.security.protection import Protection, protected
from vivavoce.web.security.proxies import came_over_https, client_address
from vivavoce.web.security.refusals import Refusal
from vivavoce.web.security.uploads import (
    BodyLimit,
    FormLimits,
    forget_upload,
    read_form,
    safe_name,
    saved_upload,
    told_by_name,
)
from vivavoce.workspace.access.secrets.passwords import check_password, hash_password, password_faults, rehash_needed
from vivavoce.workspace.access.secrets.throttling import (
    Attempt,
    Wait,
    address_key,
    kept_attempts,
    login_key,
    new_attempt,
    waiting_time,
)
from vivavoce.workspace.access.secrets.tokens import (
    Secret,
    bearer_token,
    digest_of,
    is_api_token,
    matches,
    new_api_token,
    new_link_secret,
    new_session_secret,
    shortened,
)

__all__ = [
    "SECRET_PAGE",
    "Attempt",
    "BodyLimit",
    "Compression",
    "FormLimits",
    "HostGuard",
    "OriginGuard",
    "Protection",
    "Refusal",
    "Secret",
    "SecurityHeaders",
    "Wait",
    "address_key",
    "bearer_token",
    "came_over_https",
    "check_password",
    "client_address",
    "digest_of",
    "ended_cookie",
    "forget_upload",
    "has_session",
    "hash_password",
    "is_api_token",
    "kept_attempts",
    "login_key",
    "matches",
    "new_api_token",
    "new_attempt",
    "new_link_secret",
    "new_session_secret",
    "password_faults",
    "protected",
    "read_form",
    "read_session",
    "rehash_needed",
    "safe_name",
    "saved_upload",
    "session_cookie",
    "shortened",
    "told_by_name",
    "unpacked_archive",
    "waiting_time",
]
