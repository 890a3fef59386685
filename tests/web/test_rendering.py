"""Pages from templates: what is written in them, how, and that nothing in them needs more than our own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from vivavoce.errors import DataError, Fault
from vivavoce.messages import say_count
from vivavoce.records import Rate
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.numbers import share_text
from vivavoce.reports.shared.svg import PALETTE
from vivavoce.web import charts
from vivavoce.web.formats import Writer, breakable
from vivavoce.web.language import LANGUAGES, Words
from vivavoce.web.parts import Choice, Column, Edit, Field, Pager, Progress, Row, Turn, differences
from vivavoce.web.rendering import (
    STATIC,
    TEMPLATES,
    THEMES,
    Flash,
    Frame,
    Link,
    NavGroup,
    Person,
    app_styles,
    choose_theme,
    environment,
    render,
    static_url,
)

CSS = app_styles().decode()
SCRIPT = (STATIC / "app.js").read_text(encoding="utf-8")
JUMP = (STATIC / "jump.js").read_text(encoding="utf-8")
DRAFTS = (STATIC / "drafts.js").read_text(encoding="utf-8")
EN, DE = Writer(Words("en")), Writer(Words("de"))
NOW = datetime(2026, 5, 17, 12, 0, tzinfo=UTC)
HOSTILE = '"><script>x</script>'


def part(call: str, language: str = "en", **context: Any) -> str:
    text = '{% import "parts.html" as parts %}{{ parts.' + call + " }}"
    return environment(language).from_string(text).render(context)


# The frame


def page(**changes: Any) -> str:
    frame = Frame(**{"title": "Topics", **changes})
    return environment(frame.language).from_string('{% extends "base.html" %}').render(frame=frame)


def test_the_frame_says_where_the_reader_is() -> None:
    links = (Link("Topics", "/topics", current=True, key="o"), Link("Import", "/import"))
    groups = (NavGroup("Today", "home", (Link("Today", "/today"),)), NavGroup("Content", "topic", links))
    text = page(groups=groups, user=Person("Ada", "editor"), project=Link("FAQ", "/p/faq"))
    assert text.count('aria-current="page"') == 2, "in the sidebar, and in the tabs of a phone"
    assert '<a href="/topics" aria-current="page" data-key="g o">' in text
    assert '<details class="menu here" name="tabs">' in text
    assert "<title>Topics · FAQ · vivavoce</title>" in text
    assert 'action="/sign-out"' in text


def test_nobody_can_sign_out_who_is_not_signed_in() -> None:
    assert 'action="/sign-out"' not in page()


def test_a_message_is_spoken_and_can_be_undone() -> None:
    text = page(flashes=(Flash("renamed", undo="/undo/7"), Flash("refused", alert=True)))
    assert text.count('role="status"') == 1
    assert text.count('role="alert"') == 1
    assert text.count('method="post" action="/undo/7"') == 1


@pytest.mark.parametrize("theme", THEMES)
def test_the_theme_of_the_cookie_is_the_theme_of_the_page(theme: str) -> None:
    text = page(theme=choose_theme(theme))
    assert f'data-theme="{theme}"' in text
    assert f'value="{theme}" aria-pressed="true"' in text
    assert text.count('name="theme"') - 1 == text.count('aria-pressed="false"') - (len(LANGUAGES) - 1)


def test_an_unknown_theme_is_the_one_of_the_system() -> None:
    assert choose_theme("pink") == choose_theme(None) == "auto"


def test_hostile_names_stay_text() -> None:
    text = page(
        title=HOSTILE,
        user=Person(HOSTILE),
        groups=(NavGroup(HOSTILE, "home", (Link(HOSTILE, HOSTILE),)),),
        projects=(Link(HOSTILE, HOSTILE),),
        flashes=(Flash(HOSTILE),),
        path=HOSTILE,
    )
    assert "<script>" not in text
    assert HOSTILE not in text
    assert text.count("&lt;script&gt;") >= 7


def test_a_name_breaks_between_its_words_and_stays_text() -> None:
    assert breakable("a_<b>/c") == "a_<wbr>&lt;b&gt;/<wbr>c"


def test_a_name_that_the_context_lacks_is_an_error() -> None:
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        render("error.html", {"frame": Frame("Not found")})


def test_an_error_page_says_what_where_and_what_next() -> None:
    error = DataError("the file is damaged", where="faq.csv", faults=[Fault("no text", "row 3")], remedy="mend it")
    view = {
        "status": 400,
        "what": error.what,
        "where": error.where,
        "remedy": error.remedy,
        "faults": error.faults,
    }
    text = render("error.html", {"frame": Frame("That did not work"), "view": view})
    for said in ("The file is damaged", "faq.csv", "row 3", "no text", "mend it", "400"):
        assert said in text


def test_static_files_have_an_address_that_changes_with_them() -> None:
    marks = {
        static_url(name).partition("?v=")[2] for name in ("app.css", "app.js", "drafts.js", "icon.svg", "vega.js")
    }
    assert len(marks) == 5
    assert all(re.fullmatch("[0-9a-f]{12}", mark) for mark in marks)


# The content policy: nothing inline, nothing foreign


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: path.name)
def test_templates_hold_no_inline_script_or_style(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle\s*=|\son[a-z]+\s*=\s*[\"']|javascript:|<script(?![^>]*\ssrc=)", text)
    assert not re.search(r"(src|href|action)\s*=\s*[\"'](https?:)?//", text)


def test_the_static_files_fetch_nothing_from_elsewhere() -> None:
    assert not re.search(r"https?://|@import|url\(", CSS)
    assert not re.search(
        r"https?://|\beval\b|new Function|innerHTML|document\.write|\.style\b", SCRIPT + DRAFTS + JUMP
    )


def test_the_script_stays_small() -> None:
    assert len(SCRIPT.splitlines()) <= 250
    assert len(DRAFTS.splitlines()) <= 160
    assert len(JUMP.splitlines()) <= 60


def test_the_page_has_the_colours_of_the_charts() -> None:
    assert {f"--viva-{name}" for name in PALETTE} == set(re.findall(r"(--viva-[a-z-]+):", CSS))


def test_every_colour_is_given_for_light_and_dark_and_in_one_place() -> None:
    tokens = re.search(r":root \{ color-scheme: light dark;([^}]*)\}", CSS)
    assert tokens
    declared = dict(re.findall(r"(--[a-z0-9-]+): ([^;]+);", tokens[1]))
    assert set(re.findall(r"var\((--[a-z0-9-]+)\)", CSS)) <= set(declared)
    single = {name for name, value in declared.items() if re.match(r"#|rgb", value)}
    assert single == {"--on-accent"}, "white on the accent in both"
    elsewhere = re.findall(r"#[0-9a-f]{3,8}\b", CSS.replace(tokens[0], ""))
    assert set(elsewhere) <= {"#fff", "#ffffff"}


# The script of live charts


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Keep scripts in an empty folder and note what is made."""
    calls: list[str] = []

    def bundle(snippet: str) -> str:
        calls.append(snippet)
        return f"/* {len(snippet)} */"

    monkeypatch.setenv("VIVA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("vl_convert.javascript_bundle", bundle)
    charts.vega_bundle.cache_clear()
    yield calls
    charts.vega_bundle.cache_clear()


def again() -> bytes:
    """Ask as a fresh process would."""
    charts.vega_bundle.cache_clear()
    return charts.vega_bundle()


def test_the_script_is_made_once_and_kept(made: list[str]) -> None:
    first = again()
    assert again() == first
    assert len(made) == 1


@pytest.mark.parametrize("damage", [b"", b"half"])
def test_a_damaged_script_is_made_again(made: list[str], tmp_path: Path, damage: bytes) -> None:
    first = again()
    (script,) = (tmp_path / "home" / "cache").iterdir()
    script.write_bytes(damage)
    assert again() == first
    assert len(made) == 2


def test_charts_are_drawn_where_nothing_can_be_kept(made: list[str], tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be", encoding="utf-8")
    assert again() == again()
    assert len(made) == 2


def test_the_script_knows_every_colour_of_the_page(made: list[str]) -> None:
    again()
    assert all(f"var(--viva-{name}, {colour})" in made[0] for name, colour in PALETTE.items())


# Numbers and times


@settings(deadline=None)
@given(st.floats(0, 1))
def test_a_share_is_written_as_in_reports(value: float) -> None:
    assert EN.share(value) == share_text(value)


def test_numbers_follow_the_language() -> None:
    assert (EN.number(1234567.25, 2), DE.number(1234567.25, 2)) == ("1,234,567.25", "1.234.567,25")
    assert (EN.percent(0.125), DE.percent(0.125)) == ("12.5 %", "12,5 %")
    assert (EN.share(0.001), DE.share(0.999)) == ("under 1 %", "über 99 %")


@pytest.mark.parametrize("kind", ["share", "score", "seconds", "count", "points"])
def test_what_was_not_measured_is_not_zero(kind: Any) -> None:
    assert EN.value(None, kind) == "n/a"
    assert DE.value(None, kind) == "k. A."
    assert EN.interval(Rate(None, None, None, 0), kind) == ""


def test_a_rate_shows_value_interval_count_and_the_way_to_its_meaning() -> None:
    text = part("rate(rate, measure)", rate=Rate(0.72, 0.68, 0.76, 2209), measure=MEASURES["recall"])
    for said in ("72 %", "68 to 76 %", "2,209", 'href="/help#m-recall"', MEASURES["recall"].meaning):
        assert said in text
    empty = part("rate(rate, measure)", rate=Rate(None, None, None, 0), measure=MEASURES["recall"])
    assert "n/a" in empty
    assert MEASURES["recall"].absent in empty


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.25, "250 ms"), (2.5, "2.5 s"), (42, "42 s"), (95, "1 min 35 s"), (7500, "2 h 5 min"), (None, "n/a")],
)
def test_a_duration_has_the_unit_that_suits_it(seconds: float | None, said: str) -> None:
    assert EN.duration(seconds) == said


