"""Words of requests and worked answers whose meaning we know; all others are unread."""

import re

from stepcache_proxy.reuse.constraints.lists import words
from stepcache_proxy.tasks.linear_equation.wording import SCOPE_WORDS as LINEAR_SCOPE

# Words that change what an equation beside them says: denied, supposed, asked.
SCOPE_WORDS = LINEAR_SCOPE - {"either", "or"}

ANSWER_WORDS = words("""
    the a an this that these those it its here there is are be being been was have has
    having we i you our your my let's lets us me can will must need needs want to get
    gets getting gives give giving given obtain obtains obtained find finding found
    leaves yields yield becomes become makes make means follows follow produces results
    result resulting equals equal so then thus therefore hence now next first second
    finally lastly and also after before by of in on from for with as at which where
    when because since or either both each other start starting begin
    original equation equations quadratic standard form write writing written rewrite
    rewriting down again as solve solving solution solutions value values variable
    unknown coefficient coefficients term terms like number numbers two whose answer
    final root roots zeros zero step steps combine combining collect collecting
    simplify simplifying simplified simplifies simplification evaluate calculate
    calculating compute computing work working out expand expanding multiply multiplied
    multiplies multiplying product sum add added adds adding up together
    factor factors factored factoring factorise factorize factorised factorized
    factorisation factorization factorising factorizing split splitting middle group
    grouping linear left right hand left-hand right-hand side sides onto
    bring bringing move moving set setting using use apply applying
    formula discriminant square completing take taking half rule property
    check checking verify verifying verification substitute substituting plug plugging
    back into correct indeed true holds hold satisfies satisfy works confirms confirm
    distinct different real rational double repeated exactly case cases
    respectively sure please ok okay done great identify identifying corresponding
    values numbers pair binomials
    """)

# Claims about the number of roots.
DISTINCT_WORDS = words("distinct different or")
DOUBLE_WORDS = words("double repeated")
ROOT_WORDS = words("root roots solution solutions zeros")
FINAL_WORDS = ROOT_WORDS | words("answer")
PAIR_WORDS = words("numbers factors pair")
THESE_WORDS = words("these are and")
ZERO_WORDS = words("zero equal equals")
GIVEN_WORDS = words("given original start starting begin")
ZERO_FACTOR_WORDS = words("factor factors product set side equation property")
ZERO_OTHER_WORDS = words(
    """
    sum coefficient coefficients solution solutions root roots term value values number
    numbers square middle half answer
    """
)
# A sentence that lists solutions has no other words.
LIST_WORDS = FINAL_WORDS | words("""
    the are is a an of to for in this that our where it we have has get find obtain
    therefore thus hence so then now finally final and or both two distinct different
    real rational double repeated possible values value x equation quadratic as these
    which be found following gives yields given original
    """)
# What may follow a number that is stated in prose.
NEXT_WORDS = words("and or because since respectively as so are is which where")
CHECK_WORDS = words(
    "check checking verify verifying verification substitute substituting plug plugging"
)

_PRODUCT = re.compile(
    r"(?:multiply|multiplies|multiplying|multiplied)(?: together)? to(?: give| get"
    r"| make)?|product(?: is| of| equal to| equals)?|product must be"
)
_SUM = re.compile(
    r"(?:add|adds|adding|added)(?: up| together)? to(?: give| get| make)?"
    r"|sum(?: is| of| equal to| equals)?|sum must be"
)


def role_of(heard: list[str]) -> str:
    """Whether the words before a number call it a product or a sum; else nothing."""
    for length in range(min(len(heard), 5), 0, -1):
        said = " ".join(heard[-length:])
        if _PRODUCT.fullmatch(said):
            return "product"
        if _SUM.fullmatch(said):
            return "sum"
    return ""
