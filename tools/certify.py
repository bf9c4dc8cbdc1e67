#!/usr/bin/env python3
"""Verifies certificates: python3 tools/certify.py FILE...

Written from docs/certificates.md, which has the format and the theorems; nothing but Python's standard library is used.
It reads a system and claims about it, derives every equation and derivative itself, and goes through the evidence step
by step. It says VERIFIED and what, or the first step that fails. Exit code: 0, or 1 where something is not verified.

The parts: intervals, functions, expressions, bounds, the system, equations and steps, claims.
"""
import ast
import gzip
import json
import sys
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import inf, isqrt, nextafter, sqrt

class Refused(Exception):
    """What is not shown, or not written as it should be."""

class Nowhere(Exception):
    """An expression is defined nowhere on a box."""

def need(condition, why):
    if not condition:
        raise Refused(why)

# --- Intervals ---------------------------------------------------------------------------------------------------------
# Pairs (lo, hi) of doubles. IEEE 754 rounds + - * / and sqrt to nearest: the exact result lies between the neighbours of
# the computed one.

down = lambda v: nextafter(v, -inf)
up = lambda v: nextafter(v, inf)
neg = lambda a: (-a[1], -a[0])
sub = lambda a, b: add(a, neg(b))
point = lambda v: (v, v)
meet = lambda a, b: (max(a[0], b[0]), min(a[1], b[1]))
within = lambda a, b: b[0] <= a[0] and a[1] <= b[1]
inside = lambda a, b: b[0] < a[0] and a[1] < b[1]
apart = lambda a, b: a[1] < b[0] or b[1] < a[0]
size = lambda a: max(abs(a[0]), abs(a[1]))
middle = lambda a: min(max(0.5 * a[0] + 0.5 * a[1], a[0]), a[1])
times = lambda a, b: 0.0 if a == 0 or b == 0 else a * b  # an unbounded end is not attained
ZERO, UNIT = (0.0, 0.0), (1.0, 1.0)

def sum_down(a, b):
    s = a + b
    error = (a - (s - (s - a))) + (b - (s - a))  # exact (Knuth), where nothing overflows
    return s if error >= 0 else down(s)

def add(a, b):
    return sum_down(a[0], b[0]), -sum_down(-a[1], -b[1])

def mul(a, b):
    if a == ZERO or b == ZERO:
        return ZERO
    ends = times(a[0], b[0]), times(a[0], b[1]), times(a[1], b[0]), times(a[1], b[1])
    lo, hi = min(ends), max(ends)
    plus_ = a[0] >= 0 and b[0] >= 0 or a[1] <= 0 and b[1] <= 0
    minus_ = a[0] >= 0 and b[1] <= 0 or a[1] <= 0 and b[0] >= 0
    return 0.0 if lo == 0 and plus_ else down(lo), 0.0 if hi == 0 and minus_ else up(hi)

def inverse(a):
    need(not a[0] <= 0 <= a[1], "a divisor may be zero")
    return down(1 / a[1]), up(1 / a[0])

def power(a, n):
    """a**n for a whole n."""
    if n < 0:
        return inverse(power(a, -n))
    if n % 2 == 0 and a[0] < 0:
        a = (0.0, max(-a[0], a[1])) if a[1] > 0 else neg(a)
    if n % 2 == 1 and a[0] < 0 < a[1]:
        return -power((0.0, -a[0]), n)[1], power((0.0, a[1]), n)[1]
    result = UNIT
    for _ in range(n):
        result = mul(result, a)
    return result

def enclosed(q):
    """The doubles about a fraction."""
    v = q.numerator / q.denominator  # rounded to nearest
    return (v, v) if Fraction(v) == q else (down(v), up(v))

# --- Functions ---------------------------------------------------------------------------------------------------------
# At a double, in whole numbers: v stands for v/ONE. Each step of a series is cut off by less than one unit and the terms
# become smaller, so that a sum of at most 100 terms misses by less than 200 units; SLACK is far more, also for what is
# done with a few such sums. A series ends where its terms are below one unit: what is left is smaller than the last term
# (alternating), or than twice that (of ratio below one half).

BITS = 220
ONE, SLACK = 1 << BITS, 1 << 40

def series(x, first, factor):
    """first + first*f(1) + first*f(1)*f(2) + ..., where factor(x, k) is the f(k) as a fraction."""
    total, term, k = 0, first, 0
    while term:
        total, k = total + term, k + 1
        n, d = factor(x, k)
        term = term * n // (d * ONE)
        term += term < 0  # toward zero
    return total

