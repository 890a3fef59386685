"""The settings of a project's assistant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from vivavoce.assistant import Options, Stage
from vivavoce.assistant.talk import LANGUAGES
from vivavoce.errors import AbsentError, Fault, UsageError
from vivavoce.jobs.exams.documents import dataset_to_bytes
from vivavoce.messages import say
from vivavoce.store.database import Store
from vivavoce.store.rows import AssistantRow, Project, Role
from vivavoce.store.stamps import now
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor, note
from vivavoce.workspace.topics.datasets import project_dataset

USUAL = Options()
MAX_CONSENT = 2_000
RANDOM_SHARE = 0.1
RETENTION_DAYS = 90
MAX_RETENTION_DAYS = 3_650
# How often a worker lets the assistant learn and renews the openings.
LEARN_HOURS, FEED_HOURS = 24, 6
MAX_HOURS = 24 * 90
# Alarms: a share of 0.4 of questions answered at once was that of an ill bot in the nex-cv paper, where two thirds of
# the reviewed answers were confirmed.
UNANSWERED_HOURS, LEAST_AUTOMATED, MOST_WRONG = 24, 0.4, 0.5


def get_settings(tx: Transaction, project: Project) -> AssistantRow:
    """Return the settings of a project's assistant: the usual ones where nobody chose any."""
    return tx.assistants.get(project.id) or AssistantRow(
        project_id=project.id,
        enabled=False,
        languages=tuple(code for code in project.languages if code in LANGUAGES) or LANGUAGES[:1],
        stages=tuple(USUAL.order),
        general_threshold=USUAL.general_threshold,
        faq_threshold=project.threshold,
        choice_threshold=USUAL.choice_threshold,
        random_share=RANDOM_SHARE,
        consent="",
        origins=(),
        retention_days=RETENTION_DAYS,
        feed="",
        build=0,
        learned=None,
        changed=project.created,
        learn_hours=LEARN_HOURS,
        feed_hours=FEED_HOURS,
        unanswered_hours=UNANSWERED_HOURS,
        least_automated=LEAST_AUTOMATED,
        most_wrong=MOST_WRONG,
    )


def find_settings(store: Store, project: Project) -> AssistantRow:
    """Return the settings of a project's assistant."""
    with store.reading() as tx:
        return get_settings(tx, project)


def find_chat(store: Store, slug: str) -> tuple[Project, AssistantRow]:
    """Return the project whose assistant visitors may talk to, with its settings."""
    with store.reading() as tx:
        project = tx.projects.by_slug(slug)
        if project is None:
            raise AbsentError(say("this chat is not available"), remedy=say("check the address"))
        return project, require_enabled(tx, project)


def require_enabled(tx: Transaction, project: Project) -> AssistantRow:
    """Return the settings of an assistant that visitors may talk to; AbsentError where it is switched off."""
    settings = get_settings(tx, project)
    if not settings.enabled:
        raise AbsentError(say("this chat is not available"), remedy=say("switch the assistant on in its settings"))
    return settings


def change_settings(store: Store, actor: Actor, project: Project, wanted: AssistantRow) -> AssistantRow:
    """Keep settings; servers load the assistant anew. All faults are told at once."""
    actor.require(Role.EDITOR)
    origins = dict.fromkeys(origin.strip().rstrip("/").lower() for origin in wanted.origins if origin.strip())
    cleaned = replace(wanted, origins=tuple(origins))
    faults = [*_faults(cleaned)]
    if faults:
        raise UsageError(say("some fields are invalid"), faults=faults, remedy=say("correct them and try again"))
    with store.writing() as tx:
        before = get_settings(tx, project)
        changed = replace(cleaned, build=before.build + 1, learned=before.learned, changed=now())
        tx.assistants.put(changed)
        data = project_dataset(tx, project)
        if changed.enabled and len(data) and tx.assistants.material(project.id) is None:
            # What it knows from the first day on; later examples wait until it learns.
            tx.assistants.swap(project.id, dataset_to_bytes(data), now())
        note(tx, actor, "change settings", "assistant", project.id, project_id=project.id)
    return changed


def _faults(row: AssistantRow) -> Sequence[Fault]:
    shares = ("general_threshold", "faq_threshold", "choice_threshold", "random_share")
    faults = [Fault(say("enter a number from 0 to 1"), name) for name in shares if not 0 <= getattr(row, name) <= 1]
    faults += [
        Fault(say("enter a number from 0 to 1"), name)
        for name in ("least_automated", "most_wrong")
        if not 0 <= (getattr(row, name) or 0) <= 1
    ]
    faults += [
        Fault(say("0 to {most:,} hours", most=MAX_HOURS), name)
        for name in ("learn_hours", "feed_hours", "unanswered_hours")
        if not 0 <= getattr(row, name) <= MAX_HOURS
    ]
    if not row.languages or set(row.languages) - set(LANGUAGES):
        faults.append(Fault(say("choose at least one of {names}", names=", ".join(LANGUAGES)), "languages"))
    if not row.stages or set(row.stages) - {Stage.GENERAL, Stage.FAQ}:
        faults.append(Fault(say("choose the order of the stages"), "stages"))
    if not 1 <= row.retention_days <= MAX_RETENTION_DAYS:
        faults.append(Fault(say("1 to {most:,} days", most=MAX_RETENTION_DAYS), "retention_days"))
    if len(row.consent) > MAX_CONSENT:
        faults.append(Fault(say("this is longer than {most:,} characters", most=MAX_CONSENT), "consent"))
    for origin in row.origins:
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
            what = say("'{origin}' is not the address of a site, such as https://careers.example", origin=origin)
            faults.append(Fault(what, "origins"))
    if row.feed and urlsplit(row.feed).scheme not in ("http", "https"):
        faults.append(Fault(say("the address must begin with http:// or https://"), "feed"))
    return faults
