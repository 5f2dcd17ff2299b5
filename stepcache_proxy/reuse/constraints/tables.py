"""Closed classes of English words, as the constraints gate reads them."""

QUESTION_WORDS = frozenset("who whom whose what which when where why how".split())
AUXILIARIES = frozenset(
    """is are am was were be been being do does did has have had can could may might
    must shall should will would""".split()
)
PERSONS = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "i"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), "we"),
    **dict.fromkeys(("you", "your", "yours", "yourself", "yourselves"), "you"),
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
}
OWNERS = frozenset({"my", "our", "your"})
PREPOSITIONS = frozenset(
    """about above across after against along among around at before behind below
    beside between beyond by despite down during for from in inside into near of off on
    onto out outside over past per since through throughout to toward towards under
    until up upon via with within""".split()
)
CONNECTIVES = frozenset(
    """and or but if because so than that then this these those there as while though
    although unless whether it its""".split()
)
FUNCTION_WORDS = (
    QUESTION_WORDS
    | AUXILIARIES
    | PERSONS.keys()
    | PREPOSITIONS
    | CONNECTIVES
    | frozenset({"a", "an", "the", "not", "no", "any", "all", "some", "please", "me"})
)
# What a sentence may put before itself, set off by a comma, or behind itself.
OPENERS = PREPOSITIONS - {"of", "per", "than"} | {"if", "when", "because"}

POLARITY = frozenset(
    """not no never none nobody nothing nowhere neither nor cannot without non
    un hardly barely""".split()
)
COMPARISON = frozenset(
    """more less fewer greater most least better best worse worst higher highest lower
    lowest larger largest smaller smallest bigger biggest longer longest shorter
    shortest older oldest younger youngest newer cheaper cheapest faster fastest slower
    slowest earlier earliest later than same different equal maximum minimum
    above below over under before after twice thrice half double""".split()
)
QUANTIFIERS = frozenset(
    """only just except excluding including all every each any some both either many
    few several most enough other another else alone always usually sometimes
    ever even also too extra additional entire whole first last next""".split()
)
FORMATS = frozenset(
    """json xml yaml csv html markdown table bullet bullets list paragraph paragraphs
    sentence sentences word words brief briefly short detail detailed summary steps
    code poem essay email letter haiku""".split()
)
# With one of them the answer hangs on the moment of asking.
TIME_BOUND = frozenset(
    """today tonight tomorrow yesterday now nowadays currently current latest recent
    recently newest ago presently upcoming""".split()
)
# "current account" is a kind of account; "electric current" flows.
TIMELESS_AFTER_CURRENT = frozenset({"account", "accounts", "transformer"})
TIMELESS_BEFORE_CURRENT = frozenset(
    "alternating direct electric electrical eddy ocean rated max maximum".split()
)
PERIODS = frozenset(
    """week weekend month year morning afternoon evening night day season quarter
    summer winter spring autumn monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november
    december""".split()
)
PERIOD_POINTERS = frozenset({"this", "next", "last", "past", "coming"})

UNITS = {
    **dict.fromkeys(("km", "kilometre", "kilometer", "kms"), "km"),
    **dict.fromkeys(("metre", "meter"), "metre"),
    **dict.fromkeys(("cm", "centimetre", "centimeter"), "cm"),
    **dict.fromkeys(("mm", "millimetre", "millimeter"), "mm"),
    **dict.fromkeys(("mile", "foot", "feet", "inch", "yard"), ""),
    **dict.fromkeys(("kg", "kilogram", "kilogramme", "kilo"), "kg"),
    **dict.fromkeys(("gram", "gramme"), "gram"),
    **dict.fromkeys(("mg", "milligram"), "mg"),
    **dict.fromkeys(("lb", "lbs"), "lb"),
    **dict.fromkeys(("oz", "ounce"), "ounce"),
    **dict.fromkeys(("litre", "liter"), "litre"),
    **dict.fromkeys(("ml", "millilitre", "milliliter"), "ml"),
    **dict.fromkeys(("hr", "hrs", "hour"), "hour"),
    **dict.fromkeys(("min", "mins", "minute"), "minute"),
    **dict.fromkeys(("sec", "secs", "seconds"), "sec"),
    **dict.fromkeys(("day", "week", "month", "year", "decade", "century"), ""),
    **dict.fromkeys(("celsius", "centigrade"), "celsius"),
    **dict.fromkeys(("fahrenheit", "kelvin", "degree", "mph", "kph"), ""),
    **dict.fromkeys(("percent", "pct"), "percent"),
    **dict.fromkeys(("pound", "gbp", "quid"), "pound"),
    **dict.fromkeys(("dollar", "usd", "buck"), "dollar"),
    **dict.fromkeys(("euro", "eur"), "euro"),
    **dict.fromkeys(("cent", "pence", "penny", "yen", "rupee", "gallon", "pint"), ""),
    **dict.fromkeys(("gb", "mb", "kb", "tb", "byte", "bit", "watt", "volt", "kwh"), ""),
}
CURRENCIES = {"=£": "pound", "=$": "dollar", "=€": "euro", "=¥": "yen"}

