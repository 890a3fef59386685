"""The words by which people call columns, in English and German: one table for what each kind of file may hold.

All are written as `normalise_name` writes them. The first word of a role is its own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Words = Mapping[str, tuple[str, ...]]

# Names that mean one thing only: enough for the command line to take a column without being asked.
TRAINING: Words = {
    "text": (
        "text", "utterance", "question", "message", "example", "query", "sentence", "phrase",
        "frage", "nachricht", "beispiel", "anfrage", "äusserung",
    ),
    "intent": (
        "intent", "label", "topic", "category", "class", "tag", "intent_name", "thema", "kategorie", "absicht",
    ),
    "created": ("created", "date", "timestamp", "created_at", "datum", "erstellt", "erstellt_am", "zeitstempel"),
    "language": ("language", "lang", "sprache"),
    "split": ("split", "set"),
    "answer": ("answer", "response", "reply", "antwort"),
    "owner": ("owner", "responsible", "zuständig", "verantwortlich"),
}  # fmt: skip
DIALOGUES: Words = {
    "dialogue": (
        "dialogue", "dialogue_id", "dialog", "dialog_id", "dialogid", "conversation", "conversation_id", "session",
        "session_id", "thread", "thread_id", "chat", "chat_id", "talk", "gespräch", "gespräch_id", "gesprächs_id",
        "sitzung", "sitzungs_id", "chatid", "sessionid", "conversationid", "ticket", "ticket_id", "id",
    ),
    "speaker": (
        "speaker", "role", "sender", "author", "from", "who", "participant", "sprecher", "rolle", "absender", "von",
        "wer",
    ),
    "text": (
        "text", "utterance", "message", "content", "body", "nachricht", "inhalt", "äusserung", "question",
        "user_message", "frage",
    ),
    "reply": ("reply", "bot_reply", "bot_message", "bot_response", "answer", "response", "antwort", "bot_antwort"),
    "is_bot": ("is_bot", "isbot", "from_bot", "ist_bot"),
    "thumb": ("thumb", "utterance_eval", "daumen"),
    "rating": ("rating", "quality", "score", "mark", "stars", "bewertung", "note", "sterne"),
    "rater": ("rater", "rater_id", "rated_by", "annotator", "bewertet_von"),
    "bot": ("bot", "bot_id", "bot_name", "system", "botname"),
    "user": ("user", "user_id", "customer", "customer_id", "nutzer", "benutzer", "kunde", "besucher"),
    "passed": ("passed", "checks_passed", "bestanden"),
    "source": ("source", "quelle", "kanal", "channel"),
    "order": (
        "order", "position", "turn", "turn_id", "time", "timestamp", "date", "created", "created_at", "zeit",
        "uhrzeit", "zeitpunkt", "datum", "zeitstempel", "reihenfolge",
    ),
}  # fmt: skip
# Words that hint at a role where a person looks at the guess before anything is done.
HINTS: Words = {
    "text": ("asked_question", "customer_question", "user_says", "input", "wording", "formulierung", "eingabe"),
    "intent": (
        "area", "subject", "theme", "section", "group", "bereich", "rubrik", "gruppe", "themenbereich", "oberthema",
        "stichwort", "intention",
    ),
    "created": ("asked", "asked_on", "received", "day", "when", "added", "eingang", "eingegangen", "gestellt", "am"),
    "language": ("locale", "lng"),
    "answer": ("our_reply", "solution", "output", "antworttext", "lösung", "erwiderung"),
    "owner": (
        "who", "assignee", "assigned_to", "contact", "team", "department", "editor", "ansprechpartner", "bearbeiter",
        "abteilung", "zuständigkeit", "verantwortliche", "verantwortlicher", "fachbereich", "wer",
    ),
    "dialogue": ("case", "vorgang", "fall", "kennung", "nr", "no", "number", "nummer"),
    "speaker": ("type", "typ", "direction", "richtung", "actor", "party", "seite"),
    "reply": ("bot_says", "bot_text", "our_reply"),
    "order": ("when", "sent", "sent_at", "gesendet", "gesendet_am", "nr", "step", "schritt"),
    "rating": ("csat", "zufriedenheit", "feedback", "grade", "evaluation"),
    "bot": ("assistant", "assistent", "model", "engine", "version"),
    "user": ("visitor", "client", "kundennummer", "email", "e_mail", "person"),
}  # fmt: skip


def normalise_name(name: str) -> str:
    """Return the name of a column as names are compared."""
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


ROLE_OF = {word: role for table in (HINTS, DIALOGUES, TRAINING) for role, words in table.items() for word in words}
KNOWN = frozenset(word for words in TRAINING.values() for word in words)
