"""Words that say whether a name in a message is a place to work at or a profession to work in."""

from __future__ import annotations

from typing import NamedTuple


class Cues(NamedTuple):
    """The cues of a language, folded.

    `near`: words before a place. `origin`: words before a place that somebody comes from or leaves. `titles`: words
    before a name of a person. `owners`: words before somebody else's profession ("my boss"). `refusals`: before a
    profession that is not wanted. `generic`: names that are no profession alone.
    `fillers`: words that mean nothing beside a profession and a place. `endings`: the ends of German
    compounds that are no part of the profession. `articles`: words between a refusal or an origin and its noun.
    """

    near: frozenset[str]
    origin: frozenset[str]
    titles: frozenset[str]
    owners: frozenset[str]
    refusals: tuple[str, ...]
    generic: frozenset[str]
    articles: frozenset[str]
    fillers: frozenset[str]
    endings: tuple[str, ...] = ()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CUES = {
    "en": Cues(
        near=_words(
            "or and in near around at to within towards outside for of @ live based area greater central north south"
        ),
        origin=_words("from leaving left quit"),
        titles=_words("mr mrs ms miss dr sir madam prof professor dear"),
        owners=_words("my your his her their our a@ speak talk call ask"),
        refusals=(
            "no longer",
            "not",
            "don t",
            "dont",
            "stop",
            "quit",
            "tired of",
            "instead of",
            "rather than",
            "used to",
            "never",
            "without",
            "leave",
            "anything but",
            "except",
            "enough of",
            "sick of",
        ),
        generic=_words(
            "assistant worker agent staff employee trainee apprentice intern student operative helper professional"
            " graduate beginner freelancer expert specialist officer lead member boss head man woman hand"
            " model guide host guard scout star coach chair general"
        ),
        articles=_words("a an the be being as work working want to any another more of"),
        fillers=_words(
            "no not and or what about how rather please better actually instead i i'm im am meant mean then"
            " maybe perhaps sorry job jobs work position positions opening openings vacancy vacancies search"
            " find looking look for one also another rather only just hi hello ok okay it make that there"
        ),
    ),
    "de": Cues(
        near=_words(
            "in im bei nahe um rund nach raum nahe naehe ort standort region gebiet grossraum fur fuer am an"
            " von zwischen und oder bis richtung wohne lebe"
        ),
        origin=_words("aus"),
        titles=_words("herr herrn frau fr hr dr prof familie"),
        owners=_words("mein meine meinen meinem meiner ihr ihre ihren ihrem dein deine unser unsere unseren"),
        refusals=(
            "nicht mehr",
            "nicht",
            "kein",
            "keine",
            "keinen",
            "statt",
            "anstatt",
            "nie wieder",
            "ausser",
            "ohne",
            "raus aus",
            "satt",
            "genug vom",
        ),
        generic=_words(
            "mitarbeiter mitarbeiterin mitarbeiter arbeiter angestellter fachkraft kraft hilfe aushilfe"
            " werkstudent student schuler azubi praktikant quereinsteiger berufseinsteiger leiter leitung"
            " spezialist experte berater assistent helfer meister bote gast wirt rat"
        ),
        articles=_words("als der die das den dem ein eine einen einem mehr im vom zum in arbeiten sein"),
        fillers=_words(
            "nein nee doch nicht und oder was ist mit wie lieber bitte besser eigentlich stattdessen ich meine"
            " meinte dann vielleicht sorry job jobs arbeit stelle stellen als suche such eher auch nur hallo"
            " ok okay gerne gern denn es da so wie waere ware waers"
        ),
        endings=(
            "stellenangebote",
            "stellenangebot",
            "stellenanzeige",
            "stellen",
            "stelle",
            "jobs",
            "job",
            "ausbildung",
            "ausbildungsplatz",
            "praktikum",
            "praktika",
            "posten",
            "positionen",
            "position",
            "arbeit",
            "tatigkeit",
            "taetigkeit",
            "lehre",
            "lehrstelle",
            "beruf",
            "berufe",
            "minijob",
            "nebenjob",
            "angebote",
            "vakanz",
        ),
    ),
    "fr": Cues(
        near=_words("ou et a en au aux dans sur vers pres de d du autour region cote pour chez habite"),
        origin=_words("quitte quitter viens vient venu venue originaire arrive depuis"),
        titles=_words("monsieur madame mademoiselle mr m mme mlle dr docteur pr"),
        owners=_words("mon ma mes votre vos son sa ses notre nos leur leurs ton ta tes"),
        refusals=(
            "plus",
            "pas",
            "sans",
            "sauf",
            "au lieu d",
            "au lieu de",
            "marre d",
            "marre de",
            "arreter d",
            "quitter",
            "ni",
            "plutot que",
        ),
        generic=_words(
            "garde employe employee agent ouvrier ouvriere aide assistant assistante stagiaire apprenti apprentie"
            " etudiant etudiante responsable chef charge chargee cadre technicien conseiller femme homme"
            " interimaire debutant debutante alternant alternante saisonnier guide maitre"
        ),
        articles=_words("d de des du un une le la les l comme etre travailler en tant que"),
        fillers=_words(
            "non pas et ou plutot s il vous plait stp svp mieux en fait je voulais dire veux alors peut"
            " etre pardon desole emploi emplois poste postes travail job jobs offre offres cherche recherche"
            " comme aussi seulement bonjour salut ok et que quoi c est"
        ),
    ),
}

# Chinese: what comes right before or after.
ZH_ORIGIN = ("来自", "从", "离开")
ZH_AFTER_PLACE = (
    "大学",
    "银行",
    "路",
    "街",
    "海事",
    "理工",
    "师范",
    "医科",
    "交大",
    "学院",
    "人寿",
    "证券",
    "啤酒",
    "菜",
    "话",
)
ZH_REFUSALS = (
    "不想当",
    "不想做",
    "不想再做",
    "不想再当",
    "不当",
    "不做",
    "别的不是",
    "除了",
    "不是",
    "不要",
    "不考虑",
)
ZH_GENERIC = frozenset(
    [
        "工人",
        "员工",
        "专员",
        "人员",
        "助理",
        "实习生",
        "学生",
        "专家",
        "主管",
        "领导",
        "老板",
        "同事",
        "人工",
        "客服人工",
        "工作人员",
        "文员工",
        "职员",
        "机器人",
    ]
)
ZH_FILLERS = frozenset("不是那在呢吧的有没了换成改去和或要想找工作职位岗位招聘我还应对啊呀请问好，。！？、 ,.!?")
SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"
)
