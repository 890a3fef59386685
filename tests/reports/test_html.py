"""The report is one file that needs nothing else, and shows data as data."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from vivavoce.intents import IntentsResult
from vivavoce.intents.check import check
from vivavoce.intents.findings import ConfusionCell
from vivavoce.intents.problems import ProblemKind
from vivavoce.intents.result import Note
from vivavoce.records import Dataset, Rate
from vivavoce.reports.intents import problem_wording, wording
from vivavoce.reports.intents.html import render_check, render_result
from vivavoce.reports.intents.meanings import MEASURES
from vivavoce.reports.shared.numbers import interval_text, value_text
from vivavoce.reports.shared.pages import prose

pytestmark = pytest.mark.slow

VOID = {"br", "meta", "hr", "col"}
FEW_KILOBYTES = 600 * 1024


class Reader(HTMLParser):
    """Check that elements nest, and keep what was found."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[name] += 1
        self.attributes += [(name, key, value or "") for key, value in attributes]
        if name not in VOID:
            self.open.append(name)

    def handle_startendtag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[name] += 1
        self.attributes += [(name, key, value or "") for key, value in attributes]

    def handle_endtag(self, name: str) -> None:
        assert self.open.pop() == name

    def values(self, key: str) -> list[str]:
        return [value for _, found, value in self.attributes if found == key]


@pytest.fixture(scope="module")
def report(result: IntentsResult) -> str:
    return render_result(result)


def words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def test_the_report_is_a_whole_page(report: str) -> None:
    found = Reader(report)
    assert report.startswith("<!doctype html>")
    assert found.values("lang") == ["en"]
    assert found.tags["h1"] == 1
    assert found.tags["main"] == 1
    assert found.tags["details"] > 3
    assert found.tags["script"] == 0
    assert re.search(r"<title>[^<]+</title>", report)


def test_nothing_is_loaded_from_anywhere(report: str) -> None:
    found = Reader(report)
    assert not found.values("src")
    assert all(value.startswith("#") for value in [*found.values("href"), *found.values("xlink:href")])
    assert not re.findall(r"url\((?!#)|@import|<link|<iframe|<object", report)
    others = re.sub(r'xmlns(:\w+)?="http[^"]+"', "", report)
    assert "http://" not in others
    assert "https://" not in others


def test_every_anchor_leads_somewhere_and_no_id_stands_twice(report: str) -> None:
    found = Reader(report)
    ids = found.values("id")
    assert len(set(ids)) == len(ids)
    assert {value[1:] for value in found.values("href")} <= set(ids)


def test_what_comes_from_the_data_is_escaped(report: str, result: IntentsResult) -> None:
    assert "<script" not in report
    assert "<b>" not in report
    hostile = next(line.intent for line in result.settings[0].intents if "script" in line.intent)
    assert hostile in unescape(report)


def test_hostile_texts_everywhere_stay_texts(result: IntentsResult) -> None:
    bad = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"
    pair = replace(result.pairs[0], a=bad, b='"><svg onload=alert(1)>', overlap=0.9)
    data = replace(result.data, source=f"x/{bad}", hash=bad)
    problem = replace(result.problems[0], kind=ProblemKind.PAIR, topics=(pair.a, pair.b))
    hostile = replace(result, data=data, classifier=bad, pairs=(pair,), warnings=(Note("failed", bad),))
    html = render_result(replace(hostile, problems=(problem, replace(problem, topics=(bad, bad)))))
    found = Reader(html)
    assert found.tags["script"] == found.tags["img"] == 0
    assert not [key for _, key, _ in found.attributes if key.startswith("on")]


def test_what_to_fix_next_is_the_list_of_the_result_in_its_order(report: str, result: IntentsResult) -> None:
    said = words(report)
    places = [said.index(problem_wording.problem_sentence(problem)) for problem in result.problems]
    assert places == sorted(places)
    assert all(problem_wording.problem_advice(problem) in said for problem in result.problems)


def test_a_report_without_problems_says_that_this_is_good(result: IntentsResult) -> None:
    said = words(render_result(replace(result, problems=())))
    assert "Nothing needs fixing: no problem clearly affects 1 in 1,000 messages or more." in said


def test_an_engine_without_guesses_and_topics_of_copies_have_a_report(
    guessless: IntentsResult, copies: IntentsResult
) -> None:
    said = words(render_result(guessless))
    assert wording.headline(guessless) in said
    assert "add the setting 0,0" not in said
    assert wording.headline(copies) in words(render_result(copies))


def test_the_sentences_and_the_warnings_are_there(report: str, result: IntentsResult) -> None:
    said = words(report)
    assert wording.headline(result) in said
    assert wording.strangers_sentence(result) in said
    assert problem_wording.verdict(result) in said
    for note in result.warnings:
        assert note.message.replace("`", "") in said
    assert wording.setting_sentence(result.settings[2]) in said


