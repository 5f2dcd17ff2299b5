"""Wordings that ask for the same thing, as tables; ``HOW`` stands for "how do I".

Each line of a table is ``wording = canonical wording``, in lower case, contractions
expanded and articles left out. A line belongs here only if the two can be exchanged
in every question: where a word has a second sense that fits the same place (book an
order, book a page), it does not.
"""

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.reuse.constraints.tables import plain_words

HOW = "how-to"

_Options = dict[tuple[str, ...], tuple[str, ...]]
# First word -> the length of the longest wording that begins so, and the wordings.
Wordings = dict[str, tuple[int, _Options]]


def _table(lines: str) -> Wordings:
    """Wordings by their first word."""
    table: dict[str, _Options] = {}
    for line in filter(str.strip, lines.splitlines()):
        left, _, right = line.partition("=")
        for wording in left.split("|"):
            said = plain_words(wording)
            table.setdefault(said[0], {})[said] = plain_words(right)
    return {first: (max(map(len, known)), known) for first, known in table.items()}


def match(marks: list[str], at: int, table: Wordings) -> tuple[int, tuple[str, ...]]:
    """How many marks the longest wording at ``at`` takes, and what it stands for."""
    if marks[at] in table:
        longest, known = table[marks[at]]
        for length in range(min(longest, len(marks) - at), 0, -1):
            found = known.get(tuple(marks[at : at + length]))
            if found is not None:
                return length, found
    return 0, ()


def replaced(marks: list[str], table: Wordings) -> list[str]:
    """The marks with every wording of the table in its canonical form."""
    out: list[str] = []
    end = 0
    for at in [i for i, mark in enumerate(marks) if mark in table]:
        length, found = match(marks, at, table) if at >= end else (0, ())
        if length:
            out += marks[end:at]
            out += found
            end = at + length
    return [*out, *marks[end:]] if end else marks


# Said before the request itself; what follows is the request.
OPENINGS = _table("""
    hi | hello | hey | hiya | hello there | hi there | hey there | good morning =
    good afternoon | good evening | morning all | hi all | hello all | hi everyone =
    hi team | hello team | quick one | quick question | just quick question =
    ok | okay | so | well | right | um | uh | erm | hmm | ok so | okay so | and =
    sorry | excuse me | please | kindly | just wondering | i was just wondering =
    can you help | can you help me | could you help | could you help me =
    i need help | i need some help | need help | q | also | and also | oh | oh and =
    ah =
    by the way | one more thing | one more question | another question | next question =
    another one | last question | one last question | one last thing | yes | yep =
    great =
    perfect | cool | got it | i see | right so | right then | ok then | alright =
    query | hope you are well | i hope you are well | hope you are doing well =
    i hope you are doing well | i hope this finds you well | how are you | hi again =
    sorry to bother you | quick q | silly question | random question =
    bit of silly question | stupid question | dumb question | yeah | yeah so | yep so =
    um so | so um | so yeah | erm so | er | quick question for you | quick query =
    dear team | dear sir or madam | dear sir | to whom it may concern | morning =
    evening =
    just quick one | just one question | can i ask | may i ask | could i ask =
    can i just ask =
    i was wondering | i am wondering | was wondering | wondering | just checking =
    question | one question | i have question | i have quick question | help =
    i have got question | i have got quick question | thanks | thank you =
""")

# A question in these words is the question after them.
ASKINGS = _table("""
    tell me | please tell me | can you tell me | could you tell me =
    would you tell me | can you please tell me | could you please tell me =
    do you know | do you happen to know | any idea | any idea on | let me know =
    can you let me know | could you let me know | i want to know | i need to know =
    i would like to know | i wish to know | i am trying to find out =
    i am trying to work out | i am trying to figure out | can you explain =
    could you explain | please explain | explain to me | explain | show me =
    can you show me | could you show me | please show me | i want to understand =
    can you explain to me | could you explain to me | would you mind telling me =
    can anyone tell me | can someone tell me | help me understand =
    can you advise | please advise | could you advise | please could you tell me =
    please can you tell me | i am wondering | i was wondering | i wonder =
""")

