"""Endless questions that are not alike: of five words, two of them share one at most.

A question is a point on a line: its words are ``a + b * slot`` modulo the number of
words of a slot, a prime, and two lines meet once at most. After 3721 questions every
line is used up; it goes on with parabolas, two of which meet twice at most.
"""

from collections.abc import Iterator
from itertools import count

_WHO = """
baker surgeon pilot plumber violinist judge farmer miner tailor butcher diver lawyer
dentist painter carpenter chemist novelist janitor barber welder fisherman astronomer
jockey magician referee librarian sculptor nurse cashier detective shepherd blacksmith
architect translator beekeeper acrobat goldsmith lumberjack optician geologist usher
bricklayer choreographer firefighter gardener historian interpreter juggler locksmith
midwife notary organist potter quarryman roofer stuntman undertaker veterinarian waiter
senator cobbler
"""
_FOOD = """
noodles cheese honey pickles lobster cinnamon popcorn yoghurt olives mustard pancakes
spinach coffee coconut sausages garlic marmalade oysters rice walnuts lemonade cabbage
chocolate herring beetroot vinegar pretzels melon saffron tofu porridge cherries ginger
mayonnaise lentils dumplings whiskey butter pumpkin anchovies jelly tea artichokes salt
waffles turnips ketchup almonds milk curry grapes bacon omelettes figs pizza radishes
syrup steak mushrooms licorice avocado
"""
_THING = """
telescope umbrella bicycle piano ladder compass trumpet wallet chessboard lantern anchor
saddle microscope kite hammer mattress camera violin bucket parachute typewriter pillow
wheelchair thermometer canoe envelope scissors balloon battery carpet drum mirror ticket
guitar helmet fountain razor statue tractor wardrobe button candle diamond escalator fan
gate hourglass inkwell jigsaw keyboard loom magnet necklace oar padlock rifle satellite
tent vase whistle xylophone
"""
_PLACE = """
desert airport monastery swamp casino glacier prison orchard volcano stadium harbour
cemetery jungle museum chapel subway castle bakery island factory hospital courtroom
canyon ballroom attic submarine zoo vineyard warehouse beach cathedral supermarket
tunnel embassy laundry quarry theatre windmill bridge cellar dungeon elevator forest
greenhouse hotel igloo kindergarten library meadow nightclub observatory palace
racetrack sawmill tavern university village waterfall shipyard barracks oasis
"""
_CAUSE = """
inflation snow jealousy arithmetic gravity baptism erosion insomnia espionage democracy
photosynthesis divorce malaria chess evolution bankruptcy opera thunder friendship
rust taxation hypnosis surfing migration drought poetry electricity revenge fashion
asthma archery gossip wrestling plagiarism astrology recycling mourning magnetism
tourism karate pregnancy slavery fog grammar advertising boredom camouflage diplomacy
echoes famine golf hygiene irony justice knitting laughter mythology nostalgia origami
piracy quarantine
"""
_SLOTS = (_WHO, _FOOD, _THING, _PLACE, _CAUSE)
_WORDS = 61


def unlike_questions() -> Iterator[str]:
    """Questions without end; the first 226 981 are all different."""
    slots = [words.split() for words in _SLOTS]
    for number in count():
        rest, start = divmod(number, _WORDS)
        bend, slope = divmod(rest, _WORDS)
        who, food, thing, place, cause = (
            words[(start + slope * slot + bend * slot * slot) % _WORDS]
            for slot, words in enumerate(slots)
        )
        yield (
            f"{food.capitalize()} or {cause}: "
            f"why did the {who} have the {thing} at the {place}?"
        )
