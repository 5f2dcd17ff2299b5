"""A slip of the keyboard against another word.

Two different words can be one letter apart (manager and manger), so a slip is only
seen in everyday words that have no such neighbour, and never in a name.
"""

from collections.abc import Iterator, Sequence

from stepcache_proxy.reuse.constraints.lists import words

# Everyday words with no English word one slip away.
EVERYDAY = words("""
    accept access accident accommodation account achieve activate activity
    actually address advice afternoon agency agent agree airport alcohol allergy
    allow allowance amount animal anniversary answer anxiety appeal appliance
    application apply appointment apprentice approve argument arrange arrive
    article assessment assistant attachment attendance authority automatic
    available average background baggage balance bathroom battery beautiful
    become bedroom beginning behaviour believe benefit bereavement bicycle
    biscuit blanket bluetooth boarding boiler booking borrow bottle boundary
    breakfast broadband broadcast broken budget building business button
    calculate calendar camera cancel candidate capital cardigan cashback
    catalogue category ceiling celebrate centre certificate challenge champion
    change channel charge charger checkout chemical chicken child children
    chocolate choice cholesterol chronic cinema citizen classroom cleaner
    climate clinic coffee colleague collect college comfortable comment
    commission committee common communication community commute company compare
    compatible compensation competition complain concert condition confidence
    confirm connect consultation contact contactless cooker cooking correct
    council counselling courier cover credit cruise currency customer cylinder
    damage daughter deadline decide decision declare decline deduction
    definitely degree delay delete deliver delivery dentist department deposit
    describe description destination detail develop diabetes dictionary
    difficult diploma direct directory disability discount dishwasher display
    distance divorce doctor document domestic donation download drawer duplicate
    early economy education electric electrical electricity electronic eligible
    embarrass emergency employee employer employment energy engine entrance
    envelope environment equipment estimate evening event eviction example
    excellent exchange exercise exhibition expenses experience expiry explain
    export extension family favourite feedback ferry festival financial fitness
    fixture flower foreign forgot formula fortnight freezer fridge furniture
    garage garden garment gearbox general gluten government graduate grammar
    grandmother grievance guarantee guide hairdresser handbook hayfever headache
    headphones healthy height helicopter holiday homework hospital hotel
    household husband hygiene ibuprofen image immediately immigration
    immunisation important improve inbox include income independent indicator
    individual information ingredient inheritance injury inspection install
    installation instruction instrument insurance intelligent interest internet
    interview introduce invitation invoice island itinerary jacket jewellery
    journey kettle keyboard keyring kitchen knowledge laboratory ladder landline
    landlord language laptop laundry leaflet lesson letter library licence
    lifestyle limescale literature loyalty luggage machine magazine maintain
    maintenance marriage maternity mattress meaning measure medicine member
    membership memory message method microwave middle migraine mileage military
    minute mirror missing mobile modern money monitor monthly mortgage mother
    motorbike mountain museum nationality nausea necessary neighbour network
    newspaper notice notification number nursery object occasion occurred office
    online opening operation opinion option orange organise original overdraft
    overtime package paint paracetamol parcel parent parking partner passenger
    passport password pavement payment payroll pedestrian penalty penicillin
    pension people performance period permission permit person personal pharmacy
    phone photograph physical picture plumber plumbing police policy polite
    pollen pollution possible postcode potential pregnancy pregnant premium
    prescription presentation pressure priority privacy private probably
    probation problem procedure process product profile program progress promise
    promotion protect provide provider publish purchase qualification quality
    quantity question questionnaire quickly radiator railway reading receipt
    receive receptionist recipe recommend record recycle recycling redundancy
    reference referral refund regular relationship remember remote remove renew
    renewal repair repeat replace replacement report request require research
    reservation reserve residence resident residential restaurant result
    retirement return review revision route router routine rubbish safety salary
    sandwich satellite schedule scholarship school science screen search season
    seatbelt secondary secretary section security select semester sentence
    separate sequence service session settings shampoo shoulder shower signature
    similar simple sister situation smartphone social software solicitor
    solution speaker special specific speech spreadsheet square stamp standard
    starter statement station statutory sterilise stomach storage straight
    strategy strength student studio subject subscription success suggest
    suitable suitcase supermarket support surgery surname surprise suspend
    sustainable swimming switch symptom system tablet tariff teacher technology
    telephone television temperature template temporary tenancy tenant theatre
    therapy thermometer thermostat ticket toaster toddler toothache touch
    tourist traffic transaction transfer translate transport travel treatment
    trolley trousers tuition umbrella understand unfortunately university
    unlimited unsubscribe update upgrade upload usage vaccination vaccine vacuum
    valid vegan vegetable vegetarian vehicle verification version video village
    visitor vitamin voicemail voluntary voucher wallet warranty washing weather
    website wedding weekend welcome wheelchair winter wireless withdrawal woman
    worker workplace workshop writing yoghurt

    difference different direction
    anaesthetic antibiotics apartment appearance appreciate approximately
    architect assignment atmosphere authorise bankruptcy beneficiary brochure
    calories campsite cancellation capacity caravan carpenter carriage cashpoint
    catering cemetery chemist childcare circumstances clearance collection
    commercial comparison completely conference confidential congratulations
    consumer continue convenient conversation coverage creative criminal
    curtains cutlery dealership decorate dehydration delivered dependent
    depression designer diarrhoea difference different differential direction
    disappear disappoint discharge disconnect discussion dissertation
    distribution division driveway earache eczema efficient electrician elevator
    eligibility employed enable enquiry ensure enterprise entertainment evidence
    exactly exceed exemption exhaust experiment explanation explore facility
    factory failure fertiliser fireplace flexible footwear forecast forwarding
    friendly frozen function funeral generate gymnasium hardware highlight
    historic homeowner honeymoon immune inconvenience incorrect indigestion
    infection initial injection innovation inquiry instalments insulation
    integrate intermediate internship interrupt investment janitor journalist
    junction justice landscape latest lawnmower leasehold legislation limited
    location locksmith logistics lottery lounge magnesium majority manual
    marathon measurement mechanic merchandise merchant migrate minimum mobility
    moisture multiple mushroom musician mystery natural navigate negotiate
    notebook obtain occupation optician orchestra ordinary ornament outdoor
    outfit oxygen painkiller pancake paperwork parachute paragraph parliament
    particular payslip pediatric peninsula percentage performer permanent
    pharmacist philosophy photographer physiotherapy pillow pineapple platform
    playground pleasure pneumonia pollutant popular portfolio postpone practical
    practice preparation preschool preserve president prevent primary principal
    printer professional proposal prosecution psychology publication punctual
    pyjamas qualify quarter quotation railcard rainfall readiness recent
    reception recovery reduction refrigerator refugee registration regulation
    rehearsal reimburse relative reliable religion renovate repayment
    representative reputation requirement reschedule resource respiratory
    respond responsibility restriction retailer revenue robotics rucksack
    sandpaper sausage savings scaffolding scanner scissors sculpture seafood
    sensitive serious several shortage signal silence skeleton skylight slippers
    snowfall specialist specification spectator spoken sponsor stadium stainless
    stubborn submission substitute suburb successful sufficient suggestion
    sunglasses sunscreen supervisor supplier surcharge surgeon survey sweatshirt
    syllabus synchronise tailor technician teenager telescope terminal terrace
    textbook themselves thousand thunderstorm tobacco together tomorrow tonsils
    tournament township trainer trampoline transmission transparent treasure
    trouble truthful turbulence turquoise tutorial typical underground uniform
    unusual upholstery urgent usually utility vacancy valuable variable velocity
    ventilation versatile veterinary vinegar violence visible vocabulary volcano
    volunteer wardrobe washable waterproof wellbeing whiteboard wholesale
    wildlife windscreen witness wonderful woodland worldwide yesterday
""")
# Rare words that are one slip away from an everyday one.
_NOT_SLIPS = words("""
    proscription calender eduction evection wether
    booing cantering capering cerebrate coker coking cooing crise cruse deportment
    derision dismount ensue exorcise inflection insolation instillation keying locution
    motility pant paring pint plumping pone poplar processional provably redaction
    refuge refutation reverence rote samp secretory shippers skimming skippers slimming
    smoulder snowball stater taster transection
""")
_LONG = 8
_LONGEST = max(map(len, EVERYDAY)) + 2  # a letter too many, and the s of a plural
_SHORTEST = 4  # no everyday word has fewer letters than five
_MOST_SLIPS = 2
_MOST_OTHERS = 8


