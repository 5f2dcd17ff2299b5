"""Words that can be exchanged without asking for something else.

Each line is a set, its first word the canonical one. Left out on purpose: words that
are synonyms in one sense and opposites or neighbours in another (rent and let, lend
and borrow, cover and insure, block and lock, restart and reset, close and delete).
"""

from stepcache_proxy.reuse.constraints.lists import words


def _sets(lines: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for line in filter(str.strip, lines.splitlines()):
        first, *others = line.split()
        table.update(dict.fromkeys(others, first))
    return table


# Anywhere in a sentence.
ANYWHERE = _sets("""
    buy purchase
    parcel package
    trip journey
    luggage baggage
    vacuum hoover
    flatmate roommate housemate
    schedule timetable
    resign quit
    faulty defective
    nearest closest
    required needed
    document paperwork
    dose dosage
    teenager teen
    recommend suggest
    useful helpful
    largest biggest
    fastest quickest
    begin start commence
    big large
    fix repair mend
    car automobile
    photo picture photograph pic
    remove eliminate
    choose select
    phone telephone
    television tv telly
    fridge refrigerator
    vaccine jab vaccination
    child kid
    children kids
    doctor physician gp
    lawyer attorney
    film movie
    flat apartment
    lift elevator
    garbage trash rubbish
    petrol gasoline
    pavement sidewalk
    truck lorry
    holiday vacation
    shop store
    chemist pharmacy drugstore
    medicine medication
    warranty guarantee
    delivery shipping
    deliver ship
    staff personnel employees
    wage wages
    reply respond
    error mistake
    quick fast rapid
    quickly rapidly
    hard difficult
    easy simple
    ill sick
    glad happy
    rich wealthy
    famous renowned
    entire whole
    incorrect wrong
    important significant
    enough sufficient
    nearly almost
    often frequently
    maybe perhaps
    also additionally
    however nevertheless
    therefore hence thus
    approximately roughly
    until till
    although though
    whilst while
    amongst among
    between betwixt
    beneath underneath
    towards toward
    require need
    attempt try
    allow permit
    allowed permitted
    forbidden prohibited
    obtain acquire
    inform notify
    finish complete
    speak talk
    decrease reduce
    happen occur
    demonstrate illustrate
    construct build
    vanish disappear
    annual yearly
    maximum max
    info information
    ad advert advertisement
    exam examination
    lab laboratory
    gym gymnasium
    uni university
    bike bicycle
    plane airplane aeroplane
    paediatrician pediatrician
    couch sofa settee
    mum mom mam
    dad daddy
    grandma granny grandmother
    grandpa grandfather
    puppy pup
    kitten kitty
    tap faucet
    nappy diaper
    torch flashlight
    jumper sweater
    trousers slacks
    aubergine eggplant
    courgette zucchini
    coriander cilantro
    maths math mathematics
    colour color
    favourite favorite
    neighbour neighbor
    behaviour behavior
    flavour flavor
    labour labor
    honour honor
    humour humor
    harbour harbor
    rumour rumor
    centre center
    theatre theater
    metre meter
    litre liter
    fibre fiber
    organise organize
    organisation organization
    realise realize
    recognise recognize
    apologise apologize
    customise customize
    optimise optimize
    summarise summarize
    analyse analyze
    authorise authorize
    minimise minimize
    maximise maximize
    memorise memorize
    prioritise prioritize
    cancelled canceled
    cancelling canceling
    travelling traveling
    travelled traveled
    traveller traveler
    labelled labeled
    modelling modeling
    fulfil fulfill
    enrol enroll
    enrolment enrollment
    install instal
    skilful skillful
    jewellery jewelry
    licence license
    defence defense
    offence offense
    catalogue catalog
    dialogue dialog
    programme program
    grey gray
    ageing aging
    mould mold
    plough plow
    sceptical skeptical
    aluminium aluminum
    pyjamas pajamas
    yoghurt yogurt
    cosy cozy
    doughnut donut
    paracetamol acetaminophen
    adrenaline epinephrine
    sept september
    okay ok alright
""")

# Only as the verb of a request: after "how do I", "can I", or at the start.
AS_VERB = _sets("""
    get obtain
    reserve book
    order request
    dispute challenge contest
    submit lodge file
    find locate
    see view
    delete erase
    begin start
    make create
    get receive
    enlarge expand
    stop halt
    call ring phone
    use utilise utilize
    keep retain
    buy purchase
    unblock unclog
    install fit
    switch swap
    calculate compute
    describe depict
""")

# Exchangeable as the verb of a request only about such things.
WITH_OBJECT = {
    **dict.fromkeys(("update", "alter", "modify", "amend"), ("change", "details")),
    **dict.fromkeys(("freeze", "lock"), ("freeze", "cards")),
    **dict.fromkeys(("unfreeze", "unlock"), ("unfreeze", "cards")),
    **dict.fromkeys(("check", "see", "view"), ("check", "records")),
    **dict.fromkeys(("send", "submit"), ("submit", "forms")),
    **dict.fromkeys(("open", "create", "set-up"), ("open", "accounts")),
    **dict.fromkeys(("pay", "settle"), ("pay", "bills")),
    **dict.fromkeys(("cancel", "terminate", "end"), ("cancel", "contracts")),
    **dict.fromkeys(("change", "switch", "swap"), ("switch", "providers")),
    **dict.fromkeys(("bring", "take"), ("bring", "companions")),
    **dict.fromkeys(("track", "trace", "follow"), ("track", "parcels")),
}
OBJECTS = {
    "details": words("""
    address detail name surname username email number profile preference
    password information info
"""),
    "cards": frozenset({"card", "account"}),
    "records": words("balance usage statement status history score result point"),
    "forms": words("reading application form claim document"),
    "accounts": frozenset({"account"}),
    "bills": frozenset({"bill", "invoice", "fine"}),
    "contracts": words("subscription membership contract policy plan trial tenancy"),
    "providers": words("tariff provider supplier bank dentist doctor gp"),
    "companions": words("""
    dog cat pet bike bicycle pushchair luggage food guest child
    baby
"""),
    "parcels": words("order parcel package delivery shipment"),
}
IRREGULAR_PLURALS = {
    "children": "child",
    "kids": "child",
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "feet": "foot",
    "teeth": "tooth",
    "mice": "mouse",
    "geese": "goose",
    "wives": "wife",
    "knives": "knife",
    "lives": "life",
    "leaves": "leave",
    "shelves": "shelf",
    "halves": "half",
    "shoes": "shoe",
    "potatoes": "potato",
    "tomatoes": "tomato",
    "has": "have",
    "does": "do",
    "goes": "go",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
    "pies": "pie",
    "movies": "movie",
    "cookies": "cookie",
    "calories": "calorie",
    "selfies": "selfie",
    "zombies": "zombie",
    "hoodies": "hoodie",
    "taxes": "tax",
    "axes": "axe",
    "caches": "cache",
    "headaches": "headache",
    "aches": "ache",
    "cliches": "cliche",
    "avalanches": "avalanche",
    "creches": "creche",
}
OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in words("""
on/off open/closed open/close increase/decrease lock/unlock
    include/exclude included/excluded allowed/banned allowed/forbidden allow/forbid
    enable/disable start/stop begin/end add/remove upgrade/downgrade accept/reject
    accept/refuse buy/sell push/pull in/out up/down raise/lower win/lose hide/show
    import/export install/uninstall public/private active/inactive true/false yes/no
    safe/dangerous safe/unsafe legal/illegal possible/impossible like/dislike
    agree/disagree connect/disconnect encrypt/decrypt arrive/depart arrival/departure
    benefit/downside advantage/disadvantage pro/con good/bad hot/cold credit/debit
    borrow/lend send/receive join/leave successful/unsuccessful before/after
    with/without more/less most/least maximum/minimum
""")
)

# Verbs whose "-ing" form is read after "how do I go about".
VERBS = words("""
    accept access achieve activate add adjust allow apply appeal approve arrange ask
    assign attach avoid back bake become begin block boil book boost borrow build buy
    calculate call cancel care carry cash catch challenge change charge check choose
    claim clean clear close collect compare complain complete configure confirm connect
    contact convert cook copy correct create cure cut deal deactivate decline delete
    deliver deploy design disable dispute divide download draw drive dry dye edit enable
    end enrol enter exchange export extend file fill find finish fit fix follow format
    freeze fry get give go grow handle hide hire import improve increase inform insert
    install invite join keep launch learn leave lend link list lock log lose lower make
    manage measure merge migrate mount move multiply open order organise pair park pay
    pick plan plant play post prepare prevent print protect prove publish purchase put
    read rebuild receive record recover recycle redeem reduce refund refuse register
    reheat reject release remove renew rent repair replace reply report request reset
    restart restore resolve retrieve return run save schedule select sell send set
    share ship show sign solve split start stop store stream submit swap switch take
    teach terminate test track train transfer translate treat turn type unblock
    uninstall unlock unsubscribe update upgrade upload use validate verify view visit
    wash water withdraw work write
""")
