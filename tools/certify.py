#!/usr/bin/env python3
"""Verifies certificates: python3 tools/certify.py FILE...

Written from docs/certificates.md, which has the format and the theorems; nothing but Python's
standard library is used. It reads a system and claims about it, derives every equation and
derivative itself, and goes through the evidence step by step. It says VERIFIED and what, or the
first step that fails. Exit code: 0, or 1 where something is not verified.
"""
import ast
import json
import sys
from fractions import Fraction
from functools import lru_cache, reduce
from math import isqrt

class Refused(Exception):
    """What is not shown, or not written as it should be."""

class Nowhere(Refused):
    """An expression is defined nowhere on a box."""

def need(condition, why):
    if not condition:
        raise Refused(why)

# --- Numbers -------------------------------------------------------------------------------------
# A number is a whole number v that stands for v/ONE. Python's whole numbers are exact: sums are
# exact, and // rounds down. An interval is a pair (lo, hi) of numbers.

BITS = 192
ONE = 1 << BITS

up = lambda v, bits=BITS: -(-v >> bits)  # v / 2^bits, rounded up
add = lambda a, b: (a[0] + b[0], a[1] + b[1])
neg = lambda a: (-a[1], -a[0])
sub = lambda a, b: (a[0] - b[1], a[1] - b[0])
meet = lambda a, b: (max(a[0], b[0]), min(a[1], b[1]))
hull = lambda a, b: (min(a[0], b[0]), max(a[1], b[1]))
within = lambda a, b: b[0] <= a[0] and a[1] <= b[1]
inside = lambda a, b: b[0] < a[0] and a[1] < b[1]
apart = lambda a, b: a[1] < b[0] or b[1] < a[0]
has_zero = lambda a: a[0] <= 0 <= a[1]
point = lambda v: (v, v)
middle = lambda a: (a[0] + a[1]) // 2
ZERO, UNIT = (0, 0), (ONE, ONE)

def mul(a, b):
    if a == ZERO or b == ZERO:
        return ZERO
    ends = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    return min(ends) >> BITS, up(max(ends))

def inverse(a):
    need(not has_zero(a), "a divisor may be zero")
    return ONE * ONE // a[1], -(-ONE * ONE // a[0])

def power(a, n):
    """a**n for a whole n that is not 0; from its size where n is even, it rises with that."""
    need(abs(n) < 1000, "a power is too large")
    if n < 0:
        return inverse(power(a, -n))
    if n % 2 == 0:
        a = max(0, a[0], -a[1]), max(-a[0], a[1])
    return a[0] ** n >> BITS * (n - 1), up(a[1] ** n, BITS * (n - 1))