FRAMES = _table("""
    how do i | how can i | how could i | how would i | how might i = how-to
    how do one | how can one | how to | how am i supposed to = how-to
    how do i go about | how can i go about | how would i go about = how-to
    how should i go about | how could i go about | how to go about = how-to
    what is way to | what is way of | what is method for | what is method of = how-to
    what is procedure for | what is process for | what is process of = how-to
    what is process to | what is procedure to | what is method to = how-to
    what are steps to | what are steps for | what steps do i take to = how-to
    what do i do to | what do i need to do to | what do i have to do to = how-to
    what must i do to | what should i do to | steps to | steps for = how-to
    what steps do i need to take to | what steps should i take to = how-to
    what way can i | in what way can i | in what way do i = how-to
    i want to know how to | i need to know how to = how-to
    can you help me to | could you help me to = help me
    can you help me | could you help me | please help me = help me
    is it possible to | is it possible for me to | would it be possible to = can i
    am i able to | could i | is there way to | is there any way to = can i
    am i allowed to | am i permitted to | may i = am i allowed to
    is it ok to | is it ok if i | is it okay to | is it okay if i = am i allowed to
    have you got | have you | do you have got | do you happen to have = do you have
    have i got = do i have
    would you happen to have = do you have
    how come = why
    for what reason | what is reason = why
    what is reason why | what is reason that | why is it that = why
    what is reason for | what is cause of | what are causes of = what cause
    what cause | what are reason for | what are reasons for = what cause
    in what place | at what place | whereabouts | where abouts = where
    at what time = what time
    on what date | on which date | which date = what date
    which person | what person = who
    what number of = how many
    what is number of | what is total number of | how many total = how many
    what amount of | what quantity of = how much
    how much money = how much
    what is amount of money | what is total amount of money = how much
    what length of time | how much time | for how long | what amount of time = how long
    how regularly | how frequently = how often
    what is definition of | define | please define = what is
    give me description of | provide description of | i need description of = describe
    write description of | write me description of = describe
    i want description of | i would like description of = describe
    what sort of | what kind of | what type of = what kind of
    which sort of | which kind of | which type of = what kind of
    what are some | name some | give me some | list some = what are some
    can you give me | could you give me | please give me = give me
""")

# Requests, not questions about ability, when "can you" stands before them.
REQUESTS = words("""
    solve write translate calculate compute convert find summarise summarize list
    describe explain give show tell name define provide generate create compare rewrite
    outline recommend suggest determine evaluate simplify identify classify draft
""")
POLITE_REQUEST = _table("""
    can you | could you | would you | will you | can you please | could you please =
    would you please | will you please | please can you | please could you =
    please would you | please will you | can you kindly | could you kindly =
    would you kindly | would you be able to | are you able to | i need you to =
    i want you to | i would like you to | can you help me | could you help me =
    can you help me to | could you help me to | help me | help me to =
    please help me | please help me to =
""")

CLOSINGS = _table("""
    thanks | thank you | many thanks | thanks in advance | thank you in advance =
    cheers | ta | thx | thanks so much | thank you so much | thank you very much =
    thanks lot | thanks very much | please | if possible | if you can =
    if you do not mind =
    any help appreciated | any help would be appreciated | any help would be great =
    please and thank you | appreciate it | much appreciated | kind regards | regards =
    please help | can you help | can you help me | could you help | help please =
    can anyone help | thanks for your help | thank you for your help =
    if that is ok | if you know | do you know | any idea =
""")

