"""Why a dialogue scored as it did, in words that a reader can check in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vivavoce.dialogues.facts import Fact, FactKind
from vivavoce.dialogues.model.explaining import GROUPS, WORDING
from vivavoce.messages import say
from vivavoce.reports.dialogues.facts import FACT_TITLES
from vivavoce.store.rows import ScoreRow
from vivavoce.web.language import Words
from vivavoce.web.rendering import View

# Smaller effects than this are no news.
FAINT = 0.05
# What the learned rater measures and the text shows: the fact is quoted in place of the number.
_SHOWN = {
    "not knowing": (FactKind.FALLBACK,),
    "repetition": (FactKind.BOT_REPEATED, FactKind.REPEATED_QUESTION),
    "mood": (FactKind.ENDED_ANGRY, FactKind.THANKED),
}
LENGTH = "length"


def list_reasons(words: Words, score: ScoreRow | None, facts: Sequence[Fact]) -> list[View]:
    """Return the reasons that are facts of the text; an effect that contradicts them is left to the experts."""
    views = []
    for reason in score.detail.get("reasons", ()) if score and score.score is not None else ():
        effect = reason.get("effect")
        if effect is None or abs(effect) < FAINT:
            continue
        for text in _tell(reason.get("name", ""), reason["text"], effect, facts):
            word = words.gettext("raises the score") if effect > 0 else words.gettext("lowers the score")
            views.append((abs(effect), View(word=word, good=effect > 0, text=text)))
    return [view for _, view in sorted(views, key=lambda pair: -pair[0])]


def _tell(name: str, text: str, effect: float, facts: Sequence[Fact]) -> Iterator[str]:
    """Yield what can be said of one reason."""
    if name not in GROUPS and name != WORDING:
        # Other raters give their reasons in words of their own.
        yield text
    elif name == LENGTH:
        yield text
    for kind in _SHOWN.get(name, ()):
        found = [fact for fact in facts if fact.kind is kind]
        if found and (effect > 0) == (kind is FactKind.THANKED):
            yield say('{what}: "{quote}"', what=FACT_TITLES[kind], quote=found[0].quote)
