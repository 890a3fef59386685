"""Mail to visitors: what waits, what was sent, and how mail leaves this server."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.errors import InputError
from vivavoce.store.rows import MailRow
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Form, fault_at
from vivavoce.web.listing import Listing, read_listing
from vivavoce.web.pages.assistant.tasks import tasks_view
from vivavoce.web.parts import Field
from vivavoce.web.rendering import View
from vivavoce.web.visits import AdminVisit, EditorVisit, ReviewerVisit, Visit
from vivavoce.workspace.assistant import mailing, tasks
from vivavoce.workspace.assistant.mailing import MailSite

router = APIRouter(prefix="/p/{slug}/outbox")
FIRST_PAGE = Listing("", {}, "", 1, 50)


@router.get("")
def show_outbox(visit: ReviewerVisit, asked: Listing = read_listing()) -> Response:  # noqa: B008 - a dependency
    """Show the mail of the project."""
    return _outbox_page(visit, asked, mailing.find_site(visit.store))


@router.post("/site")
def save_site(visit: AdminVisit, form: Form) -> Response:
    """Keep how mail leaves."""
    site = MailSite(
        form.text("host", most=200),
        form.whole("port", 587, low=1, high=65535),
        form.text("user", most=200),
        form.text("sender", most=200),
        form.text("address", most=500).rstrip("/"),
    )
    try:
        form.check()
        mailing.change_site(visit.store, visit.actor, site)
    except InputError as error:
        return _outbox_page(visit, FIRST_PAGE, site, error)
    return visit.done(f"{visit.base}/outbox", visit.words.gettext("Settings saved."))


@router.post("/send")
def send(visit: EditorVisit, form: Form) -> Response:
    """Have a worker send what is due, or one mail again; or note that somebody sent a mail by hand."""
    words = visit.words
    if mail_id := form.text("mail"):
        mailing.mark_sent(*visit.acting, mail_id)
        return visit.done(f"{visit.base}/outbox", words.gettext("Marked as sent."))
    if mail_id := form.text("again"):
        mailing.try_again(*visit.acting, mail_id)
    tasks.ask_for(*visit.acting, "mail")
    return visit.done(f"{visit.base}/outbox", words.gettext("The mail will be sent."))


def _outbox_page(visit: Visit, asked: Listing, site: MailSite, error: InputError | None = None) -> Response:
    words, listing = visit.words, asked.at(f"{visit.base}/outbox")
    rows, total, waiting = mailing.list_mails(*visit.here, listing.size, listing.offset)
    fields = [
        Field("host", words.gettext("Mail server"), value=site.host),
        Field("port", words.gettext("Port"), "number", str(site.port), low="1", high="65535"),
        Field("user", words.gettext("User"), value=site.user, help=_password_help(visit), autocomplete="off"),
        Field("sender", words.gettext("Sender"), "email", site.sender, error=fault_at(error, "sender")),
        Field(
            "address",
            words.gettext("Public address of this server"),
            "url",
            site.address,
            words.gettext("Links in mails begin with it. One-click unsubscribing needs https."),
            fault_at(error, "address"),
        ),
    ]
    lead = words.ngettext("%(num)s mail waiting.", "%(num)s mails waiting.", waiting)
    view = View(
        lead=lead,
        action=f"{visit.base}/outbox",
        complete=site.complete,
        rows=[_mail_view(visit, row) for row in rows],
        tasks=tasks_view(visit, "mail"),
        pager=listing.pager(total),
        fields=fields,
        may_edit=visit.who.may("editor"),
        may_set=visit.who.may("admin"),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("assistant/outbox.html", words.gettext("Outbox"), view=view, status=status)


def _mail_view(visit: Visit, mail: MailRow) -> View:
    words, given_up = visit.words, mailing.is_given_up(mail)
    again = "" if mail.sent or given_up or not mail.error else visit.write.moment_words(mail.next_at)
    tried = words.ngettext("%(num)s attempt", "%(num)s attempts", mail.attempts)
    return View(mail=mail, given_up=given_up, again=again, tried=tried if mail.error else "")


def _password_help(visit: Visit) -> str:
    return visit.words.gettext("The password comes from the server’s environment: %(name)s.", name=mailing.PASSWORD)
