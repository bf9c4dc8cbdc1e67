#!/usr/bin/env python3
"""Verifies certificates: python3 tools/certify.py FILE...

Written from docs/certificates.md, which has the format and the theorems (T1 to T6 here); nothing
but Python's standard library is used. It reads a system and claims about it, derives every equation
and derivative itself, and goes through the evidence step by step. It says VERIFIED and what, or the
first step that fails. Exit code: 0, or 1 where something is not verified.
"""
import ast
import gzip
import json
import os
import sys
from fractions import Fraction
from functools import lru_cache, reduce
from math import isqrt
from re import fullmatch

class Refused(Exception):
    """What is not shown, or not written as it should be."""

class Nowhere(Refused):
    """An expression is defined nowhere on a box."""

def need(condition, why):
    if not condition:
        raise Refused(why)

# --- Numbers -------------------------------------------------------------------------------------
# A number is a whole number v that stands for v/ONE. Python's whole numbers are exact: sums are
# exact, and // rounds down. An interval is a pair (lo, hi) of numbers. Where there is no bound, lo
# is -INF, or hi is INF (never the other way round): signs, comparisons, and sums and products that
# are one of these again are all that comes of them.

BITS = 192
ONE = 1 << BITS
LONGEST, LARGEST = 4000, 1 << 20  # digits of a fraction; powers, and bits of a power of a number
INF = float("inf")

down = lambda v, bits=BITS: v if v == -INF else v >> bits  # v / 2^bits, rounded down
up = lambda v, bits=BITS: v if v == INF else -(-v >> bits)  # and up
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
ZERO, UNIT, LINE = (0, 0), (ONE, ONE), (-INF, INF)

def mul(a, b):
    if a == ZERO or b == ZERO:
        return ZERO
    if -INF in (a[0], b[0]) or INF in (a[1], b[1]):  # 0 times an end that is no number is 0
        ends = [v * w if v and w else 0 for v in a for w in b]
    else:
        ends = a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]
    return down(min(ends)), up(max(ends))