@pytest.mark.parametrize(
    ("back", "said"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(seconds=-5), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=3), "3 days ago"),
        (timedelta(days=40), "7 April 2026"),
        (timedelta(days=-2), "19 May 2026"),
    ],
)
def test_a_time_is_told_in_words(back: timedelta, said: str) -> None:
    assert f">{said}<" in EN.ago(NOW - back, NOW)


def test_a_machine_reads_the_same_time_in_utc() -> None:
    there = NOW.astimezone(timezone(timedelta(hours=9)))
    for moment in (NOW, there, NOW.replace(tzinfo=None)):
        assert 'datetime="2026-05-17T12:00:00Z"' in EN.date(moment)
        assert ">17. Mai 2026, 12:00 UTC<" in DE.date(moment)
    assert "n/a" in EN.date(None)


def test_a_count_has_its_noun() -> None:
    topics = [say_count(n, "{n} topic", "{n} topics") for n in (1, 1234)]
    assert [Words("en").said(text) for text in topics] == ["1 topic", "1,234 topics"]
    assert [Words("de").said(text) for text in topics] == ["1 Thema", "1.234 Themen"]


# Parts


def test_html_of_reports_is_not_escaped_and_text_is() -> None:
    text = environment().from_string("{{ a }}{{ b }}").render(a=Markup("<b>x&lt;y</b>"), b="<i>")
    assert text == "<b>x&lt;y</b>&lt;i&gt;"


