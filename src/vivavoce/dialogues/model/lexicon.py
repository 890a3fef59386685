"""Small lists of words that show how a dialogue goes, in the normalised form of `corpus.preprocessing.normalise`."""

from __future__ import annotations


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Words that carry no topic: two messages that share only these are not about the same thing.
EMPTY = _words(
    "a an the i you he she it we they me him her us them my your his its our their this that these those is am are"
    " was were be been being do does did have has had will would can could should may might must to of in on at for"
    " with about from by as and or but if so not n't 's 're 've 'll 'd 'm i'm no yes what who where when why how"
    " which there here just very too also , ? ! ( ) ' `"
)

GROUPS: dict[str, frozenset[str]] = {
    name: _words(words)
    for name, words in {
        "displeased": "stupid bad wrong boring terrible awful hate nonsense idiot dumb shit fuck fucking strange"
        " weird useless annoying crazy silly horrible sucks suck poor rude worst hell damn crap sad",
        "pleased": "great good nice cool interesting thanks thank wow awesome love like haha lol fun funny glad happy"
        " excellent perfect amazing agree right sure ok okay yes yeah true exactly pleasure enjoy enjoyed",
        "machine": "bot bots robot machine human computer program ai chatbot",
        "greeting": "hi hello hey greetings",
        "farewell": "bye goodbye bb cya later farewell end",
        "puzzled": "know understand sorry idea mean confused sense pardon repeat unclear",
        "self": "i my me i'm myself mine",
        "other": "you your u yours",
        "linking": "because so but however although then also since though therefore maybe actually well",
    }.items()
}
THANKS = _words("thanks thank pleasure nice")
KNOWING = _words("know understand")
NOT = _words("n't not")
