"""What an exam has to do with a project: where its material comes from, who may start it, what it says on Today.

`ProjectExam` serves every exam of topics or of logged dialogues; exams that need more bring a part of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vivavoce import plugins
from vivavoce.errors import Fault, VivaError, nearest
from vivavoce.jobs.exams.kinds import RATERS
from vivavoce.jobs.exams.protocol import ExamKind
from vivavoce.jobs.exams.registry import find_kind, load_exam, load_part
from vivavoce.messages import restore_messages, say
from vivavoce.options import Option, UnfitError, check_options, check_value
from vivavoce.plugins import CLASSIFIERS
from vivavoce.records import Rate
from vivavoce.store.database import Store
from vivavoce.store.rows import Project, Role, Run
from vivavoce.store.transaction import Transaction
from vivavoce.workspace.access.actors import Actor
from vivavoce.workspace.access.engine_rules import check_engine, check_rater, ready_engines, require_parts
from vivavoce.workspace.exams.runs import FINDINGS, begin_run, document

if TYPE_CHECKING:
    from vivavoce.reports.shared.measures import Measure

MATERIALS: Mapping[str, str] = {
    "topics": "vivavoce.workspace.topics.datasets:exam_material",
    "dialogues": "vivavoce.workspace.dialogues.dialogues:exam_material",
}
# Of these the project has its own, which holds where nobody says otherwise.
OF_PROJECT = ("classifier", "threshold")
MAX_SCOPES = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """One of the biggest problems of a project. `exam`: which found it, in the run `run`.

    `topics`: names of the topics concerned, `topic_ids` where they are now, None where one is gone. `cost`: of 1,000
    messages, with the number of examples that show it. `remedies`: codes of what can be done. `talk`: the id of a
    logged dialogue, which scored `size`. `bot_id` and `scenario_id` are where a failure in conversations can be
    corrected, None where that is gone. `sentence`: the text without what it costs, where that is known.
    """

    exam: str
    kind: str
    text: str
    run: int
    topics: tuple[str, ...] = ()
    topic_ids: tuple[str | None, ...] = ()
    cost: Rate | None = None
    remedies: tuple[str, ...] = ()
    size: Rate | None = None
    bot: str = ""
    remedy: str = ""
    talk: str = ""
    bot_id: str | None = None
    scenario_id: str | None = None
    sentence: str = ""


class ProjectExam:
    """An exam in a project."""

    def __init__(self, kind: ExamKind) -> None:
        self.kind = kind

    def start(
        self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any], *, title: str = ""
    ) -> Run:
        """Start a run on the material as it is now; what is not chosen is as the project has it."""
        actor.require(Role.EDITOR)
        wanted = self._complete(project, chosen)
        for option in self._plugin_options(wanted):
            names = [check_plugin(actor, option, name) for name in _as_list(wanted[option.name])]
            wanted[option.name] = names if option.several else names[0]
        wanted = check_options(self.kind.name, wanted, self.kind.options)
        material = load_part(MATERIALS[self.kind.material])(store, project)
        name = title or self.name_run(project, wanted)
        return begin_run(store, actor, project, self.kind.name, name, wanted, material)

    def name_run(self, project: Project, chosen: Mapping[str, Any]) -> str:
        """Return what a run is about; its day and what changed before it are added."""
        return say("{title}", title=self.kind.title)

    def check_allowed(self, tx: Transaction, actor: Actor, run: Run) -> None:
        """Refuse to resume what this person could not start: a run holds its choices as they were."""
        for option in self._plugin_options(run.options):
            for name in _as_list(run.options[option.name]):
                check_plugin(actor, option, name, installed=False)

    def _complete(self, project: Project, chosen: Mapping[str, Any]) -> dict[str, Any]:
        known = [option.name for option in self.kind.options]
        own = {name: getattr(project, name) for name in OF_PROJECT if name in known}
        return {**own, **{name: value for name, value in chosen.items() if value is not None}}

    def _plugin_options(self, chosen: Mapping[str, Any]) -> list[Option]:
        return [option for option in self.kind.options if option.plugins and chosen.get(option.name)]

    def daily_faults(self, store: Store, actor: Actor, project: Project, chosen: Mapping[str, Any]) -> list[Fault]:
        """Return why a daily run could never start; `chosen` holds no empty values."""
        faults: list[Fault] = []
        for option in self.kind.daily:
            try:
                # Whether a classifier exists is said by the check that also knows who may name it.
                if option.name in chosen and (option.several or not option.plugins):
                    check_value(option, chosen[option.name])
            except UnfitError as error:
                faults.append(Fault(error.what, option.name))
            if option.name not in chosen and option.required:
                faults.append(Fault(say("choose at least {value}", value=max(1, option.fewest)), option.name))
        wrong = {fault.where for fault in faults}
        wanted = self._complete(project, chosen)
        for option in self._plugin_options(wanted):
            try:
                if option.name not in wrong:
                    _ = [check_plugin(actor, option, name) for name in _as_list(wanted[option.name])]
            except VivaError as error:
                faults.append(Fault(error.what, option.name))
        return faults

    def offers(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Mapping[str, str]:
        """Return what can be chosen for an option that the project decides on: values and their titles."""
        group = next(option.plugins for option in self.kind.chosen if option.name == name)
        names = ready_engines(project) if group == CLASSIFIERS else plugins.available(group)
        return {name: name for name in names}

    def usual(self, store: Store, project: Project, name: str, chosen: Mapping[str, Any]) -> Sequence[str]:
        """Return which of them are ticked before anybody has chosen."""
        return ()

    def problems(self, store: Store, project: Project, run: Run, most: int | None = None) -> list[Problem]:
        """Return what a run says is to be fixed, the most important first, with the topics as they are now."""
        findings = restore_messages(json.loads(document(store, run, FINDINGS)))
        notes = load_exam(self.kind.name).problems(findings)[:most]
        with store.reading() as tx:
            ids = {name: topic_id for topic_id, name in tx.topics.names(project.id).items()}
        return [
            Problem(
                self.kind.name,
                self.kind.name,
                note.text,
                run.number,
                note.topics,
                tuple(ids.get(name) for name in note.topics),
                remedy=note.remedy,
            )
            for note in notes
        ]

    def steps(self, tx: Transaction, project: Project, *, examined: bool) -> Iterator[str]:
        """Yield what the project lacks for this exam, in the order in which it is worth doing."""
        if not examined and self.kind.watched and tx.examples.count(project.id):
            yield self.kind.name

    def scopes(self, run: Run, scopes: Sequence[str]) -> Sequence[str]:
        """Return whose numbers Today watches, of those that the run has."""
        return tuple(dict.fromkeys(scopes))[:MAX_SCOPES]

    def measure(self, name: str) -> Measure:
        """Return what a number of this exam means; one that it does not explain goes by its name."""
        from vivavoce.reports.shared.measures import Measure

        table: Mapping[str, Measure] = load_part(self.kind.measures) if self.kind.measures else {}
        return table.get(name) or Measure(name, name.replace("_", " ").capitalize(), "", "neither", "score")


def project_exam(name: str) -> ProjectExam:
    """Return an exam as projects know it; UsageError where there is none of this name."""
    kind = find_kind(name)
    part: ProjectExam = (load_part(kind.project) if kind.project else ProjectExam)(kind)
    return part


def start_exam(  # noqa: PLR0917
    store: Store, actor: Actor, project: Project, kind: str, chosen: Mapping[str, Any], title: str = ""
) -> Run:
    """Start an exam of any kind on the material of a project as it is now."""
    return project_exam(kind).start(store, actor, project, chosen, title=title)


def check_plugin(actor: Actor, option: Option, name: object, *, installed: bool = True) -> str:
    """Return the name of a plug-in that this person may choose; `installed`: it must be ready to run here."""
    if option.plugins == RATERS:
        check_rater(actor, str(name))
    if option.plugins != CLASSIFIERS:
        return str(name)
    checked = check_engine(actor, str(name))
    if installed:
        require_parts(checked, option.name)
    return checked


def _as_list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else [value]


def unknown_faults(options: Sequence[Option], names: Sequence[str]) -> list[Fault]:
    """Return a fault for each name that is not one of the options."""
    known = [option.name for option in options]
    return [
        Fault(say("unknown option '{name}'.{nearest}", name=name, nearest=nearest(name, known)), name)
        for name in names
        if name not in known
    ]
