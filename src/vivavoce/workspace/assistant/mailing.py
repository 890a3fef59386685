"""Mail to visitors: written into the outbox with the change that causes it, sent by whoever runs the server."""

from __future__ import annotations

import os
import smtplib
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from urllib.parse import urlsplit

from vivavoce.assistant import Query
from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import MailRow, Project, Role, SubscriptionRow
from vivavoce.store.stamps import new_id, now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.access.secrets import digest_of, new_secret

SITE = "assistant mail"
PASSWORD = "VIVA_SMTP_PASSWORD"  # noqa: S105 - the name of a variable
TIMEOUT_S = 20
# Longer than a worker may take for them all.
HELD = timedelta(minutes=15)
FIRST_WAIT = timedelta(minutes=10)
MAX_ATTEMPTS = 6
NEVER = timedelta(days=3650)
MAX_ERROR = 300
TLS_PORT = 465
PERMANENT = 500
# The usual policy breaks a long address in a header into encoded words, which mail programs do not read.
_POLICY = policy.SMTP.clone(max_line_length=998)
# Written to visitors, who do not read the language of the staff: these texts are part of the talk.
CONFIRM = {
    "en": (
        "Confirm your job alert",
        "Please confirm that you want job alerts from {name}:",
        "It was not you? Ignore this mail.",
    ),
    "de": (
        "Bitte bestätige dein Job-Abo",
        "Bitte bestätige, dass du neue Stellen von {name} per E-Mail möchtest:",
        "Das warst nicht du? Dann ignoriere diese E-Mail.",
    ),
    "fr": (
        "Confirmez votre alerte emploi",
        "Confirmez que vous souhaitez recevoir les offres de {name} :",
        "Ce n’était pas vous ? Ignorez ce message.",
    ),
    "zh": ("请确认职位订阅", "请确认您希望收到{name}的新职位:", "如果不是您本人操作，请忽略此邮件。"),
}
NEWS = {
    "en": ("New openings at {name}", "Unsubscribe"),
    "de": ("Neue Stellen bei {name}", "Abbestellen"),
    "fr": ("Nouvelles offres chez {name}", "Se désabonner"),
    "zh": ("{name}的新职位", "退订"),
}


@dataclass(frozen=True, slots=True)
class MailSite:
    """How mail leaves: the site's SMTP server and sender, and the public address of this server for links."""

    host: str = ""
    port: int = 587
    user: str = ""
    sender: str = ""
    address: str = ""

    @property
    def complete(self) -> bool:
        """Whether mail can be sent at all."""
        return bool(self.host and self.sender)


def find_site(store: Store) -> MailSite:
    """Return how mail leaves."""
    with store.reading() as tx:
        return _get_site(tx)


def _get_site(tx: Transaction) -> MailSite:
    values = tx.options.get(SITE)
    return MailSite(**values) if isinstance(values, dict) else MailSite()


def change_site(store: Store, actor: Actor, site: MailSite) -> None:
    """Keep how mail leaves; the password comes from the environment of the server and is never stored."""
    actor.require(Role.ADMIN)
    faults = []
    if site.sender and "@" not in site.sender:
        faults.append(Fault(say("enter a mail address"), "sender"))
    if site.address and urlsplit(site.address).scheme not in ("http", "https"):
        faults.append(Fault(say("the address must begin with http:// or https://"), "address"))
    if faults:
        raise UsageError(say("some fields are invalid"), faults=faults, remedy=say("correct them and try again"))
    with store.writing() as tx:
        fields = ("host", "port", "user", "sender", "address")
        tx.options.set(SITE, {name: getattr(site, name) for name in fields})
        note(tx, actor, "change settings", "assistant", "mail", detail=site.host)


def write_mail(
    tx: Transaction,
    project: Project,
    address: str,
    subject: str,
    body: str,
    *,
    visitor_id: str | None = None,
    unsubscribe: str = "",
) -> MailRow:
    """Put a mail into the outbox."""
    at = now()
    plain = " ".join(subject.split())
    return tx.mails.add(
        MailRow(new_id(), project.id, visitor_id, address, plain, body, unsubscribe, at, at, 0, None, "")
    )