@settings(deadline=None)
@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_the_bar_is_as_wide_as_its_parts(right: int, deferred: int, wrong: int) -> None:
    text = part("outcome_bar(a, b, c)", a=right, b=deferred, c=wrong)
    widths = [float(width) for width in re.findall(r'width="([\d.]+)"', text)]
    if not right + deferred + wrong:
        assert widths == []
        assert "n/a" in text
        return
    assert sum(widths) == pytest.approx(100, abs=0.05)
    assert "aria-label=" in text


def test_a_table_names_its_rows_sorts_by_links_and_can_be_taken_along() -> None:
    columns = [Column("Topic", "/?sort=name", "ascending"), Column("Examples", number=True)]
    rows = [Row((Markup('<a href="/t/1">Pay</a>'), 12), "1"), Row((HOSTILE, 3), "2")]
    text = part(
        "table('Topics', columns, rows, downloads, select='topic', swap='#list')",
        columns=columns,
        rows=rows,
        downloads=[Link("CSV", "/t.csv")],
    )
    assert text.count('scope="row"') == 2
    assert 'aria-sort="ascending"' in text
    assert 'data-swap="#list"' in text
    assert 'href="/t.csv" download' in text
    assert '<a href="/t/1">Pay</a>' in text
    assert 'aria-label="Select Pay"' in text
    assert "<script>" not in text


