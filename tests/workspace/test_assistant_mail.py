"""Mail through a real SMTP server: encrypted, signed in, refused, tried again; and none where no server is set."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from vivavoce.store.database import Store
from vivavoce.store.rows import MailRow, Project
from vivavoce.store.stamps import date_as, now
from vivavoce.workspace.access.actors import PRODUCT
from vivavoce.workspace.assistant import mailing, tasks
from vivavoce.workspace.assistant.mailing import MailSite

PASSWORD = "swordfish"  # noqa: S105 - of the server in this file
SENDER = "Nord <jobs@nord.example>"


class Postbox:
    """What the server does with mail: it keeps it, or answers what it is told to."""

    def __init__(self) -> None:
        self.mails: list[tuple[Envelope, Message]] = []
        self.encrypted: list[bool] = []
        self.answers: dict[str, str] = {}

    async def handle_RCPT(  # noqa: N802 - as the library calls it
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if refusal := self.answers.get(address):
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.mails.append((envelope, message_from_bytes(envelope.original_content or b"")))
        self.encrypted.append(session.ssl is not None)
        return "250 OK"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for this machine, which signs itself, and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    began = datetime.now(UTC) - timedelta(days=1)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(began).not_valid_after(began + timedelta(days=9))
    builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    signed = builder.sign(key, hashes.SHA256())
    folder = tmp_path_factory.mktemp("certificate")
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    return folder / "cert.pem", folder / "key.pem"


@pytest.fixture
def postbox() -> Postbox:
    return Postbox()


@pytest.fixture
def server(postbox: Postbox, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that takes mail only over an encrypted connection from whoever knows the password."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*map(str, certificate))
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    monkeypatch.setenv(mailing.PASSWORD, PASSWORD)

    def check(server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: Any) -> AuthResult:
        known = isinstance(given, LoginPassword) and given == LoginPassword(b"nord", PASSWORD.encode())
        # Not handled: the server answers what follows.
        return AuthResult(success=known, handled=False)

    yield from run(
        lambda: SMTP(postbox, authenticator=check, auth_required=True, require_starttls=True, tls_context=context)
    )


@pytest.fixture
def plain_server(postbox: Postbox) -> Iterator[int]:
    """A server in the same house: no encryption, no password."""
    yield from run(lambda: SMTP(postbox))


def run(make: Callable[[], SMTP]) -> Iterator[int]:
    """Run a server in a thread; its port."""
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(loop.create_server(make, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield listening.sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(listening.close)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.fixture
def project(store: Store) -> Project:
    with store.writing() as tx:
        return tx.projects.add("jobs", "Nord", language="en", classifier="linear", threshold=0.5)


def use(store: Store, server: int, user: str = "") -> None:
    site = MailSite("localhost", server, user, SENDER, "https://nord.example")
    mailing.change_site(store, PRODUCT, site)


def write(store: Store, project: Project, address: str = "visitor@home.example", **more: str) -> MailRow:
    with store.writing() as tx:
        return mailing.write_mail(tx, project, address, "Grüße aus Kiel", "你好, bis Montag.", **more)


def state(store: Store, mail: MailRow) -> MailRow:
    with store.reading() as tx:
        kept = tx.mails.get(mail.id)
    assert kept is not None
    return kept


def test_mail_goes_out_encrypted_and_signed_in(store: Store, project: Project, server: int, postbox: Postbox) -> None:
    use(store, server, "nord")
    mail = write(store, project, unsubscribe="https://nord.example/unsubscribe/" + "x" * 90)
    assert mailing.send_due(store, project) == mailing.Batch(1, 0)
    ((envelope, message),) = postbox.mails
    assert postbox.encrypted == [True]
    assert (envelope.mail_from, envelope.rcpt_tos) == ("jobs@nord.example", ["visitor@home.example"])
    assert message["List-Unsubscribe"] == f"<https://nord.example/unsubscribe/{'x' * 90}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert message["Message-ID"] == f"<{mail.id}@nord.example>"
    body = message.get_payload(decode=True)
    assert isinstance(body, bytes)
    assert body.decode().strip() == "你好, bis Montag."
    assert state(store, mail).sent is not None
    assert mailing.send_due(store, project).tried == 0


def test_a_wrong_password_is_told_and_tried_again(
    store: Store, project: Project, server: int, postbox: Postbox
) -> None:
    use(store, server, "nord")
    mail, other = write(store, project), write(store, project)
    assert mailing.send_due(store, project, password="guess") == mailing.Batch(0, 2)  # noqa: S106
    failed = state(store, mail)
    assert failed.error.startswith("535")
    assert PASSWORD not in failed.error
    assert not mailing.is_given_up(failed)
    assert mailing.send_due(store, project).tried == 0
    with date_as(state(store, other).next_at):
        assert mailing.send_due(store, project) == mailing.Batch(2, 0)
    assert {state(store, one).error for one in (mail, other)} == {""}


def test_a_password_is_not_sent_in_the_clear(
    store: Store, project: Project, plain_server: int, postbox: Postbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mailing.PASSWORD, PASSWORD)
    use(store, plain_server, "nord")
    mail = write(store, project)
    assert mailing.send_due(store, project) == mailing.Batch(0, 1)
    assert "STARTTLS" in state(store, mail).error
    assert postbox.mails == []


def test_what_is_refused_for_good_is_given_up_and_what_is_refused_for_now_is_not(
    store: Store, project: Project, plain_server: int, postbox: Postbox
) -> None:
    use(store, plain_server)
    postbox.answers = {"gone@home.example": "550 no such person", "full@home.example": "452 mailbox is full"}
    gone, full, good = (write(store, project, f"{who}@home.example") for who in ("gone", "full", "good"))
    assert mailing.send_due(store, project) == mailing.Batch(1, 2)
    assert state(store, good).sent is not None
    assert state(store, gone).error == "550 no such person"
    assert mailing.is_given_up(state(store, gone))
    waits = []
    for _ in range(mailing.MAX_ATTEMPTS - 1):
        assert not mailing.is_given_up(state(store, full))
        waits.append(state(store, full).next_at)
        with date_as(waits[-1]):
            mailing.send_due(store, project)
    assert mailing.is_given_up(state(store, full))
    gaps = [round((later - earlier) / mailing.FIRST_WAIT) for earlier, later in pairwise(waits)]
    assert gaps == [2, 4, 8, 16]
    postbox.answers = {}
    mailing.try_again(store, PRODUCT, project, full.id)
    assert mailing.send_due(store, project) == mailing.Batch(1, 0)


def test_a_worker_sends_mail_when_it_is_due_and_the_record_says_how_many(
    store: Store, project: Project, plain_server: int, postbox: Postbox
) -> None:
    write(store, project)
    assert tasks.plan_due(store) == 0
    use(store, plain_server)
    for _ in range(21):
        write(store, project)
    assert tasks.plan_due(store) == 1
    task = tasks.claim(store, "w")
    assert task is not None
    tasks.perform(store, task)
    (line,) = tasks.list_tasks(store, project, "mail")
    assert (str(line.task.outcome), line.task.result) == ("22 mails sent", {"sent": 22, "failed": 0})
    assert len(postbox.mails) == 22
    assert tasks.plan_due(store) == 0


def test_a_server_that_is_gone_leaves_all_mail_waiting(store: Store, project: Project) -> None:
    use(store, 9)
    mails = [write(store, project) for _ in range(3)]
    assert mailing.send_due(store, project) == mailing.Batch(0, 3)
    assert {state(store, mail).attempts for mail in mails} == {1}
    assert all(now() < state(store, mail).next_at < now() + timedelta(hours=1) for mail in mails)