_SMALL = """zero one two three four five six seven eight nine ten eleven twelve
    thirteen fourteen fifteen sixteen seventeen eighteen nineteen""".split()
SMALL_NUMBERS = {word: value for value, word in enumerate(_SMALL)}
TENS = {
    word: 10 * value
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
}
MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
ORDINALS = {
    word: f"#{value}th"
    for value, word in enumerate(
        """first second third fourth fifth sixth seventh eighth ninth tenth eleventh
        twelfth""".split(),
        start=1,
    )
}

CONTRACTIONS = {
    **{"can't": "can not", "cannot": "can not", "won't": "will not"},
    **{"shan't": "shall not", "cant": "can not", "dont": "do not", "wont": "will not"},
    **{"doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not"},
    **{"whats": "what is", "hows": "how is", "wheres": "where is", "whos": "who is"},
    **{"whens": "when is", "thats": "that is", "i'm": "i am", "im": "i am"},
    **{"let's": "let us", "y'all": "you", "gonna": "going to", "wanna": "want to"},
    **{"how'd": "how did", "ain't": "is not"},
}
CONTRACTED_ENDS = {"'re": "are", "'ve": "have", "'ll": "will", "n't": "not"}
# With these "'s" is "is"; with any other word it is an owner.
IS_CONTRACTED = QUESTION_WORDS | frozenset("it that there here he she".split())

# Lower case and upper case name different things, or capitals alone tell the name.
CASED = frozenset(
    """turkey china java python apple windows amazon mercury polish march august mars
    shell oracle excel access swift rust go ruby pearl teams slack zoom edge chrome
    safari signal discord square stripe gap target visa orange virgin boots next bash
    may mark bill frank will rose grace hope faith jack pat drew norm sue ray dean
    earth sun galaxy word meta reading bath sandwich nice cork split chad jordan guinea
    lima kiwi monday notion linear basic julia elm dart perl alphabet uber lotus jaguar
    puma aids ram jersey ford focus fiesta galaxy tide dove mini beetle polo
    fox cricket vodafone three sky""".split()
)

# The plural of these is another word.
NOT_PLURALS = frozenset(
    """goods customs arms contents glasses works means politics economics physics
    mathematics news lens series species this his its us bus gas yes always plus minus
    less his as is was has does thus perhaps besides alas atlas bias basis crisis virus
    campus status bonus focus chorus census tennis diabetes analysis thesis savings
    thanks towards upwards afterwards windows jeans trousers clothes shorts scissors
    news odds pants briefs spirits grounds premises proceeds earnings
    headquarters address process access business illness wellness express press less
    unless across loss cross boss class glass grass pass mass dress stress success
    christmas canvas pancreas kubernetes mercedes hermes postgres texas""".split()
)
# They name the letter after them: "vitamin a" is not "vitamin".
LETTERED = frozenset(
    """vitamin hepatitis plan type grade part option group team class schedule section
    appendix exhibit influenza level series factor note size form paper version tier
    category zone variable point vertex set event box angle side matrix string""".split()
)
