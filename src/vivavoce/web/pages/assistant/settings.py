"""The assistant's page: switched on, set up, tried out, put on a company's page."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from vivavoce.assistant import Stage
from vivavoce.assistant.talk import LANGUAGES
from vivavoce.errors import InputError
from vivavoce.languages import Use, name_languages
from vivavoce.store.rows import AssistantRow
from vivavoce.web.failures import status_of
from vivavoce.web.forms import Fields, Form, fault_at
from vivavoce.web.option_forms import BoxGroup
from vivavoce.web.parts import Choice, Field
from vivavoce.web.rendering import View, static_url
from vivavoce.web.visits import EditorVisit, ReaderVisit, Visit
from vivavoce.workspace.assistant.settings import (
    MAX_CONSENT,
    MAX_HOURS,
    MAX_RETENTION_DAYS,
    change_settings,
    find_settings,
)
from vivavoce.workspace.assistant.talking import try_out

router = APIRouter(prefix="/p/{slug}/assistant")
ORDERS = {"general faq": (Stage.GENERAL, Stage.FAQ), "faq general": (Stage.FAQ, Stage.GENERAL)}


@router.get("")
def show_assistant(visit: ReaderVisit, q: str = "") -> Response:
    """Show the settings; `q` is a message to try."""
    return _settings_page(visit, find_settings(*visit.here), question=q[:2000])


@router.post("")
def save_settings(visit: EditorVisit, form: Form) -> Response:
    """Keep the settings."""
    wanted = _read(form, find_settings(*visit.here))
    try:
        form.check()
        change_settings(*visit.acting, wanted)
    except InputError as error:
        return _settings_page(visit, wanted, error)
    return visit.done(f"{visit.base}/assistant", visit.words.gettext("Settings saved."))


def _read(form: Fields, before: AssistantRow) -> AssistantRow:
    return replace(
        before,
        enabled=form.flag("enabled"),
        languages=tuple(code for code in LANGUAGES if code in form.all("languages")),
        stages=tuple(ORDERS.get(form.text("stages"), ORDERS["general faq"])),
        general_threshold=form.number("general_threshold", before.general_threshold, low=0, high=1),
        faq_threshold=form.number("faq_threshold", before.faq_threshold, low=0, high=1),
        choice_threshold=form.number("choice_threshold", before.choice_threshold, low=0, high=1),
        random_share=form.number("random_share", before.random_share, low=0, high=1),
        consent=form.text("consent", most=MAX_CONSENT),
        origins=form.lines("origins", most=100),
        retention_days=form.whole("retention_days", before.retention_days, low=1, high=MAX_RETENTION_DAYS),
        feed=form.text("feed", most=2000),
        feed_hours=form.whole("feed_hours", before.feed_hours, low=0, high=MAX_HOURS),
        learn_hours=form.whole("learn_hours", before.learn_hours, low=0, high=MAX_HOURS),
        unanswered_hours=form.whole("unanswered_hours", before.unanswered_hours, low=0, high=MAX_HOURS),
        least_automated=form.number("least_automated", before.least_automated or 0, low=0, high=1),
        most_wrong=form.number("most_wrong", before.most_wrong or 0, low=0, high=1),
    )


def _settings_page(
    visit: Visit, row: AssistantRow, error: InputError | None = None, *, question: str = ""
) -> Response:
    words = visit.words
    outcome = try_out(*visit.here, question) if question.strip() else None
    names = name_languages(Use.PROJECTS)
    host = str(visit.request.base_url).rstrip("/")
    view = View(
        lead=words.gettext("The assistant is on.") if row.enabled else words.gettext("The assistant is off."),
        action=f"{visit.base}/assistant",
        enabled=row.enabled,
        fields=_fields(visit, row, error),
        boxes=[
            BoxGroup(
                "languages",
                words.gettext("Languages"),
                tuple((code, words.said(names[code]), code in row.languages) for code in LANGUAGES),
                fault_at(error, "languages"),
            )
        ],
        snippet=f'<script src="{host}{static_url("chat.js")}" data-project="{visit.project.slug}" defer></script>',
        policy=f"script-src {host}; connect-src {host}",
        chat=f"/chat/{visit.project.slug}",
        question=Field("q", words.gettext("A visitor’s message"), value=question, most=2000),
        outcome=outcome,
        may_edit=visit.who.may("editor"),
        error=error,
    )
    status = status_of(error) if error else 200
    return visit.page("assistant/settings.html", words.gettext("Assistant"), view=view, status=status)


def _fields(visit: Visit, row: AssistantRow, error: InputError | None) -> list[Field]:
    words = visit.words

    def share(name: str, label: str, text: str) -> Field:
        value = f"{getattr(row, name):g}"
        fault = fault_at(error, name)
        return Field(name, label, "number", value, text, fault, required=True, low="0", high="1", step="0.01")

    orders = (
        Choice("general faq", words.gettext("general intents first, then the FAQ")),
        Choice("faq general", words.gettext("the FAQ first, then general intents")),
    )
    order = " ".join(row.stages)
    return [
        Field(
            "enabled", words.gettext("Visitors may talk to the assistant"), "checkbox", "on" if row.enabled else ""
        ),
        Field("stages", words.gettext("Order"), "select", order, choices=orders),
        share(
            "general_threshold",
            words.gettext("Minimum confidence: general intent"),
            words.gettext("Greetings, thanks, job search and the like, shared by all projects."),
        ),
        share(
            "faq_threshold",
            words.gettext("Minimum confidence: topic"),
            words.gettext("Below this confidence a person is asked."),
        ),
        share(
            "choice_threshold",
            words.gettext("Minimum confidence: “did you mean”"),
            words.gettext("Two topics are offered where both are at least this likely; 1 turns it off."),
        ),
        share(
            "random_share",
            words.gettext("Share of random checks"),
            words.gettext("This share of answers goes to the inbox at random; live accuracy is estimated from it."),
        ),
        *_channel_fields(visit, row, error),
        *_task_fields(visit, row, error),
    ]


def _channel_fields(visit: Visit, row: AssistantRow, error: InputError | None) -> list[Field]:
    words = visit.words
    return [
        Field(
            "origins",
            words.gettext("Sites that may embed the chat"),
            "textarea",
            "\n".join(row.origins),
            words.gettext("One address per line, such as https://careers.example."),
            fault_at(error, "origins"),
            rows=3,
        ),
        Field(
            "consent",
            words.gettext("Consent text"),
            "textarea",
            row.consent,
            words.gettext("Shown below the chat. Empty: says that a machine answers and when messages are deleted."),
            fault_at(error, "consent"),
            rows=3,
            most=MAX_CONSENT,
        ),
        Field(
            "retention_days",
            words.gettext("Delete talks after (days)"),
            "number",
            str(row.retention_days),
            error=fault_at(error, "retention_days"),
            low="1",
            high=str(MAX_RETENTION_DAYS),
            required=True,
        ),
        Field(
            "feed",
            words.gettext("Address of the openings"),
            "url",
            row.feed,
            words.gettext("A CSV or JSON file that your careers site offers."),
            fault_at(error, "feed"),
        ),
    ]


def _task_fields(visit: Visit, row: AssistantRow, error: InputError | None) -> list[Field]:
    """Return what workers do by themselves, and when there is an alarm."""
    words = visit.words

    def number(name: str, label: str, text: str, high: str, step: str = "") -> Field:
        value, fault = f"{getattr(row, name) or 0:g}", fault_at(error, name)
        return Field(name, label, "number", value, text, fault, required=True, low="0", high=high, step=step)

    hours = str(MAX_HOURS)
    return [
        number(
            "feed_hours", words.gettext("Renew the openings every … hours"), words.gettext("0: by hand only."), hours
        ),
        number(
            "learn_hours",
            words.gettext("Learn every … hours"),
            words.gettext(
                "Only if there are new examples and no confirmed question would get worse; 0: by hand only."
            ),
            hours,
        ),
        number(
            "unanswered_hours",
            words.gettext("Alarm: hand-overs that wait longer than … hours"),
            words.gettext("0: no alarm."),
            hours,
        ),
        number(
            "least_automated",
            words.gettext("Alarm: automation rate of a week below"),
            words.gettext("Also if it fell by more than chance explains; 0: no alarm."),
            "1",
            "0.01",
        ),
        number(
            "most_wrong",
            words.gettext("Alarm: share of wrong answers of a week above"),
            words.gettext(
                "Of the answers that somebody reviewed. Also if it rose by more than chance explains; 0: no alarm."
            ),
            "1",
            "0.01",
        ),
    ]