enclosed = lambda q: (q.numerator * ONE // q.denominator, -(-q.numerator * ONE // q.denominator))

def double(text):
    """A double in hexadecimal notation, rounded down where it is too fine."""
    n, d = float.fromhex(text).as_integer_ratio()
    return n * ONE // d

# --- Functions -----------------------------------------------------------------------------------
# At a number, by series. Each term is cut off by less than one unit and less than twice that of the
# term before, which is at most half of it; a series of less than 200 terms misses by less than
# 1000 units. It ends where its terms are below one unit: what is left is smaller than the last term
# (alternating), or than twice that. Multiples of PI and LOG_2 miss by less than 2^36 units for
# what is allowed here. SLACK is far more than all of that together.

SLACK = 1 << 40
about = lambda v: (v - SLACK, v + SLACK)

cut = lambda n, d: n // d if n >= 0 else -(-n // d)  # n/d toward zero

def series(first, factor):
    """first + first*f(1) + first*f(1)*f(2) + ..., where factor(k) is f(k) = n/(d*ONE) as n, d."""
    total, term, k = 0, first, 0
    while term:
        total, k = total + term, k + 1
        n, d = factor(k)
        term = cut(term * n, d * ONE)
    return total

def odd_series(z, sign):
    """The sum of sign^k z^(2k+1)/(2k+1): artanh for a sign of 1, arctan for -1; |z| < ONE/2."""
    square = sign * (z * z // ONE)
    return series(z, lambda k: (square * (2 * k - 1), 2 * k + 1))

half_angle = lambda z: z * ONE // (ONE + isqrt(ONE * ONE + z * z))  # tan(arctan(z)/2)
PI = 16 * odd_series(ONE // 5, -1) - 4 * odd_series(ONE // 239, -1)  # Machin
LOG_2 = 2 * odd_series(ONE // 3, 1)

@lru_cache(None)
def sin_at(v):
    """sin(v), |v| < 2e6."""
    turns = (2 * v + PI) // (2 * PI)
    r = v - turns * PI  # pi/2 and a little at most
    value = series(r, lambda k: (-(r * r // ONE), 2 * k * (2 * k + 1)))
    return meet(about(-value if turns % 2 else value), (-ONE, ONE))

def sine(a):
    """At the ends, and 1 or -1 where a meets an odd multiple of pi/2."""
    if max(-a[0], a[1]) > 10**6 * ONE or a[1] - a[0] > 7 * ONE:
        return -ONE, ONE
    ends = sin_at(a[0]) + sin_at(a[1])
    k = -(-2 * (a[0] - SLACK) // PI)
    while k * PI <= 2 * (a[1] + SLACK):
        ends += (0, ONE, 0, -ONE)[k % 4],
        k += 1
    return min(ends), max(ends)

@lru_cache(None)
def exp_at(v):
    """exp(v) = 2^n exp(r), |r| <= log(2)/2 and a little."""
    need(v <= 2000 * ONE, "an exponential is too large")
    n = (2 * v + LOG_2) // (2 * LOG_2)
    r = v - n * LOG_2
    lo, hi = about(series(ONE, lambda k: (r, k)))
    return (lo << n, hi << n) if n >= 0 else (lo >> -n, up(hi, -n))

@lru_cache(None)
def log_at(v):
    """log(2^n s) with s between 1/2 and 1; v > 0."""
    n = v.bit_length() - BITS
    s = v >> n if n >= 0 else v << -n
    return about(2 * odd_series((s - ONE) * ONE // (s + ONE), 1) + n * LOG_2)

@lru_cache(None)
def arctan_at(v):
    turned = abs(v) > ONE  # arctan(v) = pi/2 sign(v) - arctan(1/v)
    z = half_angle(half_angle(half_angle(ONE * ONE // v if turned else v)))
    value = 8 * odd_series(z, -1)
    return about((PI if v > 0 else -PI) // 2 - value if turned else value)

rising = lambda f: lambda a: (f(a[0])[0], f(a[1])[1])
FUNCTIONS = {  # each with its derivative, of the argument's expression
    "sin": (sine, lambda u: call("cos", u)),
    "cos": (lambda a: sine(add(a, about(PI // 2))), lambda u: minus(call("sin", u))),
    "exp": (rising(exp_at), lambda u: call("exp", u)),
    "atan": (rising(arctan_at), lambda u: raised(plus(num(1), raised(u, 2)), -1)),
    "log": (rising(log_at), lambda u: raised(u, -1)),
}
# The others are made of these; where a domain ends, and abs and sign have a kink, they are not C^1.
MADE_OF = {
    "tan": "sin(u)/cos(u)", "sinh": "(exp(u) - exp(-u))/2", "cosh": "(exp(u) + exp(-u))/2",
    "tanh": "1 - 2/(1 + exp(2*u))", "abs": "(u**2)**(1/2)", "sign": "u/(u**2)**(1/2)",
    "asin": "atan(u/(1 - u**2)**(1/2))", "acos": "2*atan((1 - u)/(1 - u**2)**(1/2))",
    "atan2": "2*atan(u/((u**2 + w**2)**(1/2) + w))",
}

# --- Expressions ---------------------------------------------------------------------------------
# Numbers into NODES; equal expressions are the same number. A node is ("num", q), ("var", k),
# ("+", a, b), ("*", a, b), ("^", a, q) with a fraction q, or (name of a function, a).

NODES, PLACES = [], {}

def make(*node):
    if node not in PLACES:
        PLACES[node] = len(NODES)
        NODES.append(node)
    return PLACES[node]

num = lambda q: make("num", Fraction(q))
value_of = lambda e: NODES[e][1] if NODES[e][0] == "num" else None
minus = lambda a: product(num(-1), a)

def joined(kind, a, b, unit, whole):
    """a + b or a*b: of two numbers the whole, and b where a is the unit."""
    if value_of(a) is not None and value_of(b) is not None:
        return num(whole(value_of(a), value_of(b)))
    return b if a == unit else a if b == unit else make(kind, a, b)

plus = lambda a, b: joined("+", a, b, num(0), Fraction.__add__)
product = lambda a, b: (num(0) if num(0) in (a, b) else
                        joined("*", a, b, num(1), Fraction.__mul__))

def raised(a, q):
    p, q = value_of(a), Fraction(q)
    if p is not None and q.denominator == 1 and (p != 0 or q > 0):
        return num(p ** int(q))
    return num(1) if q == 0 else a if q == 1 else make("^", a, q)

def call(name, a):
    if value_of(a) == 0 and name != "log":
        return num(1 if name in ("cos", "exp") else 0)
    return make(name, a)

def to_the(a, b):
    q = value_of(b)
    return call("exp", product(b, call("log", a))) if q is None else raised(a, q)

OPERATIONS = {
    ast.Add: plus, ast.Sub: lambda a, b: plus(a, minus(b)), ast.Mult: product,
    ast.Div: lambda a, b: product(a, raised(b, -1)), ast.Pow: to_the,
}

def read(text, names, written):
    """An expression in Python's notation, of these names (each an expression). What it is made of
    is added to what is written: the expression is defined where all of that is."""
    need(text.isascii() and text.isprintable() and "#" not in text, "a text tells something else")

    def walked(node):
        written.append(understood(node))
        return written[-1]

    def understood(node):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return num(node.value)
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return minus(walked(node.operand))
        if isinstance(node, ast.BinOp):
            left, right = walked(node.left), walked(node.right)
            if isinstance(node.op, ast.Div):
                written.append(raised(right, -1))
            return OPERATIONS[type(node.op)](left, right)
        name, parts = node.func.id, [walked(a) for a in node.args]
        need(len(parts) == (2 if name == "atan2" else 1) and not node.keywords,
             "a function has one argument")
        if name in FUNCTIONS:
            return call(name, parts[0])
        return read(MADE_OF[name], dict(zip("uw", parts)), written)
    return walked(ast.parse(text.strip(), mode="eval").body)

@lru_cache(None)
def derivative(e, x):
    kind, *parts = NODES[e]
    if kind in ("num", "var"):
        return num(1 if e == x else 0)
    if kind == "+":
        return plus(*(derivative(a, x) for a in parts))
    a, b = parts[0], parts[-1]
    if kind == "*":
        return plus(product(derivative(a, x), b), product(a, derivative(b, x)))
    inner = derivative(a, x)
    if value_of(inner) == 0:
        return num(0)
    outer = product(num(b), raised(a, b - 1)) if kind == "^" else FUNCTIONS[kind][1](a)
    return product(outer, inner)

@lru_cache(None)
def is_variable(e):
    kind, *parts = NODES[e]
    return kind == "var" or any(isinstance(a, int) and is_variable(a) for a in parts)

@lru_cache(None)
def substituted(e, x, by):
    """e with `by` for the variable x."""
    kind, *parts = NODES[e]
    if kind in ("num", "var"):
        return by if e == x else e
    a = substituted(parts[0], x, by)
    if kind in ("+", "*"):
        return {"+": plus, "*": product}[kind](a, substituted(parts[1], x, by))
    return raised(a, parts[1]) if kind == "^" else call(kind, a)

def joint(p, q):
    """The product of two products of powers."""
    powers = dict(p)
    for a, n in q:
        powers[a] = powers.get(a, 0) + n
    return tuple(sorted((a, n) for a, n in powers.items() if n))

@lru_cache(None)
def polynomial(e):
    """e multiplied out: a number for each product of powers of what is no sum or product."""
    kind, *parts = NODES[e]
    if kind == "num":
        return {(): parts[0]} if parts[0] else {}
    if kind == "^" and parts[1].denominator == 1 and 1 < parts[1] < 10:
        kind, parts = "*", (parts[0], raised(parts[0], parts[1] - 1))
    if kind not in ("+", "*"):
        return {(tuple(parts) if kind == "^" else (e, Fraction(1)),): Fraction(1)}
    a, b = map(polynomial, parts)
    terms = [*a.items(), *b.items()] if kind == "+" else [
        (joint(p, q), v * w) for p, v in a.items() for q, w in b.items()]
    total = {}
    for p, v in terms:
        total[p] = total.get(p, 0) + v
    return {p: v for p, v in total.items() if v}

@lru_cache(None)
def flat(e):
    total = num(0)
    for powers, v in polynomial(e).items():
        term = num(v)
        for a, n in powers:
            term = product(term, raised(a, n))
        total = plus(total, term)
    return total

class Bounds:
    """Bounds on expressions over a box. Where smooth is said, everything has to be C^1 on all of
    it; else a root is taken over what of its argument lies in its domain."""
    def __init__(self, box, smooth):
        self.box, self.smooth, self.known = box, smooth, {}

    def of(self, e):
        if e not in self.known:
            self.known[e] = self.worked_out(*NODES[e])
        return self.known[e]

    def worked_out(self, kind, a, b=None):
        if kind == "num":
            return enclosed(a)
        if kind == "var":
            return self.box[a]
        if kind == "+":
            return add(self.of(a), self.of(b))
        if kind == "*":
            return power(self.of(a), 2) if a == b else mul(self.of(a), self.of(b))
        if kind == "^":
            return self.raised(self.of(a), b)
        if kind == "log":
            need(self.positive(self.of(a))[0] > 0, "a logarithm has no bound")
        return FUNCTIONS[kind][0](self.of(a))

    def positive(self, a):
        need(a[0] > 0 or not self.smooth, "a function may be undefined or not smooth")
        if a[1] < 0:
            raise Nowhere("a function is not defined")
        return max(a[0], 0), a[1]

    def raised(self, a, q):
        if q.denominator == 1:
            return power(a, int(q))
        if q < 0:
            return inverse(self.raised(a, -q))
        a = self.positive(a)
        end = lambda v: rising(exp_at)(mul(enclosed(q), log_at(v))) if v else ZERO
        return end(a[0])[0], end(a[1])[1]

# --- The system ----------------------------------------------------------------------------------

def side(pair):
    lo, hi = map(double, pair)
    need(lo <= hi, "a side is turned")
    need([lo / ONE, hi / ONE] == list(map(float.fromhex, pair)), "a side is too fine")
    return lo, hi

def sides_of(pairs, number):
    need(len(pairs) == number, "a side for each unknown and what is given")
    return [side(pair) for pair in pairs]

def known(value):
    """The side of a value that is a fraction, or a side."""
    return enclosed(Fraction(value)) if isinstance(value, str) else side(value)

def told(names, sides):
    return ", ".join(f"{name} = {lo / ONE!r}" if lo == hi else
                     f"{name} in [{lo / ONE!r}, {hi / ONE!r}]"
                     for name, (lo, hi) in zip(names, sides))

class System:
    """Variables: the coordinates, the time, then velocities, multipliers (mu first), levels of the
    constraints, and constants that are known by bounds only."""
    def __init__(self, data):
        self.data, self.coordinates, velocities = data, data["coordinates"], data["velocities"]
        constraints, constants = data["constraints"], data["constants"]
        self.names, rolling = self.coordinates + [data["time"]], data["velocity_constraints"]
        self.n, self.m = len(self.coordinates), len(constraints)
        variables = lambda names: [make("var", name) for name in names]
        *self.x, self.t = variables(self.names)
        self.v = variables(velocities)
        self.multipliers = variables(("u", b) for b in range(1 + self.m + len(rolling)))
        self.levels = variables(("y", b) for b in range(self.m))
        self.bounded = {name: side(a) for name, a in constants.items() if isinstance(a, list)}
        names = {name: make("var", name) if name in self.bounded else num(Fraction(value))
                 for name, value in constants.items()}
        self.bounded.update(dict.fromkeys(velocities, ZERO))  # they matter at rest only
        names.update(zip(self.names, [*self.x, self.t]))
        self.known, everything = names, {**names, **dict(zip(velocities, self.v))}
        at_rest = {**everything, **dict.fromkeys(velocities, num(0))}
        need(len(velocities) == len(data["forces"]) == self.n, "two for each coordinate")
        need(len(everything) == 2 * self.n + 1 + len(constants), "two things have one name")
        need(all(name.isascii() and name.isidentifier() for name in everything), "no name")
        # what is written of the constraints, and what else is: both are defined at an equilibrium
        self.of_constraints, self.of_others, moving = [], [], []
        own = lambda key: [read(c[key], names, self.of_constraints) for c in constraints]
        resting = lambda text: read(text, at_rest, self.of_others)
        self.f, levels = own("f"), own("level")
        self.f_of_level = [plus(plus(f, c), minus(y))
                           for f, c, y in zip(self.f, levels, self.levels)]
        self.lagrangian = read(data["lagrangian"], everything, moving)
        self.rolling = [read(c["f"], everything, moving) for c in rolling]
        self.potential = resting(data["lagrangian"])
        self.forces = list(map(resting, data["forces"]))
        self.rolling_at_rest = [resting(c["f"]) for c in rolling]
        sides = [c.get("side", "=") for c in constraints]
        need(set(sides) <= {"=", ">="}, "a constraint of no known side")
        self.sided = [b for b, side in enumerate(sides) if side == ">="]

    def told(self):
        """The system in words."""
        data, name = self.data, lambda own: json.dumps(own["name"])
        lines = [name(data), f"coordinates {', '.join(self.coordinates)}, velocities "
                 f"{', '.join(data['velocities'])}, time {data['time']}"]
        lines += [f"constraint {name(c)}: {c['f']} {c.get('side', '=')} 0, its level {c['level']}"
                  for c in data["constraints"]]
        lines += [f"velocity constraint {name(c)}: {c['f']} = 0"
                  for c in data["velocity_constraints"]]
        lines += [f"Lagrangian: {data['lagrangian']}; forces: {', '.join(data['forces'])}"]
        return lines + [f"where {key} = {value}" if isinstance(value, str) else
                        f"where {told([key], [side(value)])}"
                        for key, value in data["constants"].items()]

    def determinant(self, columns, rows):
        """det of columns and rows of the Jacobian, by expansion."""
        total = num(0 if rows else 1)
        for i, row in enumerate(rows):
            entry = derivative(self.f[row], self.x[columns[0]])
            if value_of(entry) != 0:
                minor = self.determinant(columns[1:], rows[:i] + rows[i + 1:])
                total = plus(total, product(product(num((-1) ** i), entry), minor))
        return total

    def statics(self, scales, released):
        """f = c, velocity constraints at rest, and mu S - sum scale u W at rest, where
        S = d2L/dx'dt - dL/dx - Q, without the constraints that are released."""
        mu, *u = self.multipliers
        rows = [[derivative(f, x) for x in self.x] for f in self.f]
        rows += [[derivative(a, v) for v in self.v] for a in self.rolling]
        equations = [f for b, f in enumerate(self.f) if b not in released]
        equations += self.rolling_at_rest
        for k, (x, v, force) in enumerate(zip(self.x, self.v, self.forces)):
            inertia = derivative(derivative(self.lagrangian, v), self.t)
            s = plus(inertia, minus(plus(derivative(self.potential, x), force)))
            total = product(mu, s)
            for b, (w, row) in enumerate(zip(u, rows)):
                if b not in released:
                    total = plus(total, product(num(-scales[b]), product(w, row[k])))
            equations.append(total)
        return equations

# --- Equations and steps -------------------------------------------------------------------------

def weighted(weights, sides):
    lows, highs = zip(*(mul(point(w), a) for w, a in zip(weights, sides)))
    return sum(lows), sum(highs)

class Equations:
    """f_i = 0 in variables, a side of a box each. A combination of them (a "reason") is an index,
    or a weight for each. `values` are expressions that are put for variables."""
    def __init__(self, system, f, variables, values=()):
        self.system, self.bounded, self.f, self.variables = system, system.bounded, f, variables
        # of what is multiplied out the slopes are too
        tidy = [flat if e == flat(e) else lambda e: e for e in f]
        self.slopes = [[tidied(derivative(e, v)) for v in variables] for e, tidied in zip(f, tidy)]
        self.values = dict(values)
        moves = lambda k: any(row[k] != num(0) for row in self.slopes)
        self.present = list(filter(moves, range(len(variables))))

    def put(self, k, text):
        """The same with an expression of other variables for one of them."""
        need(k in range(len(self.variables)) and k not in self.values, "what has no value is put")
        by, x = self.valued(read(text, self.system.known, [])), self.variables[k]
        new = lambda e: substituted(e, x, by)
        need(all(derivative(by, self.variables[j]) == num(0) for j in (k, *self.values)),
             "a value is given by itself")
        f = [flat(new(e)) for e in self.f]
        values = {**{j: new(e) for j, e in self.values.items()}, k: by}
        return Equations(self.system, f, self.variables, values)

    def valued(self, e):
        for k, by in self.values.items():
            e = substituted(e, self.variables[k], by)
        return e

    def filled(self, box):
        """The box with bounds of the values in their places."""
        bounds = self.bounds(box, smooth=True)
        return [bounds.of(self.values[k]) if k in self.values else a for k, a in enumerate(box)]

    def bounds(self, box, smooth=False):
        sides = dict(zip((NODES[v][1] for v in self.variables), box))
        bounds = Bounds({**sides, **self.bounded}, smooth)
        for e in self.f if smooth else ():
            bounds.of(e)  # refused where one is not C^1
        return bounds

    def combined(self, reason, term):
        if isinstance(reason, int):
            return term(reason)
        need(len(reason) == len(self.f), "a weight for each equation")
        return weighted(map(double, reason), map(term, range(len(self.f))))

    def has_none(self, box, reason, sides):
        """Has the combination no zero on the box: by its bounds, or by the mean value theorem in
        some sides, about the end where it is least or largest if it is monotone along a side?"""
        try:
            natural = self.bounds(box)
            if not has_zero(self.combined(reason, lambda i: natural.of(self.f[i]))):
                return True
            wide = self.bounds(box, smooth=True)
            slopes = {j: self.combined(reason, lambda i: wide.of(self.slopes[i][j])) for j in sides}
            for end in (0, 1):
                centre, moved = list(box), ZERO
                for j, (low, high) in slopes.items():
                    at = (box[j][end] if low >= 0 else
                          box[j][1 - end] if high <= 0 else middle(box[j]))
                    centre[j] = point(at)
                    moved = add(moved, mul((low, high), sub(box[j], centre[j])))
                there = self.bounds(centre)
                if not has_zero(add(moved, self.combined(reason, lambda i: there.of(self.f[i])))):
                    return True
            return False
        except Refused as why:
            return isinstance(why, Nowhere)

    def has_one(self, box, weights, unknowns):
        """For all values of the other variables exactly one of the unknowns: the image
        K(X) = c - A f(c) + (1 - A f'(X)) (X - c) lies inside of X (Krawczyk)."""
        count = sum(value_of(e) != 0 for e in self.f)
        need(len(unknowns) == count == len(weights), "as many equations as unknowns")
        centre = [point(middle(a)) if k in unknowns else a for k, a in enumerate(box)]
        wide, at = self.bounds(box, smooth=True), self.bounds(centre)
        for row, own in zip(weights, unknowns):
            image = sub(centre[own], self.combined(row, lambda i: at.of(self.f[i])))
            for k in unknowns:
                slope = self.combined(row, lambda i: wide.of(self.slopes[i][k]))
                rest = sub(UNIT if k == own else ZERO, slope)
                image = add(image, mul(rest, sub(box[k], centre[k])))
            if not inside(image, box[own]):
                return False
        return True

def walk(steps, box, equations, places=(), holds=None):
    """Goes through the steps of a tree, depth first. `places` are what "in" names, `holds` judges
    its leaves."""
    def none(equations, part, reason, k=None):
        single = isinstance(reason, int) and k is not None
        return equations.has_none(part, reason, [k] if single else range(len(box)))

    todo = [(box, equations)]
    for place, (kind, *rest) in enumerate(steps):
        need(todo, f"there are steps after the last, {place}")
        (part, own), held, kept, into = todo.pop(), False, [], None
        with_side = lambda k, new: [new if j == k else a for j, a in enumerate(part)]
        # what holds between two points has to hold all over the box
        need(holds is None or kind in ("cut", "holds"), f"step {place}: nothing is left out here")
        if kind == "cut":
            k, at = rest[0], double(rest[1])
            lo, hi = part[k]
            held, kept = lo <= at <= hi, [with_side(k, (at, hi)), with_side(k, (lo, at))]
        elif kind == "narrow":
            reason, k, *new = rest
            lo, hi = (double(end) if end else old for end, old in zip(new, part[k]))
            gone = [(part[k][0], lo), (hi, part[k][1])]
            held = lo <= hi and all(none(own, with_side(k, a), reason, k)
                                    for a in gone if a[0] < a[1])
            kept = [with_side(k, meet(part[k], (lo, hi)))]
        elif kind == "none":
            held = none(own, part, *rest)
        elif kind == "put":
            # r vanishes for this value of side k, and has no other zero along it
            reason, k, text = rest
            into = own.put(k, text)
            wide = with_side(k, hull(part[k], into.filled(part)[k]))
            held = into.f[reason] == num(0) and not has_zero(
                own.bounds(wide, smooth=True).of(own.slopes[reason][k]))
            kept = [part]
        elif kind == "in":
            values, sides = places[rest[0]] if 0 <= rest[0] < len(places) else ({}, [])
            same = {k: polynomial(e) for k, e in own.values.items()} == values
            held = len(sides) and same and all(map(within, part, sides))
        elif kind == "holds":
            held = holds and holds(part)
        if not held:
            where = told(map(str, range(len(part))), part)
            raise Refused(f"step {place} ({' '.join(map(str, (kind, *rest)))[:60]}) fails: {where}")
        todo += [(part, into or own) for part in kept]
    need(not todo, f"the steps end after {len(steps)}: a leaf is missing")

# --- Claims --------------------------------------------------------------------------------------

def is_p_matrix(b):
    """Is every real matrix in b a P-matrix: a > 0, and both what is left without the first row and
    column and the Schur complement of a are?"""
    if not b:
        return True
    (a, *right), *below = b
    need(a[0] > 0, "a pivot may be zero")
    schur = [[sub(d, mul(mul(c, inverse(a)), r)) for d, r in zip(row, right)] for c, *row in below]
    return is_p_matrix([row for _, *row in below]) and is_p_matrix(schur)

def is_choice(system, dependent):
    known = set(dependent) <= set(range(system.n)) and len(set(dependent)) == len(dependent)
    need(known and len(dependent) == system.m, "no choice of as many coordinates as constraints")
    return dependent

def is_one_matrix(system, block, box):
    """Is f(x) - f(y) = J z for a J at one point of the box, where z is 0 only for x = y: one row that
    is not constant; quadratic equations, at the middle; or sums of functions of one angle each, at
    the middle, with z = 2 sin((angle of x - angle of y)/2), or the whole difference?"""
    f, x = [system.f[i] for i in block["rows"]], [system.x[k] for k in block["columns"]]
    if sum(any(value_of(derivative(e, v)) is None for v in x) for e in f) <= 1:
        return True
    vanish = lambda es: not any(map(polynomial, es))
    places = range(len(x))
    by, angles = ([[Fraction(v) for v in row] for row in block.get(key, [
        [int(k == j) for j in places] for k in places])] for key in ("by", "angles"))
    need(all(sum(angles[k][j] * by[j][i] for j in places) == (k == i)
             for k in places for i in places), "angles that are not those of the directions")

    def along(es, k):
        terms = lambda e: (product(num(by[j][k]), derivative(e, x[j])) for j in places)
        return [reduce(plus, terms(e)) for e in es]

    second = [[along(along(f, k), i) for i in places] for k in places]
    if all(vanish(along(es, i)) for row in second for es in row for i in places):
        return True
    for k, row in enumerate(second):
        turn = sum(abs(q) * (box[i][1] - box[i][0]) for q, i in zip(angles[k], block["columns"]))
        once, thrice = along(f, k), along(row[k], k)
        if not all(vanish(row[i]) for i in places if i != k) or not (
                vanish(thrice) or vanish(map(plus, once, thrice)) and turn < 2 * PI - SLACK):
            return False
    return True

def judge(system, f, block, box):
    """Of a block: is it as is claimed, given bounds for f on a part?"""
    rows, columns = block["rows"], block["columns"]
    if block["kind"] == "det":
        need(is_one_matrix(system, block, box), "a block has no one matrix")
        det = system.determinant(columns, rows)
        det = Equations(system, [det, flat(det)], f.variables)  # as it comes, and multiplied out
        return lambda part, _: any(det.has_none(part, i, range(len(part))) for i in (0, 1))
    weights = [list(map(double, row)) for row in block["A"]]
    need(block["kind"] == "P" and all(len(w) == len(rows) for w in [*weights, weights]),
         "a block of no known kind")
    return lambda _, bounds: is_p_matrix(
        [[weighted(row, [bounds.of(f.slopes[i][k]) for i in rows]) for k in columns]
         for row in weights])

def one_to_one(system, claim):
    """F = (f, x_I, t) is one-to-one on a box of coordinates and t: the box, and that in words."""
    dependent, blocks = is_choice(system, claim["dependent"]), claim["blocks"]
    box = sides_of(claim["box"], system.n + 1)
    rows, columns = (sorted(i for b in blocks for i in b[key]) for key in ("rows", "columns"))
    need(rows == list(range(system.m)), "each constraint is in one block")
    need(columns == sorted(dependent), "each dependent coordinate is in one block")
    f, later = Equations(system, system.f, system.x + [system.t]), set(dependent)
    for b in blocks:
        need(len(b["columns"]) == len(b["rows"]), "a block is square")
        later -= set(b["columns"])
        need(all(value_of(f.slopes[i][k]) == 0 for i in b["rows"] for k in later),
             "the blocks are not triangular")
    judges = [judge(system, f, b, box) for b in blocks]

    def holds(part):
        try:
            bounds = f.bounds(part, smooth=True)
            return all(judged(part, bounds) for judged in judges)
        except Refused:
            return False

    walk(claim["steps"], box, f, holds=holds)
    names = ", ".join(system.coordinates[k] for k in dependent) or "(none)"
    where = told(system.names, box)
    return box, f"F is one-to-one with the dependent coordinates {names} for {where}"

def questions(system, claim):
    """What the zeros of a claim are called, the unknowns, what is given, and by released one-sided
    constraints and face (the multiplier that is 1) the equations and the other multipliers."""
    of, given, unknowns = claim["of"], {system.t: claim["t"]}, range(system.n)
    if of == "equilibria":
        scales, u = [Fraction(v) for v in claim["scales"]], system.multipliers
        need(len(scales) == len(u) - 1 and all(v > 0 for v in scales), "scales are not positive")
        faces = {}
        for choice in range(2 ** len(system.sided)):
            out = tuple(b for k, b in enumerate(system.sided) if choice >> k & 1)
            f, acting = system.statics(scales, out), [w for b, w in enumerate(u) if b - 1 not in out]
            for one in acting:
                faces[out, u.index(one)] = ([substituted(e, one, num(1)) for e in f],
                                            [w for w in acting if w != one])
        words = "extremal points" if system.data["objective"] else "equilibria"
        if any(derivative(e, system.t) != num(0) for f, _ in faces.values() for e in f):
            words += " while t is held"
    elif of == "singular points":
        dependent = is_choice(system, claim["dependent"])
        f = system.f + [flat(system.determinant(dependent, list(range(system.m))))]
        chosen = ", ".join(system.coordinates[k] for k in dependent)
        words = f"points of the constraints where det J_D = 0 for D = {chosen}"
    else:
        need(of == "inverse", f"no such claim: {of}")
        f, unknowns, levels = system.f_of_level, claim["dependent"], claim["levels"]
        others = {int(k): value for k, value in claim["at"].items()}
        need(sorted([*others, *unknowns]) == list(range(system.n)), "wrong coordinates")
        need(len(levels) == system.m, "a level for each constraint")
        given.update({system.x[k]: value for k, value in others.items()})
        given.update(zip(system.levels, levels))
        at = {system.coordinates[k]: value for k, value in others.items()}
        words = f"solutions for the levels {levels} with {at}"
    if of != "equilibria":
        faces = {((), None): (f, [])}
    for v, value in given.items():
        if isinstance(value, str):
            put = lambda e: substituted(e, v, num(Fraction(value)))
            faces = {key: (list(map(put, f)), others) for key, (f, others) in faces.items()}
    return words, {system.x[k]: system.coordinates[k] for k in unknowns}, given, faces

def conditions(system, released, sides, valued):
    """Of an equilibrium, by one-sided constraint: those that act push, others are kept. None where
    that is not so, else what is open (for members of a family)."""
    bounds, rest, (mu, *u) = Bounds({**{NODES[v][1]: a for v, a in sides.items()},
                                     **system.bounded}, False), [], system.multipliers
    for b in system.sided:
        sign = bounds.of(valued(system.f[b])) if b in released else mul(sides[mu], sides[u[b]])
        if sign[1] < 0 or b in released and sign[1] == 0:
            return None
        if sign[0] < 0 or b in released and sign[0] == 0:
            need(b in released, "it is not shown that a one-sided constraint pushes")
            rest.append(f"{system.data['constraints'][b]['name']} is kept")
    return rest

def zeros(system, claim):
    """Each zero that is listed exists and is alone in its own box, and where it is claimed there
    are no others."""
    words, unknowns, given, faces = questions(system, claim)
    box, complete, found, boxes = sides_of(claim["box"], len(unknowns)), claim["complete"], [], []
    written = system.of_constraints + system.of_others * (claim["of"] == "equilibria")
    keys = [(tuple(data.get("released", ())), data["face"]) for data in claim["faces"]]
    need(set(keys) <= set(faces) and len(set(keys)) == len(keys), "no such faces")
    need(not complete or len(keys) == len(faces), "a face is missing")
    size, names = len(box), list(unknowns.values())
    for key, data in zip(keys, claim["faces"]):
        f, others = faces[key]
        total = size + len(others)
        equations, places = Equations(system, f, [*unknowns, *others, *given]), []
        fixed = [known(value) for value in given.values()]
        for root in data["roots"]:
            own, over, puts = equations, root.get("over", []), root.get("put", [])
            for k, text in puts:
                need(k < total, "what is given is not put")
                own = own.put(k, text)
            sought = [k for k in own.present if k < total and k not in over]
            need(set(range(size, total)) <= {*sought, *own.values},
                 "a multiplier may have any value")
            wide, tight = sides_of(root["alone"], total), sides_of(root["at"], total)
            need(all(map(within, tight, wide)), "a solution lies outside of its box")
            for part in (wide, tight):
                need(own.has_one(part + fixed, root["A"], sought),
                     f"Krawczyk's image is not inside of {told(names, part)}")
            free = [k for k in range(size) if k not in sought and k not in own.values]
            need(all(tight[k] == wide[k] for k in free), "a side of what is free has two lengths")
            sides = own.filled(tight + fixed)
            smooth = equations.bounds(sides, smooth=True)
            for e in written:
                if is_variable(e):
                    smooth.of(e)
            # in other faces mu, the first of the others, must not be zero
            need(not key[1] or not has_zero(sides[size]), "the gradients may be dependent")
            place, places = sides[:size], places + [
                ({k: polynomial(e) for k, e in own.values.items()}, wide + fixed)]
            if any(apart(a, (-ONE, ONE)) for a in sides[size:size + len(others)]):
                continue  # a multiplier is larger than the one that is 1: of another face
            need(all(out != key[0] or free and many or any(map(apart, place, other))
                     for out, many, other in boxes), "a solution comes twice")
            boxes.append((key[0], free, place))
            sides = {**dict.fromkeys(system.multipliers, UNIT), **dict(zip(own.variables, sides))}
            rest = conditions(system, key[0], sides, own.valued) if key[1] is not None else []
            if rest is None:
                continue
            need(free or not rest, "it is not shown that a constraint is kept")
            pick = lambda which: told([names[k] for k in which], [place[k] for k in which])
            exact = [f"{names[k]} = {text}" for k, text in puts if k < size]
            single = [k for k in sought if k < size]
            parts = [pick(single)] * bool(single) + exact + [f"for every {pick(free)}"] * bool(free)
            where = "" if all(map(within, place, box)) else " (on the edge, or outside)"
            told_so = ", ".join(parts) + "".join(f", where {r}" for r in rest) + where
            found.append("" if any(map(apart, place, box)) else told_so)
        if complete:
            walk(data["steps"], box + [(-ONE, ONE)] * len(others) + fixed, equations, places)
    need(claim["count"] == len(found), "the number of solutions is another")
    found = list(filter(None, found))  # what lies outside of the box is not told
    which = (f"exactly these ({len(found)})" if found else "none") if complete else "at least these"
    words += f": {which} for {told(names, box)}"
    return "\n  ".join([f"at {system.data['time']} = {claim['t']}, {words}"] + found)

def cover(system, claim):
    """Every point of f = c in a box lies in one of the listed boxes, which are pieces on which F
    is one-to-one, or left."""
    box, places = sides_of(claim["box"], system.n + 1), []
    f = Equations(system, system.f, system.x + [system.t])
    for piece in claim["pieces"]:
        places.append(one_to_one(system, piece)[0])
        if "sign" in piece:
            at = f.bounds([point(middle(a)) for a in places[-1]])
            det = at.of(system.determinant(piece["dependent"], list(range(system.m))))
            need(det[0] > 0 if piece["sign"] > 0 else det[1] < 0, "det J_D has another sign")
    left = [sides_of(sides, len(box)) for sides in claim["left"]]
    walk(claim["steps"], box, f, [({}, sides) for sides in places + left])
    sizes = [Fraction(max(hi - lo for lo, hi in sides), ONE) for sides in left]
    rest = (f"or in {len(left)} boxes left, the longest side of which is {float(max(sizes)):.2g}"
            if left else "and nothing is left")
    return (f"every configuration with {told(system.names, box)} lies in one of "
            f"{len(claim['pieces'])} pieces, on each of which F is one-to-one, {rest}")

CLAIMS = {"one-to-one": lambda *a: one_to_one(*a)[1], "zeros": zeros, "cover": cover}

def certify(data):
    """What is verified: the system, and each claim, in words."""
    need(data["format"] == "holonom certificate" and data["version"] == 1, "of no known format")
    need(data["claims"], "nothing is claimed")
    system = System(data["system"])
    claims = [CLAIMS[claim["claim"]](system, claim) for claim in data["claims"]]
    return "\n  ".join(system.told()) + "".join(f"\n* {words}" for words in claims)

def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)

def main(paths):
    sys.setrecursionlimit(50000)
    failed = not paths
    for path in paths:
        try:
            print(f"VERIFIED: {path}: {certify(load(path))}")
        except Exception as why:  # whatever is not as it should be
            print(f"NOT VERIFIED: {path}: {type(why).__name__}: {why}")
            failed = True
    return int(failed)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
