"""Worked answers of our own to systems of two equations, to warm the cache with."""

WARM_SYSTEMS = (
    (
        "Solve 2*x + 3*y = 12, 3*x - 2*y = 5 for x.",
        "1. Multiply the first equation by 2: 4x + 6y = 24\n"
        "2. Multiply the second equation by 3: 9x - 6y = 15\n"
        "3. Add the two equations: 13x = 39\n"
        "4. Divide both sides by 13: x = 3\n\nAnswer: x = 3",
    ),
    (
        "Solve 4*a + 3*b = 10, 3*a - 2*b = -1 for b.",
        "Step 1: Multiply the first equation by 3 and the second equation by 4:\n"
        "12a + 9b = 30\n12a - 8b = -4\n"
        "Step 2: Subtract the second equation from the first: 17b = 34\n"
        "Step 3: Divide both sides by 17: b = 2",
    ),
    (
        "Solve 0 = 3*k + 2*n - 12, 5*n - 4*k - 7 = 0 for k.",
        "Write both equations in standard form:\n"
        "3k + 2n = 12\n-4k + 5n = 7\n\n"
        "Multiply the first equation by 5: 15k + 10n = 60\n"
        "Multiply the second equation by 2: -8k + 10n = 14\n"
        "Subtract the second equation from the first: 23k = 46\n"
        "Divide both sides by 23: k = 2",
    ),
    (
        "Solve p + 2*q = 8, 3*p - q = 3 for q.",
        "From the first equation, p = 8 - 2q. Substitute this into the second"
        " equation: 3(8 - 2q) - q = 3, so 24 - 7q = 3. Therefore q = 3.",
    ),
    (
        "Solve 5*c - 6 = 2*d + 2, c + 1 = 3*d - 6 for c.",
        "5c - 2d = 8 and c - 3d = -7. Eliminating d: 13c = 38, so c = 38/13.",
    ),
    ("Solve -3*u - 4*v = 2, 2*u = v - 5 for u.", "u = -2"),
    (
        "Solve r + s = 6, r - s = 2 for r.",
        "Adding the equations gives 2r = 8, so r = 4.",
    ),
    (
        "Solve 2*g = h + 1, 7*h - 5*g = 11 for h.",
        "Solve the first equation for g: g = \\frac{1}{2}h + \\frac{1}{2}.\n\n"
        "Substitute into the second equation:\n"
        "\\[7h - 5(\\frac{1}{2}h + \\frac{1}{2}) = 11\\]\n"
        "\\[\\frac{9}{2}h - \\frac{5}{2} = 11\\]\n"
        "\\[\\frac{9}{2}h = \\frac{27}{2}\\]\n"
        "\\[h = 3\\]",
    ),
    (
        "Solve w = 4*z - 3, 2*w + 3*z = 16 for z.",
        "Substitute w = 4z - 3 into the second equation: 2(4z - 3) + 3z = 16.\n"
        "Expand: 8z - 6 + 3z = 16.\nSimplify: 11z - 6 = 16.\n"
        "Add 6 to both sides: 11z = 22.\nDivide both sides by 11: z = 2.",
    ),
    (
        "Solve 6*e - 5*f = 7, 2*e + 3*f = 7 for f.",
        "To eliminate e, multiply the second equation by 3: 6e + 9f = 21. Subtract"
        " the first equation from the second: 14f = 14. Hence **f = 1**.",
    ),
)
"""Ten systems of different shapes with right answers in ordinary styles."""
