"""Files as people have them: notes first, titles above the table, old encodings, names in every spelling."""

from __future__ import annotations

import html
import io
import re
from typing import Any

from openpyxl import Workbook

QUESTIONS = [
    ("Salary", "what salary can i expect?", "We pay by level.", "01.10.2025", "Pay team", ""),
    ("SALARY", "Do you pay a 13th salary?", "Yes, in November.", "02.10.2025", "Pay team", ""),
    ("Thesis", "remote thesis?", "You can write your thesis at home.", "02.10.2025", "Students", "ok"),
    ("parking", "parking leeds plant free?", "Parking is free at all four plants.", "01.10.2025", "Office", ""),
    ("Visa", "who pays for the visa", "Yes, we sponsor work permits.", "06.10.2025", "Mobility", "check!"),
    ("", "Who do I ask about parking?", "", "", "", ""),
    ("salary", "when is payday", "", "07.10.2025", "", ""),
    ("Parking", "is there a garage for bikes", "", "08.10.2025", "Office", ""),
]


def messy_book() -> bytes:
    """Return a workbook whose first sheet is notes and whose table begins under a title."""
    book = Workbook()
    notes = book.active
    notes.title = "Notes"
    for line in ("Please read", "Contact: people team", "Version 3"):
        notes.append([line])
    sheet = book.create_sheet("FAQ")
    sheet.append(["FAQ export of the careers bot, please do not forward"])
    sheet.append(["Status: Nov 2026"])
    sheet.append(["No.", "Area", "Question", "Our reply", "Asked on", "Who", "Comment"])
    for number, row in enumerate(QUESTIONS, 101):
        sheet.append([number, *row])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def old_log(talks: int = 3) -> bytes:
    """Return logged dialogues as an older spreadsheet program writes them: German names, semicolons, Windows-1252."""
    lines = ["Gesprächs-ID;Zeitpunkt;Absender;Nachricht;Kunde;Bewertung;Agentur"]
    for talk in range(1, talks + 1):
        who = f"frau.mueller{talk}@example.org"
        lines += [
            f"G-{talk};01.10.2025 10:{talk:02};Kunde;Was kostet ein Führerschein für 50 €?;{who};4;Süd",
            f"G-{talk};01.10.2025 11:{talk:02};Bot;Das hängt von der Prüfung ab – möchten Sie mehr wissen?;;4;Süd",
            f"G-{talk};01.10.2025 12:{talk:02};Kunde;Nein, schöne Grüße;{who};4;Süd",
        ]
    return "\r\n".join(lines).encode("cp1252")


def sheet_form(page: str) -> dict[str, Any]:
    """Return what the form of a preview would send, as a browser without scripts reads it from the page."""
    form = page[page.index('id="choices"') : page.index("</form>", page.index('id="choices"'))]
    fields: dict[str, Any] = {"choices": "1"}
    for name, options in re.findall(r'<select id="[^"]+" name="([^"]+)".*?>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', options)
        fields[name] = chosen[1] if chosen else ""
    for tag in re.findall(r"<input [^>]*>", form):
        seen = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if seen.get("type") in ("radio", "checkbox") and " checked" not in tag:
            continue
        fields.setdefault(seen["name"], [])
        if isinstance(fields[seen["name"]], list):
            fields[seen["name"]].append(html.unescape(seen.get("value", "on" if "checked" in tag else "")))
    return fields