def inverse(a):
    """Of what is not zero."""
    lo, hi = a
    if a == ZERO:
        raise Nowhere("a divisor is zero")
    if lo < 0 < hi:
        return LINE
    return (-INF if hi == 0 else 0 if hi == INF else ONE * ONE // hi,
            INF if lo == 0 else 0 if lo == -INF else -(-ONE * ONE // lo))

def power(a, n):
    """a**n for a whole n > 0; from its size where n is even, it rises with that."""
    need(n < 1000, "a power is too large")
    if n % 2 == 0:
        a = max(0, a[0], -a[1]), max(-a[0], a[1])
    return down(a[0] ** n, BITS * (n - 1)), up(a[1] ** n, BITS * (n - 1))

enclosed = lambda q: (q.numerator * ONE // q.denominator, -(-q.numerator * ONE // q.denominator))

@lru_cache(None)
def ratio(text):
    """A double in hexadecimal notation: a whole number and the power of two that divides it."""
    need("0x" in text or text == "0", "a number is not hexadecimal")
    return float.fromhex(text).as_integer_ratio()

def fraction(text):
    """A fraction as it is written: 981/100, or a whole number."""
    need(not isinstance(text, str) or
         len(text) <= LONGEST and fullmatch("-?[0-9]+(/[0-9]+)?", text),
         "a number is not written as a fraction")
    return Fraction(text)

def double(text):
    """The same as a number, rounded down where it is too fine."""
    n, d = ratio(text)
    return n * ONE // d

def weighed(text, a, lift=0):
    """2^lift times an interval times a double that is not 0."""
    n, d = ratio(text)
    lo, hi = sorted((n << lift) * v for v in a)
    return down(lo, d.bit_length() - 1), up(hi, d.bit_length() - 1)

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

@lru_cache(1 << 16)
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
    if abs(v) > 20000 * ONE:
        return (0, 1) if v < 0 else (exp_at(20000 * ONE)[0], INF)
    n = (2 * v + LOG_2) // (2 * LOG_2)
    r = v - n * LOG_2
    lo, hi = about(series(ONE, lambda k: (r, k)))
    return (lo << n, hi << n) if n >= 0 else (lo >> -n, up(hi, -n))

@lru_cache(None)
def log_at(v):
    """log(2^n s) with s between 1/2 and 1; v >= 0."""
    if v in (0, INF):
        return LINE
    n = v.bit_length() - BITS
    s = v >> n if n >= 0 else v << -n
    return about(2 * odd_series((s - ONE) * ONE // (s + ONE), 1) + n * LOG_2)

@lru_cache(None)
def arctan_at(v):
    if v in (-INF, INF):
        return about(PI // 2 if v > 0 else -PI // 2)
    turned = abs(v) > ONE  # arctan(v) = pi/2 sign(v) - arctan(1/v)
    z = half_angle(half_angle(half_angle(ONE * ONE // v if turned else v)))
    value = 8 * odd_series(z, -1)
    return about((PI if v > 0 else -PI) // 2 - value if turned else value)

@lru_cache(None)
def arcsin_at(v):
    """Between -1 and 1."""
    root = isqrt(ONE * ONE - v * v)
    return arctan_at(v * ONE // root) if root else about(PI // 2 if v > 0 else -PI // 2)

@lru_cache(None)
def tanh_at(v):
    e = meet(exp_at(-2 * abs(v)), (0, ONE))
    value = mul(sub(UNIT, e), inverse(add(UNIT, e)))
    return value if v > 0 else neg(value)

def tangent(a):
    """It rises between its poles, where the cosine is zero."""
    if has_zero(cosine(a)):
        return LINE
    return rising(lambda v: mul(sine(point(v)), inverse(cosine(point(v)))))(a)

halves = lambda a: (down(a[0], 1), up(a[1], 1))
sinh_at = lambda v: halves(sub(exp_at(v), exp_at(-v)))
cosh_at = lambda v: halves(add(exp_at(v), exp_at(-v)))

def cosh(a):
    least, most = max(0, a[0], -a[1]), max(-a[0], a[1])
    return max(cosh_at(least)[0], ONE), cosh_at(most)[1]

def angle(u, w):
    """Of the points (w, u), from -pi to pi; off the cut u = 0, w <= 0 by an arc tangent."""
    arc = rising(arctan_at)
    if w[0] > 0:
        return arc(mul(u, inverse(w)))
    if has_zero(u):
        return -PI - SLACK, PI + SLACK
    return sub(about(PI // 2 if u[0] > 0 else -PI // 2), arc(mul(w, inverse(u))))

cosine = lambda a: sine(add(a, about(PI // 2)))
rising = lambda f: lambda a: (f(a[0])[0], f(a[1])[1])
FUNCTIONS = {  # each with its derivative, of the argument's expression
    "sin": (sine, lambda u: call("cos", u)),
    "cos": (cosine, lambda u: minus(call("sin", u))),
    "tan": (tangent, lambda u: plus(num(1), raised(call("tan", u), 2))),
    "sinh": (rising(sinh_at), lambda u: call("cosh", u)),
    "cosh": (cosh, lambda u: call("sinh", u)),
    "sech": (lambda a: inverse(cosh(a)),
             lambda u: minus(product(call("tanh", u), call("sech", u)))),
    "tanh": (rising(tanh_at), lambda u: raised(call("sech", u), 2)),
    "exp": (rising(exp_at), lambda u: call("exp", u)),
    "asin": (rising(arcsin_at), lambda u: raised(plus(num(1), minus(raised(u, 2))), "-1/2")),
    "acos": (lambda a: sub(about(PI // 2), rising(arcsin_at)(a)),
             lambda u: minus(raised(plus(num(1), minus(raised(u, 2))), "-1/2"))),
    "atan": (rising(arctan_at), lambda u: raised(plus(num(1), raised(u, 2)), -1)),
    "log": (rising(log_at), lambda u: raised(u, -1)),
    "abs": (lambda a: (max(0, a[0], -a[1]), max(-a[0], a[1])), lambda u: call("sign", u)),
    "sign": (lambda a: (ONE if a[0] > 0 else -ONE, -ONE if a[1] < 0 else ONE), lambda u: NONE),
}
FUNCTIONS_OF_TWO = {  # the derivative is of the arguments and their derivatives
    "atan2": (angle, lambda u, w, du, dw: product(
        plus(product(w, du), minus(product(u, dw))), raised(plus(raised(u, 2), raised(w, 2)), -1))),
    "**": (lambda u, w: rising(exp_at)(mul(w, rising(log_at)(u))), lambda u, w, du, dw: plus(
        product(product(w, du), to_the(u, plus(w, num(-1)))),
        product(product(call("log", u), dw), to_the(u, w)))),
}

# --- Expressions ---------------------------------------------------------------------------------
# Numbers into NODES; equal expressions are the same number. A node is ("num", q), ("var", k),
# ("+", a, b), ("*", a, b), ("^", a, q) with a fraction q, (name of a function, a), or one of two.

NODES, PLACES = [], {}

def make(*node):
    if node not in PLACES:
        PLACES[node] = len(NODES)
        NODES.append(node)
    return PLACES[node]

num = lambda q: make("num", Fraction(q))
NONE, ONCE = num(0), num(1)
value_of = lambda e: NODES[e][1] if NODES[e][0] == "num" else None
minus = lambda a: product(num(-1), a)

def joined(kind, a, b, unit, whole):
    """a + b or a*b: of two numbers the whole, and b where a is the unit."""
    if value_of(a) is not None and value_of(b) is not None:
        return num(whole(value_of(a), value_of(b)))
    return b if a == unit else a if b == unit else make(kind, a, b)

plus = lambda a, b: joined("+", a, b, NONE, Fraction.__add__)
times = lambda a, b: NONE if NONE in (a, b) else joined("*", a, b, ONCE, Fraction.__mul__)

@lru_cache(None)
def factors(e):
    """A number and powers that e is the product of. One that is not defined everywhere stays as it
    is."""
    kind, *parts = NODES[e]
    if kind == "num":
        return parts[0], ()
    if kind == "*":
        (v, p), (w, q) = map(factors, parts)
        return v * w, joint(p, q)
    whole = kind == "^" and parts[1] > 0 and parts[1].denominator == 1
    return Fraction(1), (tuple(parts) if whole else (e, Fraction(1)),)

def product(a, b):
    """a*b, with the powers of what is in both put together: bounds of a square are narrower."""
    (v, p), (w, q) = factors(a), factors(b)
    return NONE if v * w == 0 else reduce(times, [raised(e, n) for e, n in joint(p, q)], num(v * w))

def raised(a, q):
    p, q = value_of(a), Fraction(q)
    need(abs(q) < LARGEST, "a power is too large")
    if p is not None and (q.denominator == 1 and p != 0 or p == 0 and q > 0):
        size = max(n.bit_length() for n in p.as_integer_ratio())
        need(size * abs(q.numerator) < LARGEST, "a power of a number is too large")
        return num(p ** int(q) if p else 0)
    return num(1) if q == 0 else a if q == 1 else make("^", a, q)

def call(name, *of):
    """A function of expressions; the same however the terms of these are ordered, and of its
    negative, where the function is even or odd."""
    a, *others = [flat(a, sorted) if len(polynomial(a)) <= sums_in(a) + 1 else a for a in of]
    terms = polynomial(a)
    if value_of(a) == 0 and name not in ("log", "acos", *FUNCTIONS_OF_TWO):
        return num(1 if name in ("cos", "exp", "cosh", "sech") else 0)
    if name not in PARITIES or terms[min(terms)] > 0:
        ALIKE.setdefault(a, set()).add(of[0])
        return make(name, a, *others)
    turned = flat(minus(a), sorted)
    ALIKE.setdefault(turned, set()).add(minus(of[0]))
    return product(num(PARITIES[name]), make(name, turned))

ALIKE = {}  # how the argument of a function was written beside: x (y - 1) for x y - x

PARITIES = {"sin": -1, "cos": 1, "tan": -1, "asin": -1, "atan": -1, "sinh": -1, "cosh": 1,
            "sech": 1, "tanh": -1, "abs": 1, "sign": -1}
NEVER_ZERO = "exp", "cosh", "sech", "**"  # however near to it their bounds are

def parts_of(e):
    """The expressions that e is made of."""
    kind, *parts = NODES[e]
    return () if kind in ("num", "var") else parts[:1] if kind == "^" else parts

@lru_cache(None)
def sums_in(e):
    return int(NODES[e][0] == "+") + sum(map(sums_in, parts_of(e)))

def to_the(a, b):
    q = value_of(flat(b))
    return call("**", a, b) if q is None else raised(a, q)

OPERATIONS = {
    ast.Add: plus, ast.Sub: lambda a, b: plus(a, minus(b)), ast.Mult: product,
    ast.Div: lambda a, b: product(a, raised(b, -1)), ast.Pow: to_the,
}

def read(text, names, written):
    """An expression in Python's notation, of these names (each an expression). What it is made of
    is added to what is written: the expression is defined where all of that is."""
    need(text.isascii() and text.isprintable() and "#" not in text, "a text tells something else")

    def varies(node):
        """Is it no number, whatever it comes to?"""
        return any(isinstance(n, ast.Call) or isinstance(n, ast.Name) and
                   value_of(names[n.id]) is None for n in ast.walk(node))

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
            if isinstance(node.op, ast.Pow) and varies(node.right):
                written.append(call("log", left))
            return OPERATIONS[type(node.op)](left, right)
        name, parts = node.func.id, [walked(a) for a in node.args]
        need(len(parts) == (2 if name in FUNCTIONS_OF_TWO else 1) and not node.keywords,
             "a function has one argument")
        need(name in FUNCTIONS or name in FUNCTIONS_OF_TWO, "no such function")
        return call(name, *parts)
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
    if kind in FUNCTIONS_OF_TWO:
        return FUNCTIONS_OF_TWO[kind][1](a, b, derivative(a, x), derivative(b, x))
    inner = derivative(a, x)
    if value_of(inner) == 0:
        return num(0)
    outer = product(num(b), raised(a, b - 1)) if kind == "^" else FUNCTIONS[kind][1](a)
    return product(outer, inner)

@lru_cache(None)
def substituted(e, x, by):
    """e with `by` for the variable x."""
    kind, *parts = NODES[e]
    if kind in ("num", "var"):
        return by if e == x else e
    new = [substituted(a, x, by) for a in parts_of(e)]
    if kind in ("+", "*", "**"):
        return {"+": plus, "*": product, "**": to_the}[kind](*new)
    return raised(*new, parts[1]) if kind == "^" else call(kind, *new)

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
        (p, u * v * w) for q, v in a.items() for r, w in b.items()
        for p, u in without_kinks(joint(q, r)).items()]
    total = {}
    for p, v in terms:
        total[p] = total.get(p, 0) + v
    return {p: v for p, v in total.items() if v}

def without_kinks(powers):
    """A product of powers multiplied out, with u^2 for |u|^2 and u for |u| sign(u)."""
    powers = dict(powers)
    for a, n in powers.items():
        kind, *u = NODES[a]
        if kind == "abs" and n.denominator == 1 and n > 0:
            of = call("sign", *u)
            times = n - n % 2 or int(powers.get(of, 0) > 0)
            if times:
                powers[a] -= times
                powers[of] = powers.get(of, 0) - times % 2
                rest = tuple(sorted((b, m) for b, m in powers.items() if m))
                return polynomial(product(raised(u[0], times), reduce(
                    product, [raised(b, m) for b, m in rest], num(1))))
    return {tuple(powers.items()): 1}

@lru_cache(None)
def flat(e, order=lambda terms: terms):
    total = num(0)
    for powers, v in order(polynomial(e).items()):
        term = num(v)
        for a, n in powers:
            term = product(term, raised(a, n))
        total = plus(total, term)
    return total

def collected(e):
    """e with numbers multiplied into sums, and what is the same in a sum put together."""
    total, todo = {}, [(e, Fraction(1))]
    while todo:
        e, q = todo.pop()
        if NODES[e][0] == "+":
            todo += [(part, q) for part in reversed(NODES[e][1:])]
            continue
        v, powers = factors(e)
        if len(powers) == 1 and powers[0][1] == 1 and NODES[powers[0][0]][0] == "+":
            todo.append((powers[0][0], q * v))
        else:
            total[powers] = total.get(powers, 0) + q * v
    return reduce(plus, (reduce(times, [raised(a, n) for a, n in powers], num(v))
                         for powers, v in total.items() if v), NONE)

# the expressions that one is made of, each time it stands there; more are many
SHORT = 200

@lru_cache(None)
def length(e):
    return 1 + sum(map(length, parts_of(e)))

def taken_out(e):
    """What all terms of e have in common, times what is left."""
    first, *others = [dict(powers) for powers in polynomial(e)] or [{}]
    for powers in others:
        first = {a: min(n, powers[a], key=abs) for a, n in first.items()
                 if n * powers.get(a, 0) > 0}
    if not first or not others:
        return flat(e)
    less = [(a, -n) for a, n in first.items()]
    made = lambda powers, v: reduce(times, [raised(a, n) for a, n in powers], num(v))
    return times(made(first.items(), 1), reduce(
        plus, (made(joint(powers, less), v) for powers, v in polynomial(e).items())))

def in_all_forms(e):
    """e as it comes, collected and multiplied out, where it is short: all their bounds hold."""
    forms = [collected(e), flat(e)] if length(e) <= SHORT else []
    if any(value_of(form) is not None for form in forms):
        return e
    return reduce(lambda a, b: a if a == b else make("both", a, b), forms, e)

class Bounds(dict):
    """Bounds on expressions over a box. Where smooth is said, everything has to be C^1 on all of
    it; else they hold at those points where the expression is defined."""
    def __init__(self, box, smooth):
        self.box, self.smooth = box, smooth

    def __missing__(self, e):
        self[e] = self.worked_out(*NODES[e])
        return self[e]

    def worked_out(self, kind, a, b=None):
        if kind == "num":
            return enclosed(a)
        if kind == "var":
            return self.box[a]
        if kind == "+":
            return add(self[a], self[b])
        if kind == "*":
            return power(self[a], 2) if a == b else mul(self[a], self[b])
        if kind == "^":
            return self.raised(self[a], b)
        if kind == "both":
            return meet(self[a], self[b])
        u, *w = [self[e] for e in (a, b) if e is not None]
        for other in ALIKE.get(a, ()):
            try:
                u = meet(u, self[other])
            except Refused:  # of what is multiplied out the bounds hold
                pass
        if kind in ("log", "**"):
            u = self.positive(u, u[1] > 0)
        elif kind in ("asin", "acos"):
            self.keep(inside(u, (-ONE, ONE)), not apart(u, (-ONE, ONE)))
            u = meet(u, (-ONE, ONE))
        elif kind == "atan2":
            self.keep(w[0][0] > 0 or not has_zero(u))
        elif kind in ("abs", "sign", "tan"):
            self.keep(not has_zero(cosine(u) if kind == "tan" else u))
        return (FUNCTIONS_OF_TWO if w else FUNCTIONS)[kind][0](u, *w)

    def keep(self, smooth, defined=True):
        """What an operation needs of its argument: to be C^1 there, and to be defined at all."""
        need(smooth or not self.smooth, "a function may be undefined or not smooth")
        if not defined:
            raise Nowhere("a function is not defined")

    def may_vanish(self, e):
        kind, *parts = NODES[e]
        if kind == "*":
            return any(map(self.may_vanish, parts))
        if kind == "both" or kind == "+" and any(
                all(sign * end >= 0 for e in parts for end in self[e]) for sign in (1, -1)):
            return all(map(self.may_vanish, parts))
        if kind == "^":
            return parts[1] > 0 and self.may_vanish(parts[0])
        return kind not in NEVER_ZERO and has_zero(self[e])

    def positive(self, a, defined):
        self.keep(a[0] > 0, defined)
        return max(a[0], 0), a[1]

    def raised(self, a, q):
        if q < 0:
            self.keep(not has_zero(a))
            return inverse(self.raised(a, -q))
        if q.denominator == 1:
            return power(a, int(q))
        a = self.positive(a, a[1] >= 0)
        end = lambda v: rising(exp_at)(mul(enclosed(q), log_at(v))) if 0 < v < INF else point(v)
        return end(a[0])[0], end(a[1])[1]

# --- The system ----------------------------------------------------------------------------------

def side(pair):
    lo, hi = map(double, pair)
    need(lo <= hi, "a side is turned")
    need([lo / ONE, hi / ONE] == list(map(float.fromhex, pair)), "a side is too fine")
    return lo, hi

def sides_of(pairs, number):
    need(len(pairs) == number, "a side for each unknown and what is given")
    return list(map(side, pairs))

def told(names, sides):
    return ", ".join(f"{name} = {lo / ONE!r}" if lo == hi else
                     f"{name} in [{lo / ONE!r}, {hi / ONE!r}]"
                     for name, (lo, hi) in zip(names, sides))

class System:
    """Variables: the coordinates, the time, then velocities, multipliers (mu first), levels of the
    constraints, and constants that are known by bounds only."""
    def __init__(self, data):
        constraints, rolling = data["constraints"], data["velocity_constraints"]
        self.data, self.names = data, data["coordinates"] + [data["time"]]
        self.n, self.m = len(self.names) - 1, len(constraints)
        variables = lambda names: [make("var", name) for name in names]
        *self.x, self.t = variables(self.names)
        velocities, forces = variables(data["velocities"]), data["forces"]
        self.multipliers = variables(("u", b) for b in range(1 + self.m + len(rolling)))
        self.levels = variables(("y", b) for b in range(self.m))
        self.known = {name: num(fraction(value)) if isinstance(value, str) else make("var", name)
                      for name, value in data["constants"].items()}
        self.bounded = {name: side(value) for name, value in data["constants"].items()
                        if not isinstance(value, str)}
        self.known.update(zip(self.names, [*self.x, self.t]))
        everything = {**self.known, **dict(zip(data["velocities"], velocities))}
        at_rest = {**everything, **dict.fromkeys(data["velocities"], num(0))}
        self.bounded.update(dict.fromkeys(data["velocities"], ZERO))  # they matter at rest only
        need(len(velocities) == len(forces) == self.n, "two for each coordinate")
        need(len(everything) == 2 * self.n + 1 + len(data["constants"]), "a name comes twice")
        need(all(name.isascii() and name.isidentifier() for name in everything), "no name")
        # what is written of the constraints, and what else is: both are defined at an equilibrium
        self.of_constraints, self.of_others, moving = [], [], []
        own = lambda key: [read(c[key], self.known, self.of_constraints) for c in constraints]
        resting = lambda text: read(text, at_rest, self.of_others)
        self.f, levels = own("f"), own("level")
        self.f_of_level = [plus(plus(f, c), minus(y))
                           for f, c, y in zip(self.f, levels, self.levels)]
        lagrangian = read(data["lagrangian"], everything, moving)
        potential = resting(data["lagrangian"])
        # S = d2L/dx'dt - dL/dx - Q at rest, and the rows W: gradients, then velocity constraints
        self.force = [plus(derivative(derivative(lagrangian, v), self.t),
                           minus(plus(derivative(potential, x), resting(force))))
                      for x, v, force in zip(self.x, velocities, forces)]
        self.rolling = [resting(c["f"]) for c in rolling]
        self.rows = [[derivative(f, x) for x in self.x] for f in self.f]
        self.rows += [[derivative(read(c["f"], everything, moving), v) for v in velocities]
                      for c in rolling]
        need(all(derivative(a, v) == num(0) for row in self.rows for a in row for v in velocities),
             "a velocity constraint is not linear")
        sides = [c.get("side", "=") for c in constraints]
        need(set(sides) <= {"=", ">="}, "a constraint of no known side")
        self.sided = [b for b, side in enumerate(sides) if side == ">="]

    def determinant(self, columns, rows):
        """det of columns and rows of the Jacobian, by expansion."""
        total = num(0 if rows else 1)
        for i, row in enumerate(rows):
            minor = product(num((-1) ** i), self.rows[row][columns[0]])
            if minor != num(0):
                minor = product(minor, self.determinant(columns[1:], rows[:i] + rows[i + 1:]))
            total = plus(total, minor)
        return total

    def told(self):
        """All of the system, as it is written; but the bounds of constants are decimal."""
        plain = [f"{key}: {json.dumps(value)}" for key, value in self.data.items()]
        bounds = [told([name], [side(value)]) for name, value in self.data["constants"].items()
                  if isinstance(value, list)]
        return "\n  ".join(plain + ["where " + ", ".join(bounds)] * bool(bounds))

# --- Equations and steps -------------------------------------------------------------------------
# T1: where f is C^1 on a box X, f(x) lies in f(c) + f'(X) (x - c) for x and c in X.
# T2: if x - A f(x) lies in the interior of X by T1, f has exactly one zero in X (Krawczyk).
# T3: if f vanishes for x_k = g, and its slope along side k has no zero up to g, it has no other.
# T4 to T6 are of claims; all are in docs/certificates.md with where they come from.

class Equations:
    """f_i = 0 in variables, a side of a box each. A combination of them (a "reason") is an index,
    or a weight for each. `values` are expressions that are put for variables; `plain` are the same
    equations not multiplied out, where these are: their bounds may be narrower."""
    def __init__(self, system, f, variables, values=(), plain=None):
        self.system, self.f, self.variables, self.values = system, f, variables, dict(values)
        self.plain = plain
        # of what is multiplied out the slopes are too, of the rest all have the bounds of all forms
        tidy = [flat if e == flat(e) else in_all_forms for e in f]
        self.own = [tidied(e) for e, tidied in zip(f, tidy)]
        self.slopes = [[tidied(derivative(e, v)) for v in variables] for e, tidied in zip(f, tidy)]

    def put(self, k, text, written):
        """The same with an expression of other variables for one of them; see read for written."""
        need(k in range(len(self.variables)) and k not in self.values, "what has no value is put")
        by, x = self.valued(read(text, self.system.known, written)), self.variables[k]
        need(all(derivative(by, self.variables[j]) == num(0) for j in (k, *self.values)),
             "a value is given by itself")
        values = {j: substituted(e, x, by) for j, e in self.values.items()}
        values[k] = by
        return Equations.tidy(
            self.system, [substituted(e, x, by) for e in (self.plain or self).f],
            self.variables, values)

    @staticmethod
    def tidy(system, f, variables, values=()):
        """Multiplied out."""
        plain = Equations(system, f, variables, values)
        return Equations(system, list(map(flat, f)), variables, values, plain)

    def valued(self, e):
        for k, by in self.values.items():
            e = substituted(e, self.variables[k], by)
        return e

    def filled(self, box):
        """The box with bounds of the values in their places."""
        bounds = self.bounds(tuple(box), True, ())
        return [bounds[self.values[k]] if k in self.values else a for k, a in enumerate(box)]

    @lru_cache(4)
    def bounds(self, box, smooth, of=None):
        """Bounds on a box; where smooth is said, all f_i, or those of these, have to be C^1."""
        sides = dict(zip((NODES[v][1] for v in self.variables), box))
        bounds = Bounds({**sides, **self.system.bounded}, smooth)
        for i in (range(len(self.f)) if of is None else of) if smooth else ():
            bounds[self.f[i]]  # refused where one is not C^1
        return bounds

    def combined(self, reason, term, lift=0):
        if isinstance(reason, int):
            return term(reason)
        need(len(reason) == len(self.f), "a weight for each equation")
        return reduce(add, (weighed(w, term(i), lift) for i, w in enumerate(reason)
                            if ratio(w)[0]), ZERO)

    def centred(self, reason, box, sides, end=None, own=None):
        """Bounds of r (or of x_own - r) by T1 in some sides, about their middles, or about the end
        where r is least or largest if it is monotone along a side."""
        wide, centre, moved = self.bounds(tuple(box), True), list(box), ZERO
        for j in sides:
            slope = self.combined(reason, lambda i: wide[self.slopes[i][j]])
            at = (middle(box[j]) if end is None or slope[0] < 0 < slope[1] else
                  box[j][end if slope[0] >= 0 else 1 - end])
            centre[j] = point(at)
            if own is not None:
                slope = sub(UNIT if j == own else ZERO, slope)
            moved = add(moved, mul(slope, sub(box[j], centre[j])))
        there = self.bounds(tuple(centre), False)
        value = self.combined(reason, lambda i: there[self.own[i]])
        return add(moved, value if own is None else sub(centre[own], value))

    def has_none(self, box, reason, sides):
        """Has the combination no zero on the box?"""
        if self.plain and self.plain.has_none(box, reason, sides):
            return True
        natural = self.bounds(tuple(box), False)
        try:
            value = self.combined(reason, lambda i: natural[self.own[i]])
            return (not has_zero(value) or
                    isinstance(reason, int) and not natural.may_vanish(self.own[reason]) or
                    any(not has_zero(self.centred(reason, box, sides, end)) for end in (0, 1)))
        except Refused as why:
            return isinstance(why, Nowhere)
        except OverflowError:  # a number too large for what INF is added to
            return False

    def has_one(self, box, weights, unknowns):
        """For all values of the other variables exactly one of the unknowns (T2)?"""
        count = sum(e != num(0) for e in self.f)
        need(len(unknowns) == count == len(weights), "as many equations as unknowns")
        return any(all(inside(form.centred(row, box, unknowns, own=k), box[k])
                       for row, k in zip(weights, unknowns))
                   for form in (self, self.plain) if form)

def walk(steps, box, equations, places=(), holds=None):
    """Goes through the steps of a tree, depth first: all zeros in the box lie in the places that
    "in" names; or what `holds` judges is so on each part."""
    todo = [(box, equations)]
    for place, (kind, *rest) in enumerate(steps):
        need(todo, f"there are steps after the last, {place}")
        (part, own), held, kept, into = todo.pop(), False, [], None
        with_side = lambda k, new: [new if j == k else a for j, a in enumerate(part)]
        none = lambda part, r, k=None: own.has_none(
            part, r, [k] if isinstance(r, int) and k is not None else range(len(part)))
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
            held = lo <= hi and all(none(with_side(k, a), reason, k) for a in gone if a[0] < a[1])
            kept = [with_side(k, meet(part[k], (lo, hi)))]
        elif kind == "none":
            held = none(part, *rest)
        elif kind == "put":
            # r vanishes for this value of side k, and has no other zero along it (T3)
            reason, k, text = rest
            into, kept = own.put(k, text, []), [part]
            wide = with_side(k, hull(part[k], into.filled(part)[k]))
            held = into.f[reason] == num(0) and not has_zero(
                own.bounds(tuple(wide), True, (reason,))[own.slopes[reason][k]])
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

def blocks_of(system, claim):
    """The diagonal blocks of J_D: no equation of a block has a coordinate of a later one. J_D is
    singular where one of them is (T6)."""
    dependent, blocks, later = claim["dependent"], claim["blocks"], set(claim["dependent"])
    rows, columns = (sorted(i for b in blocks for i in b[key]) for key in ("rows", "columns"))
    need(rows == list(range(system.m)), "each constraint is in one block")
    need(columns == sorted(dependent) == sorted(later & set(range(system.n))),
         "each dependent coordinate is in one block")
    for b in blocks:
        need(len(b["columns"]) == len(b["rows"]), "a block is square")
        later -= set(b["columns"])
        need(not any(polynomial(system.rows[i][k]) for i in b["rows"] for k in later),
             "the blocks are not triangular")
    return blocks

def is_p_matrix(b):
    """Is every real matrix in b a P-matrix (T4): a > 0, and both what is left without the first row
    and column and the Schur complement of a are?"""
    if not b:
        return True
    (a, *right), *below = b
    if a[0] <= 0:
        return False
    schur = [[sub(d, mul(mul(c, inverse(a)), r)) for d, r in zip(row, right)] for c, *row in below]
    return is_p_matrix([row for _, *row in below]) and is_p_matrix(schur)

def is_one_matrix(system, block, box):
    """Is f(x) - f(y) = J z for J at one point of the box, and z zero for x = y alone (T5)? Where
    one row is not constant; or f is quadratic; or a sum of functions of one angle each, each of
    them quadratic, or with g''' = -g' over less than a turn: z = 2 sin(half the difference)."""
    rows, columns, unit = block["rows"], block["columns"], lambda i, j: int(i == j)
    if sum(any(value_of(system.rows[i][k]) is None for k in columns) for i in rows) <= 1:
        return True
    places, f = range(len(rows)), [system.f[i] for i in rows]
    by, angles = ([[fraction(v) for v in row] for row in block.get(
        key, [[unit(i, j) for j in places] for i in places])] for key in ("by", "angles"))
    need(all(sum(angles[i][j] * by[j][k] for j in places) == unit(i, k)
             for i in places for k in places), "angles that are not those of the directions")
    along = lambda es, k: [reduce(plus, (product(num(by[j][k]), derivative(e, system.x[columns[j]]))
                                         for j in places)) for e in es]
    vanish = lambda es: not any(map(polynomial, es))
    second = {(i, k): along(along(f, i), k) for i in places for k in places}
    if all(vanish(along(es, j)) for es in second.values() for j in places):
        return True
    turn = lambda i: sum(abs(q) * (box[k][1] - box[k][0]) for q, k in zip(angles[i], columns))
    simple = lambda once, thrice, i: vanish(thrice) or (
        vanish(map(plus, once, thrice)) and turn(i) < 2 * PI - SLACK)
    return all(simple(along(f, i), along(es, i), i) if i == k else vanish(es)
               for (i, k), es in second.items())

def judge(system, f, block, box):
    """Of a block: what says whether on a part, with bounds for f there, it is as is claimed."""
    rows, columns = block["rows"], block["columns"]
    if block["kind"] == "det":
        need(is_one_matrix(system, block, box), "a block has no one matrix")
        det = system.determinant(columns, rows)
        forms = dict.fromkeys([det, flat(det), taken_out(det)])
        forms = Equations(system, list(forms), f.variables)
        return lambda part: any(forms.has_none(part, i, range(len(part)))
                                for i in range(len(forms.f)))
    need(block["kind"] == "P", "a block of no known kind")
    need({len(rows)} == {len(block["A"]), *map(len, block["A"])}, "a matrix has another size")
    places = {i: place for place, i in enumerate(rows)}
    weights = [[row[places[i]] if i in places else "0" for i in range(system.m)]
               for row in block["A"]]
    # rows with tiny weights are multiplied by 2^lift, which changes no sign of a minor
    lift = lambda row: max(0, min((d.bit_length() - abs(n).bit_length()
                                   for n, d in map(ratio, row) if n), default=0))
    return lambda part: is_p_matrix([[f.combined(w, lambda i: f.bounds(tuple(part), True)[
        f.slopes[i][k]], lift(w)) for k in columns] for w in weights])

def one_to_one(system, claim):
    """F = (f, x_I, t) is one-to-one on a box of coordinates and t: the box, and that in words."""
    blocks, box = blocks_of(system, claim), sides_of(claim["box"], system.n + 1)
    f = Equations(system, system.f, system.x + [system.t])
    judges = [judge(system, f, b, box) for b in blocks]

    def holds(part):
        f.bounds(tuple(part), True)  # refused where f is not C^1
        return all(judged(part) for judged in judges)

    walk(claim["steps"], box, f, holds=holds)
    names = ", ".join(system.names[k] for k in claim["dependent"]) or "(none)"
    where = told(system.names, box)
    return box, f"F is one-to-one with the dependent coordinates {names} for {where}"

def questions(system, claim):
    """What the zeros of a claim are called, the unknowns and what is given (with names), and by
    released one-sided constraints and face (the multiplier that is 1) the equations and the other
    multipliers."""
    of, (mu, *u), given = claim["of"], system.multipliers, {system.t: claim["t"]}
    names, groups, faces = dict(zip(system.x, system.names)), [], {}
    if of == "inverse":
        others, levels = {int(k): value for k, value in claim["at"].items()}, claim["levels"]
        need(sorted([*others, *claim["dependent"]]) == list(range(system.n)), "wrong coordinates")
        need(len(levels) == system.m, "a level for each constraint")
        given.update({system.x[k]: value for k, value in others.items()})
        given.update(zip(system.levels, levels))
        at = {system.names[k]: value for k, value in others.items()}
        words = f"solutions for the levels {levels} with {at}"
        faces[(), None] = system.f_of_level, []
        names = {system.x[k]: system.names[k] for k in claim["dependent"]}
    elif of == "singular points":
        chosen = ", ".join(system.names[k] for k in claim["dependent"])
        words = f"points of the constraints where det J_D = 0 for D = {chosen}"
        for b in blocks_of(system, claim):  # one of them is singular
            groups.append(((), [i + 1 for i in b["rows"]], b["columns"], []))
    else:
        need(of == "equilibria", f"no such claim: {of}")
        words = "extremal points" if system.data["objective"] else "equilibria"
        for choice in range(2 ** len(system.sided)):
            out = tuple(b for k, b in enumerate(system.sided) if choice >> k & 1)
            acting = [i for i in range(1 + len(u)) if i - 1 not in out]
            groups.append((out, acting, range(system.n), system.rolling))
    scales = [Fraction(-1), *map(fraction, claim["scales"] if groups else [])]
    need(not groups or len(scales) == 1 + len(u) and min(scales[1:], default=1) > 0, "no scales")
    rows = [system.force, *system.rows]
    for out, acting, columns, f in groups:
        f = [e for b, e in enumerate(system.f) if b not in out] + f
        f += [reduce(plus, (product(product(num(-scales[i]), system.multipliers[i]), rows[i][k])
                            for i in acting)) for k in columns]
        for one in acting:
            faces[out, one] = ([substituted(e, system.multipliers[one], num(1)) for e in f],
                               [system.multipliers[i] for i in acting if i != one])
    return words, names, given, faces

def conditions(system, released, sides, valued):
    """Of an equilibrium, by one-sided constraint: those that act push, others are kept. None where
    that is not so, else what is open (for members of a family)."""
    mu, *u = (sides.get(v, UNIT) for v in system.multipliers)
    bounds = Bounds({**{NODES[v][1]: a for v, a in sides.items()}, **system.bounded}, False)
    still_open = []
    for b in system.sided:
        sign = bounds[valued(system.f[b])] if b in released else mul(mu, u[b])
        if sign[1] < 0 or b in released and sign[1] == 0:
            return None
        if sign[0] < 0 or b in released and sign[0] == 0:
            need(b in released, "it is not shown that a one-sided constraint pushes")
            still_open.append(f"{system.data['constraints'][b]['name']} is kept")
    return still_open

def zeros(system, claim):
    """Each zero that is listed exists and is alone in its own box, and where it is claimed there
    are no others."""
    words, names, given, faces = questions(system, claim)
    if claim["of"] == "equilibria" and any(
            derivative(e, system.t) != num(0) for f, _ in faces.values() for e in f):
        words += " while t is held"
    box, complete, found, boxes = sides_of(claim["box"], len(names)), claim["complete"], [], []
    size, coordinates = len(box), list(names.values())
    keys = [(tuple(data.get("released", ())), data["face"]) for data in claim["faces"]]
    need(set(keys) <= set(faces) and len(set(keys)) == len(keys), "no such faces")
    need(not complete or len(keys) == len(faces), "a face is missing")
    exact = {v: fraction(value) for v, value in given.items() if isinstance(value, str)}
    fixed = [enclosed(exact[v]) if v in exact else side(value) for v, value in given.items()]
    for (released, one), data in zip(keys, claim["faces"]):
        f, others = faces[released, one]
        for v, value in exact.items():
            f = [substituted(e, v, num(value)) for e in f]
        total = size + len(others)
        as_proven = Equations.tidy if claim["of"] == "equilibria" else Equations
        equations, places = as_proven(system, f, [*names, *others, *given]), []
        for root in data["roots"]:
            own, over, puts = equations, root.get("over", []), root.get("put", [])
            written = system.of_constraints + system.of_others * (claim["of"] == "equilibria")
            for k, text in puts:
                need(k < total, "what is given is not put")
                own = own.put(k, text, written)
            sought = [k for k in range(total) if k not in over and
                      any(row[k] != num(0) for row in own.slopes)]
            need({*range(size, total)} <= {*sought, *own.values}, "a multiplier may have any value")
            wide, tight = sides_of(root["alone"], total), sides_of(root["at"], total)
            need(all(map(within, tight, wide)), "a solution lies outside of its box")
            for part in (wide, tight):
                need(own.has_one(part + fixed, root["A"], sought),
                     f"Krawczyk's image is not inside of {told(names.values(), part)}")
            free = [k for k in range(size) if k not in sought and k not in own.values]
            need(all(tight[k] == wide[k] for k in free), "a side of what is free has two lengths")
            sides = own.filled(tight + fixed)
            smooth = equations.bounds(tuple(sides), True)
            for e in written:
                smooth[e]
            # in other faces mu, the first of the others, must not be zero
            need(claim["of"] != "equilibria" or one == 0 or not has_zero(sides[size]),
                 "the gradients may be dependent")
            places.append(({k: polynomial(e) for k, e in own.values.items()}, wide + fixed))
            if any(apart(a, (-ONE, ONE)) for a in sides[size:total]):
                continue  # a multiplier is larger than the one that is 1: of another face
            place = sides[:size]
            need(all(out != released or free and many and place != other or
                     any(map(apart, place, other)) for out, many, other in boxes),
                 "a solution comes twice")
            boxes.append((released, free, place))
            rest = conditions(system, released, dict(zip(own.variables, sides)), own.valued
                              ) if claim["of"] == "equilibria" else []
            if rest is None:
                continue
            need(free or not rest, "it is not shown that a constraint is kept")
            pick = lambda which: told([coordinates[k] for k in which], [place[k] for k in which])
            parts = [pick([k for k in sought if k < size])]
            parts += [f"{coordinates[k]} = {text}" for k, text in puts if k < size]
            parts += [f"for every {pick(free)}"] * bool(free)
            where = "" if all(map(within, place, box)) else " (on the edge, or outside)"
            parts = list(filter(None, parts)) + [f"where {r}" for r in rest]
            found.append("" if any(map(apart, place, box)) else ", ".join(parts) + where)
        if complete:
            walk(data["steps"], box + [(-ONE, ONE)] * len(others) + fixed, equations, places)
    need(claim["count"] == len(found), "the number of solutions is another")
    found = list(filter(None, found))  # what lies outside of the box is not told
    which = (f"exactly these ({len(found)})" if found else "none") if complete else "at least these"
    words += f": {which} for {told(coordinates, box)}"
    return "\n  ".join([f"at {system.data['time']} = {claim['t']}, {words}"] + found)

def cover(system, claim):
    """Every point of f = c in a box lies in one of the listed boxes, which are pieces on which F
    is one-to-one, or left."""
    box = sides_of(claim["box"], system.n + 1)
    f = Equations(system, system.f, system.x + [system.t])
    pieces = [one_to_one(system, piece)[0] for piece in claim["pieces"]]
    left = [sides_of(sides, len(box)) for sides in claim["left"]]
    walk(claim["steps"], box, f, [({}, sides) for sides in pieces + left])
    sizes = [Fraction(max(hi - lo for lo, hi in sides), ONE) for sides in left]
    rest = (f"or in {len(left)} boxes left, the longest side of which is {float(max(sizes)):.2g}"
            if left else "and nothing is left")
    return (f"every configuration with {told(system.names, box)} lies in one of "
            f"{len(pieces)} pieces, on each of which F is one-to-one, {rest}")

CLAIMS = {"one-to-one": lambda *a: one_to_one(*a)[1], "zeros": zeros, "cover": cover}

def certify(data):
    """What is verified: the system, and each claim, in words."""
    need(data["format"] == "holonom certificate" and data["version"] == 2, "of no known format")
    need(data["claims"], "nothing is claimed")
    system = System(data["system"])
    claims = [CLAIMS[claim["claim"]](system, claim) for claim in data["claims"]]
    return system.told() + "".join(f"\n* {words}" for words in claims)

def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return json.load(file)

def main(paths):
    sys.setrecursionlimit(50000)
    failed = not paths
    for path in paths:
        try:
            said = f"VERIFIED: {path}: {certify(load(path))}"
        except Refused as why:
            said, failed = f"NOT VERIFIED: {path}: Refused: {why}", True
        except Exception as why:  # whatever is not as it should be
            said, failed = (f"NOT VERIFIED: {path}: it is no certificate as docs/certificates.md "
                            f"describes it: {type(why).__name__}: {why}"), True
        say(said)
    return int(failed)

def say(text):
    try:
        print(text, flush=True)
    except BrokenPipeError:  # nobody reads any more; the exit code still tells
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