def ask_to_confirm(tx: Transaction, project: Project, visitor_id: str, values: Mapping[str, str]) -> SubscriptionRow:
    """Keep a subscription that is not confirmed yet, and write the mail with the link."""
    secret, at = new_secret(), now()
    language = values.get("language", "en")
    row = SubscriptionRow(
        new_id(), project.id, visitor_id, values["address"], values.get("profession", ""), values.get("place", ""),
        language, at, None, None, None,
    )  # fmt: skip
    tx.subscriptions.add(row, secret.digest)
    subject, ask, ignore = CONFIRM.get(language, CONFIRM["en"])
    link = f"{_get_site(tx).address}/subscription/{secret.text}"
    body = f"{ask.format(name=project.name)}\n\n{link}\n\n{ignore}\n"
    write_mail(tx, project, row.address, subject, body, visitor_id=visitor_id)
    return row


def find_subscription(store: Store, secret: str) -> SubscriptionRow:
    """Return the subscription of a link."""
    with store.reading() as tx:
        row = tx.subscriptions.find(digest_of(secret))
    if row is None:
        raise AbsentError(say("this link no longer works"), remedy=say("subscribe again in the chat"))
    return row


def confirm_subscription(store: Store, secret: str) -> None:
    """Confirm a subscription."""
    row = find_subscription(store, secret)
    with store.writing() as tx:
        tx.subscriptions.confirm(row.id, now())


def end_subscription(store: Store, secret: str) -> None:
    """End a subscription; a second time changes nothing."""
    row = find_subscription(store, secret)
    with store.writing() as tx:
        tx.subscriptions.end(now(), subscription_id=row.id)


def tell_subscribers(tx: Transaction, project: Project, fresh: frozenset[str]) -> int:
    """Write to everybody whose search finds opening of the new openings (their ids in the feed); return how many."""
    site, count = _get_site(tx), 0
    for row in tx.subscriptions.active(project.id) if fresh else ():
        groups = Query(row.profession, row.place, "", row.language).groups
        fitting = [opening for opening in tx.openings.search(project.id, groups, 1_000)[0] if opening.ref in fresh]
        if not fitting:
            continue
        # A new link for every mail: the store keeps no secret that could be sent again.
        secret = new_secret()
        tx.subscriptions.renew(row.id, secret.digest)
        subject, stop = NEWS.get(row.language, NEWS["en"])
        link = f"{site.address}/unsubscribe/{secret.text}"
        lines = [f"{opening.title}, {opening.place}\n{opening.url}" for opening in fitting]
        body = "\n\n".join([*lines, f"{stop}: {link}"]) + "\n"
        title = subject.format(name=project.name)
        write_mail(tx, project, row.address, title, body, visitor_id=row.visitor_id, unsubscribe=link)
        tx.subscriptions.mark_notified(row.id, now())
        count += 1
    return count


def _make_id(mail: MailRow, site: MailSite) -> str:
    # The same when it is sent again, so that mail programs show it once.
    return f"<{mail.id}@{site.sender.rpartition('@')[2].strip('<> ') or 'localhost'}>"


def compose(mail: MailRow, site: MailSite) -> EmailMessage:
    """Return a mail as it is sent."""
    message = EmailMessage(policy=_POLICY)
    message["From"], message["To"], message["Subject"] = site.sender, mail.address, mail.subject
    message["Date"], message["Message-ID"] = formatdate(mail.created.timestamp()), _make_id(mail, site)
    message["Auto-Submitted"] = "auto-generated"
    if mail.unsubscribe:
        message["List-Unsubscribe"] = f"<{mail.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(mail.body)
    return message


@dataclass(frozen=True, slots=True)
class Batch:
    """How many mails went out, and how many did not."""

    sent: int
    failed: int

    @property
    def tried(self) -> int:
        """How many mails were due."""
        return self.sent + self.failed


def can_send(tx: Transaction) -> bool:
    """Tell whether mail can be sent at all."""
    return _get_site(tx).complete


def is_given_up(mail: MailRow) -> bool:
    """Tell whether a mail is not tried again."""
    return mail.sent is None and mail.next_at - mail.created > NEVER / 2