# Exchangeable anywhere.
PHRASES = _table("""
    free of charge | for free | at no cost | at no charge | without charge = free
    have lost = lost
    have forgotten = forgot
    adverse effect | adverse effects = side effect
    least expensive | most affordable = cheapest
    wi fi = wifi
    late charge = late fee
    call out charge | callout charge | callout fee = call out fee
    delivery charge | delivery cost | shipping cost | shipping fee = delivery fee
    booking charge = booking fee
    cancellation charge = cancellation fee
    using python | with python = in python
    using java | with java = in java
    using javascript | with javascript = in javascript
    using excel | with excel = in excel
    into = to
    onto = on
    what exactly = what
    how exactly = how
    how much is price of | how much is cost of = what is price of
    get rid of = remove
    in order to | so as to = to
    due to | because of | on account of | owing to = because-of
    as well as = and
    in spite of = despite
    prior to | ahead of = before
    with regard to | with respect to | in relation to | concerning | regarding = about
    in regard to | with regards to = about
    a lot of | lots of | lot of | plenty of = many
    at least | no fewer than | no less than | minimum of = at-least
    at most | no more than | maximum of = at-most
    per cent = percent
    each day | every day | per day | daily basis = daily
    each week | every week | per week = weekly
    each month | every month | per month = monthly
    each year | every year | per year | per annum = yearly
    three times = thrice
    two times = twice
    e mail = email
    web site = website
    log in to | log into | sign in to | sign into | login to = log-in-to
    log in | sign in | login | signin = log-in
    log out | sign out | log off = log-out
    log out of | sign out of = log-out-of
    sign up | register = sign-up
    sign up for | register for = sign-up-for
    set up | setup = set-up
    find out = find-out
    check in = check-in
    check out = check-out
    call up | ring up = call
    phone up = phone
    fill in | fill out = complete
    hand in | turn in = submit
    put off = postpone
    give back = return
    send back = return
    put on hold = pause
    speak to | speak with | talk with = talk to
    get in touch with = contact
    get hold of = contact
    make complaint = complain
    make complaint about = complain about
    make payment = pay
    make payment for = pay for
    make booking = reserve
    make reservation = reserve
    make appointment = book appointment
    get refund = get-refund
    get refund for = get-refund for
    get my money back = get-refund
    get money back = get-refund
    money back = refund
    insurance policy = insurance
    motor insurance = car insurance
    auto insurance | automobile insurance | vehicle insurance = car insurance
    motor policy | car policy = car insurance
    home insurance policy = home insurance
    mobile phone | cell phone | cellphone = mobile
    smart phone = smartphone
    power cut | power outage | blackout = power-cut
    united states | united states of america | usa = usa
    united kingdom = uk
    credit rating = credit score
    bank holiday = public holiday
    post code | zip code = postcode
    drivers licence | driver licence | driving license = driving licence
    drivers license | driver license = driving licence
    solve equation = solve
    pull request | merge request = pull-request
    repo = repository
    step by step guide to = how-to
    pros and cons = advantages and disadvantages
    is able to | are able to = can
    has to | have to | need to | needs to = have-to
    has got to | have got to | got to = have-to
    right away | straight away = immediately
    as soon as possible | asap = soon-as-possible
    for example | for instance | e.g = for-example
    such as = such-as
    etc = and-so-on
    and so on = and-so-on
    next to = beside
    close to = near
    instead of | rather than | in place of = instead-of
    as opposed to = instead-of
    on behalf of = on-behalf-of
    on top of = on-top-of
    in total | altogether | all together | in all = total
    make sense of = understand
    how much money = how much
    high blood pressure = hypertension
    one another = each other
    go on holiday | go on vacation = go on holiday
    take part in = participate in
    up to = up-to
    drawbacks | downsides = disadvantages
    drawback | downside = disadvantage
    working from home | home working | homeworking = remote work
    rubbish bin | trash can | garbage can = bin
""")

# The answer's form, wherever it is asked for.
FORMAT_PHRASES = _table("""
    into = to
    onto = on
    what exactly = what
    how exactly = how
    how much is price of | how much is cost of = what is price of
    step by step | and step by step | in steps = %steps
    show your steps | show steps | showing your steps | showing steps = %steps
    show all steps | show all your steps | showing all steps = %steps
    and show your steps | and show steps | with steps | with all steps = %steps
    show your working | show your work | show working = %steps
    showing your work | showing your working | show all work = %steps
    and show your working | and show your work | and show all work = %steps
    show your workings | show me steps | with working = %steps
    in one sentence | in single sentence = %one-sentence
    briefly | in brief | in short | keep it short | be brief | be concise = %brief
    concisely | keep it brief | shortly = %brief
    in detail | in depth | in great detail | be detailed = %detail
    in simple terms | in plain english | in simple words | in plain terms = %simple
    as bullet points | in bullet points | as bullet list | as bulleted list = %bullets
    using bullet points | with bullet points = %bullets
    as list | in list | in list form = %list
    as table | in table | in table form | as markdown table = %table
    as json | in json | in json format | as json object = %json
""")
FORMAT_MARK = "%"
