"""Words of requests and worked answers whose meaning we know; all others are unread."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ASKING_WORDS = _words("""
    EQUATION VALUE |
    please kindly could can would will you do me i we us let's lets help need want
    like to be obliged grateful if thanks thank hi hello hey dear
    solve solving isolate find finding determine determining calculate calculating
    compute computing obtain get give tell know state work working out figure
    the a an this that these following given below above equation equations linear
    simple algebra algebraic maths math mathematics problem exercise one variable
    unknown solution solutions root value values answer number result final
    for of in on by with from at and so such where when which what what's is are
    it its must should does equal equals makes make true satisfies satisfy satisfying
    hold holds as your my all each every show showing explain explaining
    include including write down then just only reply respond return step steps
    stepwise detailed worked workings reasoning here through
    """)

# Words that change what an equation beside them says: denied, supposed, one of several.
SCOPE_WORDS = _words("""
    not no never nor neither none isn't doesn't don't didn't can't cannot won't wasn't
    aren't couldn't wouldn't shouldn't wrong incorrect incorrectly mistake error false
    invalid impossible unless if suppose supposing assume assuming were would could
    might may or either instead except without otherwise try trying guess guessing
    contradiction contradicts approximately about roughly nearly almost
    """)

ANSWER_WORDS = _words("""
    the a an this that these it its here there is are be being been was has have having
    we i you us our your my let's lets let me can will shall must need needs want to get
    gets getting gives give given gave obtain obtains obtained have find finding found
    leaves leaving left remains remain yields yield becomes become makes make means
    follows follow produces results result resulting equals equal
    so then thus therefore hence now next first second third firstly secondly finally
    lastly and also after before by of in on from for with as at which where when while
    because since that's both each side sides other same entire
    start starting begin beginning original equation equations linear simple write
    writing rewrite rewriting down again
    solve solving solution solutions solved isolate isolating isolated value values
    variable unknown constant constants coefficient term terms like number numbers
    alone itself answer final root step steps
    combine combining combined collect collecting collected simplify simplifying
    simplified simplifies simplification group grouping gather gathering bring bringing
    move moving keep keeping evaluate evaluating calculate calculating compute
    computing work working out reduce reducing reduces
    subtract subtracting subtracted subtracts add adding added adds divide dividing
    divided divides multiply multiplying multiplied multiplies
    expand expanding distribute distributing parentheses parenthesis brackets bracket
    fraction fractions denominator denominators decimal decimals clear clearing
    eliminate eliminating cancel cancels cancelling canceling remove removing undo
    right hand left-hand right-hand lhs rhs onto over into back
    check checking verify verifying verification verified substitute substituting
    substituted plug plugging correct indeed true holds hold satisfies satisfy
    confirms confirm confirming confirmed agree agrees match matches
    please sure okay ok great done
    respect using use apply applying operation operations perform performing do doing
    order say says gone disappears vanishes everything through
    """)

# Claims about the form of the equation, true only where it has that form.
SUM_WORDS = _words(
    "expand expanding distribute distributing parentheses parenthesis brackets bracket"
)
SIMPLIFY_WORDS = SUM_WORDS | _words(
    "simplify simplifying simplified simplifies simplification evaluate like"
)
QUOTIENT_WORDS = _words("fraction fractions denominator denominators")
DECIMAL_WORDS = _words("decimal decimals")
GIVEN_WORDS = _words("start starting begin beginning original given")
CHECK_WORDS = _words(
    """
    check checking verify verifying verification verified substitute
    substituting substituted plug plugging
    """
)
COLLECT_WORDS = _words(
    """
    collect collecting collected combine combining combined simplify simplifying
    simplified group grouping gather gathering bring bringing move moving
    """
)
SIDE_WORDS = _words("left right side sides lhs rhs left-hand right-hand")
PART_WORDS = _words("coefficient constant term terms")
GONE_WORDS = _words("gone disappears vanishes")
FINAL_WORDS = _words("answer solution value result root")

# A whole clause about how many solutions there are, found in words joined by blanks;
# VALUE stands for the unknown.
NO_SOLUTION = re.compile(
    r"(?:there (?:is|are) |(?:it |this |the (?:linear )?equation )?"
    r"(?:therefore )?has )?"
    r"no solutions?(?: exists?)?"
    r"|no (?:such )?(?:value|number)s?(?: (?:of|for) VALUE)? (?:is a solution"
    r"|(?:makes?|satisf(?:y|ies)) (?:it|this|the equation)(?: true)?|works?|exists?)"
    r"|(?:is|are) (?:never|not) true|which is (?:false|impossible|a contradiction)"
    r"|(?:is )?never true"
)
ALL_SOLUTIONS = re.compile(
    r"(?:there are |(?:it |this |the (?:linear )?equation )?(?:therefore )?has )?"
    r"(?:infinitely many|an infinite number of) solutions"
    r"|(?:every|any|all)(?: real)? numbers?(?: VALUE)?"
    r"(?: (?:is|are) (?:a )?solutions?)?"
    r"|(?:every|any) value(?: of VALUE)?(?: (?:is a solution|works|makes it true))?"
    r"|(?:is )?(?:always true|true for (?:every|any|all)(?: real)?"
    r" (?:numbers?|values?|VALUE)(?: of VALUE)?)"
)

# One of these is in every text with a claim in it, and is found sooner than the claim.
CLAIM_PARTS = ("no ", "true", "which is ", "solution", "number", "value")

# Questions about an equation, or for another one, in words that also ask to solve it.
NAMED_UNKNOWN = re.compile(
    r"\b(?:values? of|for|isolate|isolating|in)"
    r" (?:(?:the|this|that|an|one|my|your|given|following) )*(?:variable|unknown)\b"
)
_OBJECT = (
    r"(?:(?:me|us|down|out|the|a|an|one|this|that|these|following|given|simple|linear"
    r"|algebra|algebraic|maths?|mathematics|all|your|my|each|every|just|only|for|final"
    r") )*"
    r"(?:problem|exercise|equations?)"
)
OTHER_QUESTION = re.compile(
    r"(?<!would )\blike\b|\bsuch as\b|\bnumbers? of\b|\b(?:variable|unknown)\b"
    r"|\b(?:what|which) makes?\b|\bmakes?\b(?! (?:\S+ ){1,6}(?:true|hold)\b)"
    r"|\b(?:give|write|tell|find|finding|get|know|state|obtain|include|what is|what are"
    rf"|what's) {_OBJECT}\b"
    r"|\b(?:problem|exercise|equations?) with"
    r" (?:(?:the|a|an|this|that|following|given|final) )*"
    r"(?:answer|solutions?|value|result|root)\b"
    r"|(?<!VALUE )(?<!value )(?<!answer )(?<!solution )(?<!grateful )(?<!obliged )"
    r"(?<!\| )(?<!^)\bif\b"
)
