

def solve(rows, right):
    """Solves a linear system by Gaussian elimination, pivots chosen by their size in their row."""
    n = len(right)
    table = [list(row) + [value] for row, value in zip(rows, right)]
    sizes = [max((abs(entry) for entry in row[:n]), default=0.0) for row in table]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(table[i][k])/sizes[i] if sizes[i] else 0.0)
        if not abs(table[best][k]) > 1e-15*sizes[best]:
            raise ArithmeticError("the equations of motion are singular")
        table[k], table[best] = table[best], table[k]
        sizes[k], sizes[best] = sizes[best], sizes[k]
        for i in range(k + 1, n):
            factor = table[i][k]/table[k][k]
            if factor:
                for j in range(k, n + 1):
                    table[i][j] -= factor*table[k][j]
    solution = [0.0]*n
    for k in reversed(range(n)):
        known = sum(table[k][j]*solution[j] for j in range(k + 1, n))
        solution[k] = (table[k][n] - known)/table[k][k]
    return solution


def accelerations(t, x, v):
    """x'' and lambda at an instant."""
    n, m = len(COORDINATES), len(INDEPENDENT)
    J = jacobian(t, x)
    J = [J[b] for b in INDEPENDENT]
    M = mass(t, x, v)
    rows = [list(M[k]) + [J[b][k] for b in range(m)] for k in range(n)]
    rows += [list(J[b]) + [0.0]*m for b in range(m)]
    second = gamma(t, x, v)
    right = [-h for h in bias(t, x, v)] + [second[b] for b in INDEPENDENT]
    # units in which each coordinate has mass 1 and each gradient length 1
    units = []
    for i, row in enumerate(rows):
        size = math.sqrt(abs(row[i])) if i < n else max(abs(row[j])*units[j] for j in range(n))
        units.append(1.0/size if size > 0.0 else 1.0)
    rows = [[entry*units[i]*units[j] for j, entry in enumerate(row)] for i, row in enumerate(rows)]
    solution = solve(rows, [value*unit for value, unit in zip(right, units)])
    solution = [value*unit for value, unit in zip(solution, units)]
    forces = [0.0]*len(CONSTRAINTS)
    for b, value in zip(INDEPENDENT, solution[n:]):
        forces[b] = 0.0 - value
    return solution[:n], forces


def step(t, x, v, h):
    """A step of length h of the classical Runge-Kutta method of order 4."""
    k1, _ = accelerations(t, x, v)
    v2 = [b + h/2*c for b, c in zip(v, k1)]
    k2, _ = accelerations(t + h/2, [a + h/2*b for a, b in zip(x, v)], v2)
    v3 = [b + h/2*c for b, c in zip(v, k2)]
    k3, _ = accelerations(t + h/2, [a + h/2*b for a, b in zip(x, v2)], v3)
    v4 = [b + h*c for b, c in zip(v, k3)]
    k4, _ = accelerations(t + h, [a + h*b for a, b in zip(x, v3)], v4)
    x = [a + h/6*(b + 2*c + 2*d + e) for a, b, c, d, e in zip(x, v, v2, v3, v4)]
    v = [b + h/6*(c + 2*d + 2*e + f) for b, c, d, e, f in zip(v, k1, k2, k3, k4)]
    return x, v


def steps(t, until):
    """The steps from a time to another, by their beginnings and lengths: one or, over some of BREAKS, several between two of them."""
    way = 1.0 if until > t else -1.0
    times = [t, *(b for b in BREAKS if 0.0 < way*(b - t) and 0.0 < way*(until - b)), until]
    parts = 1 if len(times) == 2 else 8
    for begin, end in zip(times, times[1:]):
        for i in range(parts):
            yield begin + i*(end - begin)/parts, (end - begin)/parts


class Watch:
    """Ends the motion where the constraints are violated or a one-sided one would have to pull."""

    def __init__(self, row):
        self.row = row
        self.reach = [0.0]*len(COORDINATES)
        self.sizes = [0.0]*len(CONSTRAINTS)
        self.off = None

    def look(self, t, x, v):
        """After each step; relative to grad f . x, with the largest x so far and its change in a row."""
        if not CONSTRAINTS:
            return
        J, off = jacobian(t, x), constraints(t, x)
        before, self.off = self.off or off, off
        self.reach = [max(r, abs(a) + self.row*abs(c)) for r, a, c in zip(self.reach, x, v)]
        least = 1e-6*max(self.reach)
        for b, value in enumerate(off):
            size = sum(abs(entry)*max(r, least) for entry, r in zip(J[b], self.reach))
            self.sizes[b] = size = max(size, self.sizes[b])
            if not (abs(value) <= 1e-4*size and abs(value - before[b]) <= 1e-7*size):
                raise ArithmeticError(
                    f"at t = {t:.9g} {CONSTRAINTS[b]} is violated by {value:.1e}, by {value - before[b]:.1e} in one step: "
                    "the equations are nearly singular there, or STEPS are too few")
        if not ONE_SIDED:
            return
        _, forces = accelerations(t, x, v)
        most = max(map(abs, bias(t, x, v)))
        for b in ONE_SIDED:
            steepest = max(map(abs, J[b])) or 1.0
            if forces[b] < -1e-9*max(most/steepest, *map(abs, forces)):
                raise ArithmeticError(
                    f"at t = {t:.9g} lambda_{CONSTRAINTS[b]} = {forces[b]:.3g}: {CONSTRAINTS[b]} is one-sided and would "
                    "have to pull; this program does not continue without it")


def motion():
    """The times, coordinates and velocities of the rows."""
    start, x, v = START
    h = (UNTIL - start)/(ROWS*STEPS)
    x, v = list(x), list(v)
    watch = Watch(abs(STEPS*h))
    watch.look(start, x, v)
    for row in range(ROWS + 1):
        yield start + row*STEPS*h, x, v
        if row < ROWS:
            for i in range(row*STEPS, (row + 1)*STEPS):
                for begin, length in steps(start + i*h, start + (i + 1)*h):
                    x, v = step(begin, x, v, length)
                watch.look(start + (i + 1)*h, x, v)


def main():
    """Prints time, coordinates, multipliers, energy and velocities as CSV."""
    if START is None:
        raise SystemExit("no start satisfies the constraints: set START to (t, x, v)")
    # names may have letters that the locale has not
    sys.stdout.reconfigure(encoding="utf-8")
    multipliers = ["lambda_" + name for name in CONSTRAINTS]
    print(",".join(["t", *COORDINATES, *multipliers, "energy", *(name + "'" for name in COORDINATES)]))
    try:
        for t, x, v in motion():
            _, multiplier = accelerations(t, x, v)
            row = [t, *x, *multiplier, energy(t, x, v), *v]
            if not all(map(math.isfinite, row)):
                raise ArithmeticError("its numbers are not finite any more")
            print(",".join(f"{value:.12g}" for value in row))
    except (ArithmeticError, ValueError) as error:
        raise SystemExit(f"the motion ends here: {error}")


if __name__ == "__main__":
    main()
