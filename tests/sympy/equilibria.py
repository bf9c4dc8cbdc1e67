"""Equilibria of polynomial systems as SymPy isolates them: the fixture `equilibria.json`.

    pip install sympy==1.14.0
    python tests/sympy/equilibria.py

Each system has a potential with small whole coefficients in x and y, alone or on a conic. The equations grad V = lambda grad f,
f = 0 are brought to a lexicographic Groebner basis in which x and lambda are polynomials of y; the real roots of the one in y
are isolated by exact arithmetic. Stored are the solutions in the box, to 20 digits; systems with a solution near an edge of it are
left out. Nothing of holonom takes part.
"""

import json
import random
from pathlib import Path

from sympy import Poly, groebner, symbols

SEED, COUNT, BOX = 22, 12, 3
x, y, u = symbols("x y u")


def system(rng, constrained):
    """V and f, in the grammar of both."""
    terms = [(i, j) for i in range(5) for j in range(5) if 0 < i + j <= 4]
    chosen = rng.sample(terms, 4) + [(2, 0), (0, 2)]
    potential = " + ".join(f"({rng.randint(-5, 5)})*x**{i}*y**{j}" for i, j in chosen)
    a, b, c, d = (rng.randint(1, 4) for _ in range(4))
    return potential, f"{a}*x**2 + {b}*y**2 + {c - 2}*x*y - {d}" if constrained else None


def solutions(potential, constraint):
    """All real (x, y), or None where the basis has another shape."""
    names = {"x": x, "y": y}
    v, f = (eval(text, names) for text in (potential, constraint or "0*x"))
    equations = [(v - u * f).diff(q) for q in (x, y)] + [f] * bool(constraint)
    basis = list(groebner(equations, *[u] * bool(constraint), x, y, order="lex").exprs)
    last, linear = Poly(basis[-1], y), Poly(basis[-2], x)
    if not basis[-1].has(y) or basis[-1].has(x) or linear.degree() != 1 or linear.LC().has(y):
        return None
    value = -linear.nth(0) / linear.LC()
    return [(value.subs(y, root.evalf(80)).evalf(60), root.evalf(60)) for root in set(last.real_roots())]


def main():
    rng, found = random.Random(SEED), []
    while len(found) < COUNT:
        potential, constraint = system(rng, len(found) % 2)
        try:
            all_ = solutions(potential, constraint)
        except (IndexError, AttributeError):
            continue
        if not all_ or any(abs(abs(v) - BOX) < 0.01 for p in all_ for v in p):
            continue
        inside = sorted([str(v.evalf(20)) for v in p] for p in all_ if max(map(abs, p)) < BOX)
        found.append({"potential": potential, "constraint": constraint, "solutions": inside})
    path = Path(__file__).with_name("equilibria.json")
    path.write_text(json.dumps({"box": BOX, "systems": found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
