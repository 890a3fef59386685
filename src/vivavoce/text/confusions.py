"""Words that people take for one another or often spell wrong, and common words that no slip should produce."""

from __future__ import annotations

from collections.abc import Mapping

_ENGLISH = (
    "your:you're you're:your their:there there:their they're:their its:it's it's:its to:too too:to then:than "
    "than:then lose:loose whose:who's who's:whose where:were were:where which:wich affect:effect quite:quiet "
    "definitely:definately receive:recieve received:recieved separate:seperate separately:seperately believe:beleive "
    "tomorrow:tommorow address:adress accommodation:accomodation necessary:neccessary occurred:occured weird:wierd "
    "until:untill beginning:begining calendar:calender because:becuase "
    "friend:freind already:allready apply:aply application:aplication available:availible "
    "business:buisness government:goverment immediately:immediatly independent:independant interview:inteview "
    "knowledge:knowlege maintenance:maintainance medicine:medecine experience:experiance prescription:perscription "
    "probably:probaly really:realy recommend:recomend reference:referance reservation:resevation schedule:schedual "
    "symptoms:symtoms successful:succesful surprise:suprise through:thru truly:truely doesn't:dosen't don't:dont "
    "can't:cant i'm:im won't:wont didn't:didnt what's:whats that's:thats salary:sallary passenger:passanger "
    "departure:departue appointment:apointment possible:posible different:diffrent february:febuary "
    "wednesday:wensday luggage:lugage baggage:bagage allergic:alergic headache:headake doctor:docter"
)
_GERMAN = (
    "das:dass dass:das seit:seid seid:seit wieder:wider wider:wieder wahr:war war:wahr denn:den den:denn wenn:wen "
    "ihnen:ihn mann:man man:mann einzige:einzigste vielleicht:vieleicht ziemlich:ziehmlich nämlich:nähmlich "
    "standard:standart interessant:intressant voraus:vorraus voraussichtlich:vorraussichtlich "
    "voraussetzung:vorraussetzung "
    "bewerben:beweben bewerbung:bewerbug termin:termien gehalt:gehallt urlaub:uhrlaub rhythmus:rythmus "
    "adresse:addresse paket:packet endgültig:entgültig überhaupt:überhaubt abend:abent reparatur:reperatur "
    "tschüss:tschüß heißt:heist weiß:weis groß:gross straße:strasse muss:muß könnte:könte "
    "separat:seperat unternehmen:unternemen arbeitgeber:arbeitgber verfügbar:verfügba "
    "geht's:gehts gibt's:gibts widerspruch:wiederspruch kommilitone:komilitone lizenz:lizens maschine:maschiene"
)


def _table(pairs: str) -> dict[str, str]:
    table = dict(pair.split(":") for pair in pairs.split())
    return {right: wrong for right, wrong in table.items() if right != wrong}


CONFUSIONS: Mapping[str, Mapping[str, str]] = {
    "qwerty": _table(_ENGLISH),
    # People with a German keyboard write both languages, and the two tables share no word.
    "qwertz": {**_table(_ENGLISH), **_table(_GERMAN)},
}
"""By layout: what a word is often written as."""