def send_due(store: Store, project: Project, *, password: str | None = None) -> Batch:
    """Send some mails of a project that are due through the site's mail server.

    What fails is tried again later, with longer pauses each time; not so what the server refuses for good.
    """
    at = now()
    with store.writing() as tx:
        site = _get_site(tx)
        due = list(tx.mails.take_due(project.id, at, at + HELD)) if site.complete else []
    sent = failed = 0
    try:
        if due:
            with _connect(site, os.environ.get(PASSWORD, "") if password is None else password) as server:
                while due:
                    failed += not _send(store, server, site, due[0])
                    sent += 1
                    del due[0]
    except (OSError, smtplib.SMTPException) as error:
        # The server does not serve: all that is left waits.
        for mail in due:
            _mark_failed(store, mail, error)
        failed, sent = failed + len(due), sent + len(due)
    return Batch(sent - failed, failed)


def _connect(site: MailSite, password: str) -> smtplib.SMTP:
    """Return a connection, encrypted where the server can do that; a password is never sent in the clear."""
    context = ssl.create_default_context()
    if site.port == TLS_PORT:
        server: smtplib.SMTP = smtplib.SMTP_SSL(site.host, site.port, timeout=TIMEOUT_S, context=context)
    else:
        server = smtplib.SMTP(site.host, site.port, timeout=TIMEOUT_S)
    try:
        server.ehlo()
        if site.port != TLS_PORT and (site.user or server.has_extn("starttls")):
            server.starttls(context=context)
        if site.user:
            server.login(site.user, password)
    except BaseException:
        server.close()
        raise
    return server


def _send(store: Store, server: smtplib.SMTP, site: MailSite, mail: MailRow) -> bool:
    """Send a mail; whether it is out. Only what concerns the server itself is raised."""
    try:
        server.send_message(compose(mail, site))
    except (smtplib.SMTPRecipientsRefused, smtplib.SMTPSenderRefused, smtplib.SMTPDataError) as error:
        _mark_failed(store, mail, error)
        return False
    with store.writing() as tx:
        tx.mails.mark_sent(mail.id, now())
    return True


def _mark_failed(store: Store, mail: MailRow, error: Exception) -> None:
    refusals: list[tuple[int, bytes | str]] = []
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        refusals.extend(error.recipients.values())
    elif isinstance(error, smtplib.SMTPResponseException):
        refusals.append((error.smtp_code, error.smtp_error))
    for_good = not isinstance(error, smtplib.SMTPAuthenticationError) and any(
        code >= PERMANENT for code, _ in refusals
    )
    texts = [(code, text.decode(errors="replace") if isinstance(text, bytes) else text) for code, text in refusals]
    why = " · ".join(f"{code} {text}" for code, text in texts) or f"{type(error).__name__}: {error}"
    last = for_good or mail.attempts >= MAX_ATTEMPTS
    wait = NEVER if last else FIRST_WAIT * 2 ** (mail.attempts - 1)
    with store.writing() as tx:
        tx.mails.mark_failed(mail.id, "".join(filter(str.isprintable, why))[:MAX_ERROR], now() + wait)


def try_again(store: Store, actor: Actor, project: Project, mail_id: str) -> None:
    """Have a mail sent with the next ones, however often it failed."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        mail = _get_mail(tx, project, mail_id)
        tx.mails.hasten(mail.id, now())


def mark_sent(store: Store, actor: Actor, project: Project, mail_id: str) -> None:
    """Note that somebody sent a mail by hand."""
    actor.require(Role.EDITOR)
    with store.writing() as tx:
        tx.mails.mark_sent(_get_mail(tx, project, mail_id).id, now())


def _get_mail(tx: Transaction, project: Project, mail_id: str) -> MailRow:
    mail = tx.mails.get(mail_id)
    if mail is None or mail.project_id != project.id:
        raise AbsentError(say("mail not found"), remedy=say("check the list again"))
    return mail


def list_mails(store: Store, project: Project, limit: int, offset: int) -> tuple[tuple[MailRow, ...], int, int]:
    """Return mails of a project, those that wait first; how many there are, and how many of them wait."""
    with store.reading() as tx:
        return (
            tx.mails.of_project(project.id, limit, offset),
            tx.mails.count(project.id),
            tx.mails.waiting(project.id),
        )