def test_every_number_of_every_setting_stands_with_its_interval(report: str, result: IntentsResult) -> None:
    section = report.split("All metrics</h2>")[1].split("</section>", maxsplit=1)[0]
    for name, rate in result.settings[1].rates.items():
        kind = MEASURES[name].kind
        row = words(section.split(f'href="#m-{name}"')[1].split("</tr>")[0])
        assert value_text(rate.value, kind) in row
        assert interval_text(rate, kind) in row


def test_every_number_has_its_meaning_in_the_glossary(report: str) -> None:
    said = words(report)
    for measure in MEASURES.values():
        assert measure.meaning in said


def test_where_it_comes_from_is_told(report: str, result: IntentsResult) -> None:
    footer = words(report.split("<footer>")[1])
    for fact in (result.data.hash, result.classifier, result.data.source, "Seed 0", "(0, 0), (0, 0.15), (3, 0)"):
        assert fact in footer


def test_what_is_not_known_is_na(silent: IntentsResult) -> None:
    tiles = render_result(silent).split('class="tiles">')[1].split("</ul>")[0]
    shown = re.findall(r'class="value">([^<]+)<', tiles)
    assert shown == ["0 %", "n/a", "n/a", "0 %"]
    assert MEASURES["precision_answered"].absent in tiles


def test_tables_have_captions_and_headers(report: str) -> None:
    tables = re.findall(r"<table>.*?</table>", report, re.DOTALL)
    assert tables
    for one in tables:
        assert "<caption>" in one
        assert '<th scope="col"' in one
        assert 'scope="row"' in one or re.search(r"<tbody>\s*</tbody>", one)


def test_every_picture_has_a_label(report: str) -> None:
    # Icons and bars stand beside words that say the same.
    drawings = [
        tag
        for tag in re.findall(r"<svg[^>]*>", report.rsplit("</symbol>\n</svg>", maxsplit=1)[-1])
        if "aria-hidden" not in tag
    ]
    assert len(drawings) >= 5
    assert all('role="img"' in one and re.search(r'aria-label="[^"]+"', one) for one in drawings)


def test_an_exam_without_any_retry_is_told(result: IntentsResult) -> None:
    html = render_result(replace(result, settings=(), pairs=(), warnings=(Note("failed", "The engine died."),)))
    Reader(html)
    assert "No round was completed" in html
    assert "The engine died." in html


def test_a_large_result_stays_small_and_says_what_is_left_out(result: IntentsResult) -> None:
    first = result.settings[0]
    line = replace(first.intents[0], recall=Rate(0.5, 0.4, 0.6, 20))
    names = [f"a_rather_long_topic_name_{n:03d}" for n in range(150)]
    cells = [ConfusionCell(a, b, False, 3, 2) for a in names for b in names[:40]]
    grown = replace(
        first,
        intents=tuple(replace(line, intent=name) for name in names),
        confusion=tuple(cells),
        samples=first.samples * 3,
    )
    html = render_result(replace(result, settings=(grown, *result.settings[1:]), pairs=result.pairs * 10))
    assert len(html.encode()) < FEW_KILOBYTES
    assert "50 topics more in the JSON file" in html
    assert "lines more in the JSON file" in html


def test_a_check_is_a_page_of_its_own() -> None:
    found = check(Dataset.of(["<i>pay</i>", "<i>pay</i>", "go home", "hi"], ["a", "b", "b", "c"]))
    html = render_check(found, source="folder/data.csv")
    reader = Reader(html)
    assert reader.tags["h1"] == 1
    assert "<i>" not in html
    assert wording.check_sentence(found) in words(html)
    assert found.data_hash in html
    for problem in found.problems:
        assert problem.message in words(html).replace("< i >", "<i>") or "<i>" in problem.message


def test_text_is_escaped_and_html_is_not() -> None:
    assert prose("a < b: `viva <file>`") == "a &lt; b: <code>viva &lt;file&gt;</code>"
    assert "<title>Check of a &amp; b</title>" in render_check(check(Dataset.of(["x y"], ["a"])), source="a & b")


def test_a_tile_does_not_show_a_number_that_tells_little(result: IntentsResult) -> None:
    first = result.settings[0]
    vague = replace(first, rates={**first.rates, "automation_rate": Rate(1.0, 0.44, 1.0, 6)})
    tiles = render_result(replace(result, settings=(vague,))).split('class="tiles">')[1].split("</ul>")[0]
    assert 'class="value unsure">too few to tell<' in tiles
    assert "44 to 100" in tiles