def _without_one(word: str) -> set[str]:
    """The word, and it without each of its letters: slips of each other share one."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _by_rest(everyday: frozenset[str]) -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for word in sorted(everyday):
        for rest in _without_one(word):
            table[rest] = (*table.get(rest, ()), word)
    return table


_NEAR = _by_rest(EVERYDAY)


def mended(mark: str) -> str:
    """The everyday word that a mark is a slip of; itself where none is clear."""
    if not _SHORTEST <= len(mark) <= _LONGEST or not mark.isalpha():
        return mark
    if _is_everyday(mark):
        return mark
    meant = set(_meant(mark, ""))
    if mark[-1] == "s":
        meant.update(_meant(mark[:-1], "s"))
    slips = [word for word in meant if is_slip(mark, word)]
    return slips[0] if len(slips) == 1 else mark


def _meant(stem: str, end: str) -> Iterator[str]:
    for rest in _without_one(stem):
        for word in _NEAR.get(rest, ()):
            yield word + end


def slips_between(a: Sequence[str], b: Sequence[str]) -> dict[str, str]:
    """Slips in either text by the word that the other text has in their place.

    Empty for texts that differ in many words or hold more than two slips.
    """
    only_a, only_b = set(a).difference(b), set(b).difference(a)
    if not only_a or not only_b or max(len(only_a), len(only_b)) > _MOST_OTHERS:
        return {}
    pairs = [(x, y) for x in only_a for y in only_b if is_slip(x, y)]
    slips = dict((y, x) if _is_everyday(x) else (x, y) for x, y in pairs)
    return slips if len(slips) == len(pairs) <= _MOST_SLIPS else {}


def is_slip(a: str, b: str) -> bool:
    """Whether one of the two is an everyday word and the other a slip of it.

    Slips: a letter left out, doubled or swapped with its neighbour; in words of eight
    letters and more also one changed or put in. The first and last letter stand.
    """
    if _is_everyday(a) == _is_everyday(b):
        return False
    word, typed = (a, b) if _is_everyday(a) else (b, a)
    if _are_plurals(word, typed):
        word, typed = word[:-1], typed[:-1]
    if typed in _NOT_SLIPS or not (typed.isascii() and typed.isalpha()):
        return False
    if typed[0] != word[0] or typed[-1] != word[-1] or abs(len(typed) - len(word)) > 1:
        return False
    start = _shared(word, typed)
    return _is_one_slip(word, typed, start)


def _are_plurals(word: str, typed: str) -> bool:
    """Whether the slip must be one without the s: "tablets" are no "tables".

    Letters that only changed places ("evenigns") may be those before the s.
    """
    is_plural = word[-1] == typed[-1] == "s" and word not in EVERYDAY
    return is_plural and sorted(word) != sorted(typed)


def _is_everyday(word: str) -> bool:
    return word in EVERYDAY or (word[-1:] == "s" and word[:-1] in EVERYDAY)


def _shared(word: str, typed: str) -> int:
    """How many letters the two share at the start."""
    pairs = zip(word, typed, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), 0)


def _is_one_slip(word: str, typed: str, at: int) -> bool:
    if len(typed) < len(word):
        return typed[at:] == word[at + 1 :]
    if len(typed) > len(word):
        is_doubled = typed[at] == typed[at - 1]
        return (is_doubled or len(word) >= _LONG) and typed[at + 1 :] == word[at:]
    if (
        typed[at + 2 :] == word[at + 2 :]
        and typed[at : at + 2] == word[at + 1 : at - 1 : -1]
    ):
        return True
    return len(word) >= _LONG and typed[at + 1 :] == word[at + 1 :]