def test_each_value_of_a_list_names_its_column_where_rows_become_cards() -> None:
    columns = [Column("Run"), Column("Summary"), Column("Started")]
    text = part('table("Runs", columns, rows, stack=true)', columns=columns, rows=[("first", "fine", "")])
    assert '<table class="stack">' in text
    assert re.findall(r'<td data-label="([^"]+)">([^<]*)</td>', text) == [("Summary", "fine")], "no name of nothing"


@pytest.mark.parametrize(
    "kind", ["text", "search", "textarea", "number", "select", "checkbox", "file", "password", "date", "email", "url"]
)
def test_every_field_has_its_label_help_and_error(kind: Any) -> None:
    field = Field("pay", "Pay", kind, "1", help="in euros", error="too low", choices=(Choice("1", "one"),))
    text = part("field(field)", field=field)
    assert '<label for="f-pay">Pay' in text
    assert len(re.findall(r'<(input|select|textarea)[^>]* id="f-pay"', text)) == 1
    assert 'aria-describedby="pay-error pay-help"' in text
    assert 'aria-invalid="true"' in text
    assert 'id="pay-error">too low' in text
    if kind == "password":
        assert 'value="' not in text, "a secret is never sent back"


def test_a_text_comes_back_from_its_field_as_it_was() -> None:
    text = part("field(field)", field=Field("answer", "Answer", "textarea", "\nfirst\n<b>"))
    # A browser drops one newline at the start.
    assert ">\n\nfirst\n&lt;b&gt;</textarea>" in text


def test_progress_asks_again_only_while_work_goes_on() -> None:
    going = part("progress(p, 'run', '/runs/1', 7)", p=Progress("Exam", 5, 10, 1, 95))
    assert 'data-poll="/runs/1" data-version="7"' in going
    assert "1 min 35 s" in going
    done = part("progress(p, 'run', '/runs/1', 8)", p=Progress("Exam", 10, 10, finished=True))
    assert "data-poll" not in done


def test_a_talk_tells_who_spoke_and_what_came_of_it() -> None:
    turns = [Turn("Hello", visitor=True), Turn("Hi", outcome="right", tone="good", meaning="as expected")]
    text = part("transcript('Bot one', turns, 'talk', '/talk', 2)", turns=turns)
    assert text.index("Visitor") < text.index("Hello") < text.index("Bot</span>") < text.index("Hi")
    assert re.search(r'<span class="chip good" title="as expected"><svg.*</svg>right</span>', text)


def test_there_is_no_pager_for_one_page() -> None:
    assert "<nav" not in part("pager(p)", p=Pager(1, 1, 3))
    text = part("pager(p)", p=Pager(1, 3, 60, next="/?page=2"))
    assert 'rel="next" href="/?page=2"' in text
    assert 'rel="prev"' not in text


def test_a_change_can_be_undone_where_it_is_told() -> None:
    edits = [Edit("Renamed Pay", "Ada", NOW, "clearer", undo="/undo/1"), Edit("Imported", "Bo", NOW)]
    text = part("timeline(edits)", edits=edits)
    assert text.count("<form") == 1
    assert 'aria-label="Undo: Renamed Pay"' in text


@settings(deadline=None)
@given(st.text("ab ü\n", max_size=40), st.text("ab ü\n", max_size=40))
def test_both_versions_can_be_read_from_their_differences(before: str, after: str) -> None:
    pieces = differences(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_differences_are_shown_as_such() -> None:
    text = part("diff('pay me', 'pay <b>')")
    assert "<del>me</del>" in text
    assert "<ins>&lt;b&gt;</ins>" in text


def test_no_error_is_no_message() -> None:
    assert part("fault(error)", error=None).strip() == ""
    text = part("fault(error)", error=DataError("bad", faults=[Fault("no text", "row 3")], remedy="mend it"))
    for said in ('role="alert"', "Bad", "row 3", "no text", "mend it"):
        assert said in text


def test_a_tile_says_too_few_where_the_number_would_mislead() -> None:
    shown = part('tile("100 %", "Declined", "44 to 100 %, n = 6", unsure=true)')
    assert "too few to tell" in shown
    assert ">100 %<" not in shown
    assert "44 to 100 %, n = 6" in shown