def arctan_series(z):
    """atan of z, |z| < ONE/4."""
    total, term, k = 0, z, 1
    while term:
        total += term // k
        term = -(term * z // ONE * z // ONE)
        term += term < 0
        k += 2
    return total

atanh_factor = lambda s, k: (s * (2 * k - 1), 2 * k + 1)
half_angle = lambda z: z * ONE // (ONE + isqrt(ONE * ONE + z * z))  # tan(atan(z)/2)
as_double = lambda v: (down((v - SLACK) / ONE), up((v + SLACK) / ONE))
PI = 16 * arctan_series(ONE // 5) - 4 * arctan_series(ONE // 239)  # Machin
LOG_2 = 2 * series(ONE // 9, ONE // 3, atanh_factor)  # 2 atanh(1/3)

def fixed(x):
    need(abs(x) < 1e9, "an argument is too large")
    n, d = x.as_integer_ratio()
    return n * ONE // d

@lru_cache(None)
def sin_point(x, quarter):
    """sin(x + quarter*pi/2), |x| < 1e6: the error of PI times the turns is within SLACK."""
    v = fixed(x)
    turns = (2 * v + PI // 2) // PI
    r = v - turns * PI // 2  # |r| is pi/4 and a little at most
    n = (turns + quarter) % 4
    first, factor = (r, lambda s, k: (-s, 2 * k * (2 * k + 1))) if n % 2 == 0 else (
        ONE, lambda s, k: (-s, (2 * k - 1) * 2 * k))
    value = series(r * r // ONE, first, factor)
    lo, hi = as_double(-value if n >= 2 else value)
    return max(lo, -1.0), min(hi, 1.0)

def sine(a, quarter=0):
    """sin(a + quarter*pi/2): the ends, and 1 or -1 where that meets an odd multiple of pi/2, or is within rounding of it."""
    if not size(a) < 1e6 or a[1] - a[0] > 7:
        return -1.0, 1.0
    ends = sin_point(a[0], quarter) + sin_point(a[1], quarter)
    k = -(-2 * (fixed(a[0]) - SLACK) // PI)
    while k * PI <= 2 * (fixed(a[1]) + SLACK):
        if (k + quarter) % 2 == 1:
            ends += (1.0 if (k + quarter) % 4 == 1 else -1.0,)
        k += 1
    return min(ends), max(ends)

@lru_cache(None)
def exp_point(x):
    """exp(x) = exp(x/2^m)^(2^m), squared as an interval lo*2^e, hi*2^e of BITS bits."""
    if x < -700:
        return 0.0, exp_point(-700.0)[1]
    need(x <= 700, "an exponential is too large")
    m = int(abs(x)).bit_length() + 2
    value = series(fixed(x) >> m, ONE, lambda s, k: (s, k))
    lo, hi, e = value - SLACK, value + SLACK, -BITS
    for _ in range(m):
        cut = max(0, (lo * lo).bit_length() - BITS)
        lo, hi, e = lo * lo >> cut, (hi * hi >> cut) + 1, 2 * e + cut
    return enclosed(lo * Fraction(2) ** e)[0], enclosed(hi * Fraction(2) ** e)[1]

@lru_cache(None)
def arctan_point(x):
    n, d = x.as_integer_ratio()
    v, rest, sign = (n * ONE // d, 0, 1) if abs(x) <= 1 else (d * ONE // n, (PI if x > 0 else -PI) // 2, -1)
    return as_double(rest + sign * 8 * arctan_series(half_angle(half_angle(half_angle(v)))))

@lru_cache(None)
def log_point(x):
    n, d = x.as_integer_ratio()
    e = n.bit_length() - d.bit_length()
    v = n * ONE // (d << e) if e >= 0 else (n << -e) * ONE // d  # between ONE/2 and 2 ONE
    z = (v - ONE) * ONE // (v + ONE)  # |z| <= 1/3
    return as_double(2 * series(z * z // ONE, z, atanh_factor) + e * LOG_2)

root = lambda a: (down(sqrt(a[0])) if a[0] > 0 else 0.0, up(sqrt(a[1])))
exp = lambda a: (exp_point(a[0])[0], exp_point(a[1])[1])
FUNCTIONS = {  # each with its derivative, of the argument's expression
    "sin": (sine, lambda u: call("cos", u)),
    "cos": (lambda a: sine(a, 1), lambda u: minus(call("sin", u))),
    "exp": (exp, lambda u: call("exp", u)),
    "atan": (lambda a: (arctan_point(a[0])[0], arctan_point(a[1])[1]), lambda u: raised(plus(num(1), raised(u, 2)), -1)),
    "log": (lambda a: (log_point(a[0])[0] if a[0] > 0 else -inf, log_point(a[1])[1]), lambda u: raised(u, -1)),
}
# the other functions are made of these; at the ends of a domain, and where abs and sign have a kink, these are not C^1
MADE_OF = {
    "tan": "sin(u)/cos(u)", "sinh": "(exp(u) - exp(-u))/2", "cosh": "(exp(u) + exp(-u))/2", "abs": "(u**2)**(1/2)",
    "tanh": "1 - 2/(1 + exp(2*u))", "sign": "u/(u**2)**(1/2)", "asin": "atan(u/(1 - u**2)**(1/2))",
    "acos": "2*atan((1 - u)/(1 - u**2)**(1/2))", "atan2": "2*atan(u/((u**2 + w**2)**(1/2) + w))",
}

# --- Expressions -------------------------------------------------------------------------------------------------------
# Numbers into NODES; equal expressions are the same number. A node is ("num", q), ("var", k), ("+", a, b), ("*", a, b),
# ("^", a, q) with a fraction q, or (name of a function, a).

NODES, PLACES = [], {}

def make(*node):
    if node not in PLACES:
        PLACES[node] = len(NODES)
        NODES.append(node)
    return PLACES[node]

num = lambda q: make("num", Fraction(q))
value_of = lambda e: NODES[e][1] if NODES[e][0] == "num" else None
minus = lambda a: product(num(-1), a)

def plus(a, b):
    p, q = value_of(a), value_of(b)
    if p is not None and q is not None:
        return num(p + q)
    return b if p == 0 else a if q == 0 else make("+", a, b)

def product(a, b):
    p, q = value_of(a), value_of(b)
    if p is not None and q is not None:
        return num(p * q)
    if p == 0 or q == 0:
        return num(0)
    return b if p == 1 else a if q == 1 else make("*", a, b)

def raised(a, q):
    p, q = value_of(a), Fraction(q)
    if p is not None and q.denominator == 1 and (p != 0 or q > 0):
        return num(p ** int(q))
    return num(1) if q == 0 else a if q == 1 else make("^", a, q)

def call(name, a):
    if value_of(a) == 0 and name != "log":
        return num(1 if name in ("cos", "exp") else 0)
    return make(name, a)

def read(text, names):
    """An expression in Python's notation, of these names (each an expression)."""
    def walk_(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return num(node.value)
        if isinstance(node, ast.Name) and node.id in names:
            return names[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return minus(walk_(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name, parts = node.func.id, [walk_(a) for a in node.args]
            need(len(parts) == (2 if name == "atan2" else 1), "a function has one argument, atan2 two")
            need(name in MADE_OF or name in FUNCTIONS, f"no such function: {name}")
            return read(MADE_OF[name], dict(zip("uw", parts))) if name in MADE_OF else call(name, parts[0])
        need(isinstance(node, ast.BinOp), f"cannot be read: {text[:60]}")
        a, b, kind = walk_(node.left), walk_(node.right), type(node.op)
        if kind in (ast.Add, ast.Sub):
            return plus(a, b if kind is ast.Add else minus(b))
        if kind in (ast.Mult, ast.Div):
            need(kind is ast.Mult or value_of(b) != 0, "a division by zero")
            return product(a, b if kind is ast.Mult else raised(b, -1))
        need(kind is ast.Pow, f"cannot be read: {text[:60]}")
        return call("exp", product(b, call("log", a))) if value_of(b) is None else raised(a, value_of(b))
    try:
        return walk_(ast.parse(text.strip(), mode="eval").body)
    except SyntaxError:
        raise Refused(f"cannot be read: {text[:60]}")

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
    return product(product(num(b), raised(a, b - 1)) if kind == "^" else FUNCTIONS[kind][1](a), inner)

def substitute(e, by, memo=None):
    """With other expressions in the place of variables."""
    memo = {} if memo is None else memo
    if e not in memo:
        kind, *parts = NODES[e]
        if kind in ("num", "var"):
            memo[e] = by.get(e, e)
        elif kind == "^":
            memo[e] = raised(substitute(parts[0], by, memo), parts[1])
        else:
            again = {"+": plus, "*": product}.get(kind) or (lambda a: call(kind, a))
            memo[e] = again(*(substitute(a, by, memo) for a in parts))
    return memo[e]

class Bounds:
    """Bounds on expressions over a box. Where smooth is said, everything has to be C^1 on all of it; else a root or a
    logarithm is taken over what of its argument lies in its domain."""
    def __init__(self, box, smooth):
        self.box, self.smooth, self.known = box, smooth, {}

    def of(self, e):
        if e not in self.known:
            value = self.worked_out(*NODES[e])
            need(value[0] <= value[1], "a bound is not a number")
            self.known[e] = value
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
        return FUNCTIONS[kind][0](self.positive(self.of(a)) if kind == "log" else self.of(a))

    def positive(self, a):
        need(a[0] > 0 or not self.smooth, "a function may be undefined or not smooth")
        if a[1] < 0:
            raise Nowhere("a function is not defined")
        need(0 < a[1] < inf, "an argument is zero or has no bound")
        return max(a[0], 0.0), a[1]

    def raised(self, a, q):
        if q.denominator == 1:
            return power(a, int(q))
        if q < 0:
            return inverse(self.raised(a, -q))
        a = self.positive(a)
        if q.denominator == 2:
            return power(root(a), q.numerator)
        end = lambda x: exp(mul(enclosed(q), log_point(x))) if x > 0 else ZERO
        return end(a[0])[0], end(a[1])[1]

# --- The system --------------------------------------------------------------------------------------------------------

def side(pair):
    lo, hi = (float.fromhex(v) for v in pair)
    need(-inf < lo <= hi < inf, "a side is turned or unbounded")
    return lo, hi

def told(names, sides):
    return ", ".join(f"{name} in [{lo!r}, {hi!r}]" for name, (lo, hi) in zip(names, sides))

class System:
    """Variables: the coordinates, the time, then velocities, multipliers (mu first), levels, and constants that are known
    by bounds only."""
    def __init__(self, data):
        self.data, self.coordinates, self.determinants = data, data["coordinates"], {}
        n, p = len(self.coordinates), len(data.get("velocity_constraints", []))
        self.n, self.m = n, len(data["constraints"])
        count = iter(range(3 * n + 3 * self.m + p + len(data["constants"]) + 2))
        some = lambda many: [make("var", next(count)) for _ in range(many)]
        self.x, (self.t,), self.v = some(n), some(1), some(n)
        self.multipliers, self.levels, self.bounded = some(1 + self.m + p), some(self.m), {}
        self.names = self.coordinates + [data["time"]]
        names = dict(zip(self.names + data["velocities"], self.x + [self.t] + self.v))
        need(len(self.x) == n and len(data["velocities"]) == n, "a velocity for each coordinate")
        for name, value in data["constants"].items():
            if isinstance(value, str):
                names[name] = num(Fraction(value))
            else:
                names[name], = some(1)
                self.bounded[NODES[names[name]][1]] = side(value)
        need(len(names) == 2 * n + 1 + len(data["constants"]), "two things have one name")
        self.f = [read(c["f"], names) for c in data["constraints"]]
        # f + c - y
        self.f_of_level = [plus(plus(f, read(c["level"], names)), minus(y))
                           for f, c, y in zip(self.f, data["constraints"], self.levels)]
        self.lagrangian = read(data["lagrangian"], names)
        self.forces = [read(text, names) for text in data["forces"]]
        self.rolling = [read(c["f"], names) for c in data.get("velocity_constraints", [])]

    def determinant(self, columns, rows=None):
        """det of columns of the Jacobian, and of rows, all where they are not said; by expansion."""
        rows = tuple(range(self.m) if rows is None else rows)
        key = tuple(columns), rows
        if key not in self.determinants:
            total, later = num(0), tuple(columns[1:])
            for place, i in enumerate(rows if columns else ()):
                entry = derivative(self.f[i], self.x[columns[0]])
                if value_of(entry) != 0:
                    term = product(entry, self.determinant(later, rows[:place] + rows[place + 1:]))
                    total = plus(total, term if place % 2 == 0 else minus(term))
            self.determinants[key] = total if columns else num(1)
        return self.determinants[key]

    def statics(self, scale):
        """f = c, velocity constraints at rest, and mu S - scale sum u W at rest with S = d2L/dx'dt - dL/dx - Q."""
        still = {v: num(0) for v in self.v}
        at_rest = lambda e: substitute(e, still)
        mu, *u = self.multipliers
        rows = [[derivative(f, x) for x in self.x] for f in self.f]
        rows += [[at_rest(derivative(a, v)) for v in self.v] for a in self.rolling]
        equations = self.f + [at_rest(a) for a in self.rolling]
        for k, (x, v, force) in enumerate(zip(self.x, self.v, self.forces)):
            s = plus(derivative(derivative(self.lagrangian, v), self.t), minus(derivative(self.lagrangian, x)))
            total = product(mu, at_rest(plus(s, minus(force))))
            for w, row in zip(u, rows):
                total = plus(total, product(num(-scale), product(w, row[k])))
            equations.append(total)
        return equations

# --- Equations and steps -----------------------------------------------------------------------------------------------

HALVINGS = 5  # a leaf may be cut by the checker so often

class Equations:
    """f_i = 0 in variables, a side of a box each. A combination of them (a "reason") is an index, or a weight for each."""
    def __init__(self, system, f, variables):
        self.system, self.f, self.variables = system, f, variables
        self.slopes = [[derivative(e, v) for v in variables] for e in f]

    def bounds(self, box, smooth=False):
        values = dict(zip((NODES[v][1] for v in self.variables), box))
        values.update(self.system.bounded)
        bounds = Bounds(values, smooth)
        for e in self.f if smooth else ():
            bounds.of(e)  # refused where one is not C^1
        return bounds

    def combined(self, reason, term):
        if isinstance(reason, int):
            need(0 <= reason < len(self.f), "no such equation")
            return term(reason)
        need(len(reason) == len(self.f), "a weight for each equation")
        total = ZERO
        for i, w in enumerate(map(float.fromhex, reason)):
            total = add(total, mul(point(w), term(i))) if w else total
        return total

    def mean(self, reason, box, without=None):
        """The combination in the middle, and what the others add by the mean value theorem; its slopes on the box."""
        wide, at = self.bounds(box, smooth=True), self.bounds([point(middle(a)) for a in box])
        slopes = lambda k: self.combined(reason, lambda i: wide.of(self.slopes[i][k]))
        total = self.combined(reason, lambda i: at.of(self.f[i]))
        for k, a in enumerate(box):
            total = total if k == without else add(total, mul(slopes(k), sub(a, point(middle(a)))))
        return total, slopes

    def has_none(self, reason, box):
        """Has the combination no zero on the box?"""
        try:
            wide = self.bounds(box)
            value = self.combined(reason, lambda i: wide.of(self.f[i]))
            if value[0] <= 0 <= value[1] and not isinstance(reason, int):
                value, _ = self.mean(reason, box)
            return value[0] > 0 or value[1] < 0
        except Nowhere:
            return True
        except Refused:
            return False

    def narrowed(self, reason, k, box):
        """Side k cut to where the combination can vanish (Newton, in one variable); None where it cannot."""
        at = point(middle(box[k]))
        try:
            if isinstance(reason, int):
                slope = self.combined(reason, lambda i: self.bounds(box, smooth=True).of(self.slopes[i][k]))
                value = self.bounds(box[:k] + [at] + box[k + 1:]).of(self.f[reason])
            else:
                value, slopes = self.mean(reason, box, without=k)
                slope = slopes(k)
            new = meet(box[k], sub(at, mul(value, inverse(slope))))
        except (Refused, Nowhere):
            return box
        return box[:k] + [new] + box[k + 1:] if new[0] <= new[1] else None

    def has_one(self, box, weights, first=0):
        """For all values of the first variables exactly one of the others: K(X) = c - A f(c) + (1 - A f'(X)) (X - c)
        lies inside of X (Krawczyk)."""
        need(len(box) - first == len(self.f) == len(weights), "as many equations as unknowns")
        wide, at = self.bounds(box, smooth=True), self.bounds(box[:first] + [point(middle(a)) for a in box[first:]])
        for i, row in enumerate(weights):
            image = sub(point(middle(box[first + i])), self.combined(row, lambda b: at.of(self.f[b])))
            for j, a in enumerate(box[first:]):
                slope = self.combined(row, lambda b: wide.of(self.slopes[b][first + j]))
                image = add(image, mul(sub(UNIT if i == j else ZERO, slope), sub(a, point(middle(a)))))
            if not inside(image, box[first + i]):
                return False
        return True

def halves(part, whole):
    k = max(range(len(part)), key=lambda k: (part[k][1] - part[k][0]) / ((whole[k][1] - whole[k][0]) or 1.0))
    at = middle(part[k])
    return [part[:k] + [s] + part[k + 1:] for s in ((part[k][0], at), (at, part[k][1]))]

def walk(steps, box, equations, places=(), holds=None):
    """Goes through the steps of a tree, depth first. `places` are what "in" names, `holds` judges its leaves."""
    def shown(judge, part, depth=0):
        return judge(part) or depth < HALVINGS and all(shown(judge, half, depth + 1) for half in halves(part, box))

    steps, todo, place = iter(steps), [box], 0
    while todo:
        part, kind = todo.pop(), None
        while kind not in ("none", "in", "holds"):
            step, place = next(steps, None), place + 1
            need(step is not None, f"the steps end after {place - 1}: a leaf is missing")
            kind, *rest = step
            if kind == "cut":
                k, at = rest[0], float.fromhex(rest[1])
                need(0 <= k < len(box) and at == at, f"step {place}: no such cut")
                lo, hi = part[k] if part else ZERO
                todo.append(part[:k] + [(max(at, lo), hi)] + part[k + 1:] if part and at <= hi else None)
                part = part[:k] + [(lo, min(at, hi))] + part[k + 1:] if part and lo <= at else None
            elif kind == "narrow":
                need(0 <= rest[1] < len(box), f"step {place}: no such side")
                part = part and equations.narrowed(*rest, part)
            else:
                need(kind in ("none", "in", "holds"), f"step {place}: no such step")
        if part is None:
            continue  # nothing is left of the part
        if kind == "none":
            held = rest and shown(lambda p: equations.has_none(rest[0], p), part)
        elif kind == "in":
            held = 0 <= rest[0] < len(places) and all(map(within, part, places[rest[0]]))
        else:
            held = holds and shown(holds, part)
        need(held, f"step {place} ({' '.join(map(str, step))[:60]}) does not hold on {part}")
    need(next(steps, None) is None, f"there are steps after the last, {place}")

# --- Claims ------------------------------------------------------------------------------------------------------------

def determinant(rows):
    """Of a matrix of intervals, by expansion."""
    total = ZERO if rows else UNIT
    for i, row in enumerate(rows):
        if row[0] != ZERO:
            term = mul(row[0], determinant([r[1:] for j, r in enumerate(rows) if j != i]))
            total = add(total, term) if i % 2 == 0 else sub(total, term)
    return total

def is_p_matrix(b, scale):
    """Is every real matrix in b a P-matrix: by dominance of its scaled diagonal, else by its principal minors?"""
    n = len(b)
    def dominant(i):
        rest = 0.0
        for j in range(n):
            rest = rest if j == i else up(rest + up(size(b[i][j]) * scale[j]))
        return down(b[i][i][0] * scale[i]) > rest
    minors = (c for k in range(1, n + 1) for c in combinations(range(n), k))
    return all(map(dominant, range(n))) or n <= 6 and all(
        determinant([[b[i][j] for j in c] for i in c])[0] > 0 for c in minors)

def has_no_zero(f, e, box):
    """By bounds of e; along variables in which it is monotone they are at the ends of the side."""
    wide, low, high = f.bounds(box, smooth=True), list(box), list(box)
    for k, v in enumerate(f.variables):
        slope, (lo, hi) = wide.of(derivative(e, v)), box[k]
        if slope[0] >= 0 or slope[1] <= 0:
            low[k], high[k] = (point(lo), point(hi))[::1 if slope[0] >= 0 else -1]
    return f.bounds(low).of(e)[0] > 0 or f.bounds(high).of(e)[1] < 0

def one_to_one(system, claim):
    """F = (f, x_I, t) is one-to-one on a box of coordinates and t: the box, and that in words."""
    dependent, blocks, box = claim["dependent"], claim["blocks"], [side(s) for s in claim["box"]]
    need(len(box) == system.n + 1, "a side for each coordinate and t")
    need(len(set(dependent)) == len(dependent) == system.m and set(dependent) <= set(range(system.n)), "wrong coordinates")
    need(sorted(i for b in blocks for i in b["rows"]) == list(range(system.m)), "each constraint is in one block")
    need(sorted(k for b in blocks for k in b["columns"]) == sorted(dependent), "each coordinate is in one block")
    f = Equations(system, system.f, system.x + [system.t])
    for place, b in enumerate(blocks):
        need(len(b["rows"]) == len(b["columns"]), "a block is square")
        later = [k for other in blocks[place + 1:] for k in other["columns"]]
        need(all(value_of(f.slopes[i][k]) == 0 for i in b["rows"] for k in later), "the blocks are not triangular")
        moving = [i for i in b["rows"] if any(value_of(f.slopes[i][k]) is None for k in b["columns"])]
        if b["kind"] == "row":
            need(len(moving) <= 1, "more than one row of a block is not constant")
        else:
            need(b["kind"] == "P" and len(b["A"]) == len(b["scale"]) == len(b["rows"]), "no such kind of block")
            need(all(len(row) == len(b["rows"]) for row in b["A"]), "A is not square")
            need(all(float.fromhex(v) > 0 for v in b["scale"]), "a scale is not positive")

    def is_regular(b, sides, bounds):
        if b["kind"] == "row":
            return has_no_zero(f, system.determinant(b["columns"], b["rows"]), sides)
        product_ = []
        for row in b["A"]:
            line = [ZERO] * len(row)
            for w, i in zip(map(float.fromhex, row), b["rows"]):
                line = [add(s, mul(point(w), bounds.of(f.slopes[i][k]))) for s, k in zip(line, b["columns"])]
            product_.append(line)
        return is_p_matrix(product_, [float.fromhex(v) for v in b["scale"]])

    def holds(sides):
        try:
            bounds = f.bounds(sides, smooth=True)
            return all(is_regular(b, sides, bounds) for b in blocks)
        except (Refused, Nowhere):
            return False

    walk(claim["steps"], box, f, holds=holds)
    names = ", ".join(system.coordinates[k] for k in dependent) or "(none)"
    return box, f"F is one-to-one with the dependent coordinates {names} for {told(system.names, box)}"

def onto(system, claim):
    """For all levels, independent coordinates and t in a box there is exactly one value of the others in another."""
    dependent, every = claim["dependent"], system.x + [system.t]
    free = [k for k in range(system.n + 1) if k not in dependent]
    levels, sides = [side(s) for s in claim["levels"]], [side(s) for s in claim["box"]]
    need(len(levels) == system.m and len(sides) == len(every) and len(set(dependent)) == system.m, "wrong sizes")
    f = Equations(system, system.f_of_level, system.levels + [every[k] for k in free] + [every[k] for k in dependent])
    box = levels + [sides[k] for k in free] + [sides[k] for k in dependent]
    need(f.has_one(box, claim["A"], len(levels) + len(free)), "Krawczyk's image is not inside")
    part = lambda which: told([system.names[k] for k in which], [sides[k] for k in which])
    names = told([c["name"] for c in system.data["constraints"]], levels)
    return f"for all values of the constraints with {names} and {part(free)} there is exactly one solution with {part(dependent)}"

def questions(system, claim):
    """What the zeros of a claim are called, the unknowns with their names, and by face the equations and multipliers."""
    of, names, unknowns = claim["of"], system.coordinates, system.x
    at = {system.t: num(Fraction(claim["t"]))}
    if of == "singular points":
        f = system.f + [system.determinant(claim["dependent"])]
        return "points of the constraints where det J_D = 0", names, unknowns, {None: ([substitute(e, at) for e in f], [])}
    if of == "inverse":
        given = {int(k): v for k, v in claim["at"].items()}
        dependent = claim["dependent"]
        need(sorted(list(given) + dependent) == list(range(system.n)), "wrong coordinates")
        at.update({system.x[k]: num(Fraction(v)) for k, v in given.items()})
        at.update({y: num(Fraction(v)) for y, v in zip(system.levels, claim["levels"])})
        need(len(claim["levels"]) == system.m, "a level for each constraint")
        words = f"solutions for y = {claim['levels']} and {', '.join(f'{names[k]} = {v}' for k, v in given.items())}"
        f = [substitute(e, at) for e in system.f_of_level]
        return words, [names[k] for k in dependent], [unknowns[k] for k in dependent], {None: (f, [])}
    need(of == "equilibria", f"no such claim: {of}")
    scale, faces = Fraction(claim["scale"]), {}
    need(scale > 0, "a scale is not positive")
    equations = [substitute(e, at) for e in system.statics(scale)]
    for number, one in enumerate(system.multipliers):
        f = [substitute(e, {one: num(1)}) for e in equations]
        faces[number] = f, [w for w in system.multipliers if w != one]
    return "extremal points" if system.data.get("objective") else "equilibria", names, unknowns, faces

def zeros(system, claim):
    """Each zero that is listed exists and is alone in its own box, and where it is claimed there are no others."""
    words, names, unknowns, faces = questions(system, claim)
    box, complete, found, boxes = [side(s) for s in claim["box"]], claim["complete"], [], []
    need(len(box) == len(unknowns), "a side for each unknown")
    need(not complete or sorted(map(str, faces)) == sorted(str(f["face"]) for f in claim["faces"]), "a face is missing")
    for data in claim["faces"]:
        need(data["face"] in faces, "no such face")
        f, others = faces[data["face"]]
        f = [e for e in f if value_of(e) != 0]
        # what no equation has is free
        free = [v for v in unknowns + others if all(value_of(derivative(e, v)) == 0 for e in f)]
        need(not set(free) & set(others), "a multiplier is in no equation")
        own = [(v, name, a) for v, name, a in zip(unknowns, names, box) if v not in free]
        gone = [name for v, name in zip(unknowns, names) if v in free]
        equations = Equations(system, f, [v for v, _, _ in own] + others)
        alone = []
        for data_root in data["roots"]:
            wide, tight = [side(s) for s in data_root["alone"]], [side(s) for s in data_root["at"]]
            need(all(map(within, tight, wide)), "a solution lies outside of its box")
            for part in (wide, tight):
                need(equations.has_one(part, data_root["A"]), f"Krawczyk's image is not inside of {part}")
            if data["face"]:  # then mu, the first of the others, must not be zero
                need(not wide[len(own)][0] <= 0 <= wide[len(own)][1], "the gradients may be dependent")
            place = tight[:len(own)]
            need(all(any(map(apart, place, other)) for other in boxes), "a solution is listed twice")
            sides = [a for _, _, a in own]
            where = (" (outside of the box)" if any(map(apart, place, sides))
                     else "" if all(map(within, place, sides)) else " (on its edge)")
            found.append(told([n for _, n, _ in own], place) + (f", any {', '.join(gone)}" if gone else "") + where)
            alone.append(wide)
            boxes.append(place)
        if complete:
            walk(data["steps"], [a for _, _, a in own] + [(-1.0, 1.0)] * len(others), equations, alone)
    need(claim["count"] == len(found), "the number of solutions is another")
    what = "these exist, each alone near by" if not complete else (
        f"exactly these ({len(found)}) for " if found else "none for ") + told(names, box)
    return "\n  ".join([f"{words} at {system.data['time']} = {claim['t']}: {what}"] + found)

def cover(system, claim):
    """Every point of f = c in a box lies in one of the listed boxes, which are pieces on which F is one-to-one, or left."""
    box, places = [side(s) for s in claim["box"]], []
    need(len(box) == system.n + 1, "a side for each coordinate and t")
    f = Equations(system, system.f, system.x + [system.t])
    for piece in claim["pieces"]:
        places.append(one_to_one(system, piece)[0])
        if "sign" in piece:
            at = f.bounds([point(middle(a)) for a in places[-1]]).of(system.determinant(piece["dependent"]))
            need(at[0] > 0 if piece["sign"] > 0 else at[1] < 0, "det J_D has another sign")
    walk(claim["steps"], box, f, places + [[side(s) for s in left] for left in claim["left"]])
    left = f"or in {len(claim['left'])} boxes left" if claim["left"] else "and nothing is left"
    return (f"every configuration with {told(system.names, box)} lies in one of {len(claim['pieces'])} pieces, on each of "
            f"which F is one-to-one, {left}")

CLAIMS = {"one-to-one": lambda s, c: one_to_one(s, c)[1], "onto": onto, "zeros": zeros, "cover": cover}

def certify(data):
    """The system, and what is verified of it, a line a claim."""
    need(data.get("format") == "holonom certificate" and data.get("version") == 1, "not a certificate of version 1")
    system, lines = System(data["system"]), []
    for claim in data["claims"]:
        need(claim["claim"] in CLAIMS, f"no such claim: {claim['claim']}")
        lines.append(CLAIMS[claim["claim"]](system, claim))
    need(lines, "nothing is claimed")
    return system, lines

def load(path):
    with open(path, "rb") as file:
        raw = file.read()
    return json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)

FAULTS = (Refused, Nowhere, KeyError, ValueError, TypeError, IndexError, OverflowError, ZeroDivisionError, AttributeError,
          RecursionError, OSError)

def main(paths):
    sys.setrecursionlimit(50000)
    failed = not paths
    for path in paths:
        try:
            loaded = load(path)
            system, lines = certify(loaded)
        except FAULTS as why:
            print(f"NOT VERIFIED: {path}: {type(why).__name__}: {why}")
            failed = True
            continue
        data = system.data
        print(f"VERIFIED: {path}: {data['name']}")
        for c in data["constraints"] + data.get("velocity_constraints", []):
            print(f"  constraint {c['name']}: {c['f']} = 0")
        if any(claim.get("of") == "equilibria" for claim in loaded["claims"]):
            print(f"  Lagrangian: {data['lagrangian']}; forces: {', '.join(data['forces'])}")
        values = (f"{k} = {v}" if isinstance(v, str) else told([k], [side(v)]) for k, v in data["constants"].items())
        print("  where " + ", ".join(values))
        for line in lines:
            print("* " + line)
    return int(failed)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