# A slip that turns one word into another changes the question; a misspelling must stay one. Short words are the
# ones that are easily hit.
_COMMON = (
    "a i am an as at ax be by do go ha he hi if in is it me my no of oh ok on or ox pi so to up us we ad "
    "ace act add age ago aid ail aim air all and ant any ape apt arc are ark arm art ash ask ate bad bag ban bar bat "
    "bay bed bee beg bet bid big bin bit boa bog bow box boy bud bug bun bus but buy bye cab can cap car cat cod cog "
    "con cop cot cow cry cub cup cut dad dam day den dew did die dig dim dip dog dot dry due dug duo dye ear eat eel "
    "egg ego elf end era eve eye fad fan far fat fax fed fee few fig fin fir fit fix flu fly fog for fox fun fur gap "
    "gas gel gem get gin got gum gun gut guy gym had ham has hat hay hen her hid him hip his hit hog hop hot how hub "
    "hug hut ice ill ink inn ion its jam jar jaw jet job jog joy jug key kid kin kit lab lad lag lap law lay led leg "
    "let lid lie lip lit log lot low mad man map mat may men met mid mix mob mom mop mud mug nap net new nod nor not "
    "now nun nut oak oar oat odd off oil old one our out owe owl own pad pan par pat paw pay pea pen pet pie pig pin "
    "pit pop pot pro pub put rag ram ran rap rat raw ray red rib rid rig rim rip rob rod rot row rub rug run sad sat "
    "saw say sea see set sew sex she shy sin sip sir sit six ski sky sob son sow soy spa spy sum sun tab tag tan tap "
    "tar tax tea ten the tie tin tip toe ton too top toy try tub two use van vet via war was wax way web wed wet who "
    "why wig win wit won wow yes yet you zip zoo "
    "able also area army away baby back ball band bank base bath bear beat been beer bell best bill bird blow blue "
    "boat body bold bone book boot bore born both bowl bulk burn bush busy cake call calm came camp card care cart "
    "case cash cast cell chat chip city club coal coat code cold come cook cool cope copy core cost crew crop cure "
    "dare dark data date dead deal dean dear debt deep deer deny desk dial diet dirt disc dish does done door dose "
    "down draw drew drop drug dual duke dust duty each earn ease east easy edge else even ever face fact fail fair "
    "fall farm fast fate fear feed feel feet fell felt file fill film find fine fire firm fish five flat flow food "
    "foot ford form fort four free from fuel full fund gain game gate gave gear gift girl give glad goal goes gold "
    "golf gone good gray grew grow hair half hall hand hang hard harm hate have head hear heat held hell help here "
    "hero hide high hill hire hold hole holy home hope host hour huge hunt hurt idea inch into iron item join jump "
    "jury just keen keep kept kick kill kind king knew know lack lady laid lake land lane last late lead left less "
    "life lift like line link list live load loan lock long look lord lose loss lost love luck made mail main make "
    "male many mark mass mate meal mean meat meet menu mere mile milk mind mine miss mode mood moon more most move "
    "much must name near neck need news next nice nine none nose note okay once only onto open oral over pace pack "
    "page paid pain pair palm park part pass past path peak pick pink pipe plan play plot plug plus poll pool poor "
    "port post pour pull pure push quit race rail rain rank rare rate read real rely rent rest rice rich ride ring "
    "rise risk road rock role roll roof room root rope rose rule rush safe said sail sake sale salt same sand save "
    "seat seed seek seem seen self sell send sent ship shop shot show shut sick side sign site size skin slip slow "
    "snow soft soil sold sole some song soon sort soul spot star stay step stop such suit sure swim tail take tale "
    "talk tall tank tape task team tell tend tent term test text than that them then they thin this thus till time "
    "tiny told toll tone took tool tore torn tour town tree trip true tune turn twin type unit upon used user vary "
    "vast very vice view vote wage wait wake walk wall want ward warm wash wave weak wear week well went were west "
    "what when whom wide wife wild will wind wine wing wire wise wish with wood word wore work worn yard yeah year "
    "your zero zone flight fight light right night ticket price place plane plate later water hotel hostel "
    "booking looking cooking there where three these those think thing thank quite quiet quote trail trial "
    "whose house horse change charge chance dairy diary angel angle "
    "ab am an au da du ei er es ja je im in ob so um wo zu zum zur als auf aus bei bin bis das dem den der die dir "
    "doch dort drei ein eine einen einer fast für gab gar geh gern gibt gut habe haben hat her hier hin ich ihm ihn "
    "ihr ist kam kann kein lang laut mal man mehr mein mich mir mit nach nah neu nie noch nun nur oder ohne ort rat "
    "rot rund sagt sehr seid sein seit sich sie sind soll tag tat tun und uns vom von vor wann war was weg weil weit "
    "wem wen wenn wer wie will wir wird wirst wohl alle alles also beim dann dass dein denn diese erst etwas fest"
)
COMMON: frozenset[str] = frozenset(_COMMON.split())
"""Everyday words of English and German that a slip should not turn another word into."""


NEGATIONS = frozenset(
    word
    for words in (
        # English; contractions in -n't are found by their end, here are those written without the apostrophe.
        "no not never none nobody nothing nowhere neither nor cannot without unable hardly",
        "aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt",
        # German
        "nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo nein weder ohne kaum",
        "kein keine keinen keinem keiner keines keinerlei keinesfalls keineswegs",
        # French
        "ne pas jamais aucun aucune rien non sans",
    )
    for word in words.split()
)
NEGATING_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "miss")
OPPOSITES = tuple(
    tuple(pair.split("/"))
    for pairs in (
        "yes/no open/closed accept/reject accepted/rejected approve/decline approved/declined arrive/depart",
        "arrival/departure always/never more/less before/after valid/expired enabled/disabled allowed/forbidden",
        "success/failure succeeded/failed increase/decrease cheapest/dearest am/pm",
        "ja/nein offen/geschlossen angenommen/abgelehnt genehmigt/abgelehnt ankunft/abflug immer/nie mehr/weniger",
        "vor/nach gültig/abgelaufen erlaubt/verboten morgens/abends",
    )
    for pair in pairs.split()
)
