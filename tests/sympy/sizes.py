"""The derived equations of every system as SymPy gives them: the fixture `sizes.json`.

    pip install sympy==1.14.0 pyyaml
    cargo build --release
    python tests/sympy/sizes.py target/release/holonom

For each system file the Lagrangian and the constraints are read from the YAML, here, and

* `euler_lagrange`, `standard` are the rows of `LagrangesMethod(L, q, hol_coneqs=f - c)` without and with
  its multipliers (SymPy's are minus ours: the sign is changed before simplifying),
* `multipliers`, `reduced` are lambda = J_D^-T E_D and E_I - J_I^T lambda,
* `jacobian`, `determinant`, `energy`, `displacements` are df/dx, det J_D, sum x' dL/dx' - L, -J_D^-1 J_I,
* `branches` are the equations of `LagrangesMethod(L_1, q_I)`, L_1 being L with the inverse functions put
  in, and the multipliers with them put in.

The choice of dependent coordinates and the closed inverse functions are those that `holonom derive
--json` names. Each expression goes through `simplify` twice, once with x(t) and Derivative(x(t), t) as
LagrangesMethod leaves them and once with plain real symbols in their place; the shorter is kept. What
`simplify` does not finish within LIMIT seconds is null. Strings are written in the grammar of system
files (x1'', ^), nothing else is changed.
"""

import json
import re
import signal
import subprocess
import sys
from multiprocessing import Pool
from pathlib import Path

import sympy
import yaml
from sympy import Abs, Derivative, Matrix, Rational, Symbol, diff, simplify
from sympy.core.function import AppliedUndef
from sympy.parsing.sympy_parser import auto_number, auto_symbol, parse_expr, rationalize
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

LIMIT = 60
ROOT = Path(__file__).resolve().parents[2]
FUNCTIONS = {
    name: getattr(sympy, name)
    for name in "sin cos tan asin acos atan atan2 sinh cosh tanh erf exp log sqrt sign pi".split()
} | {"abs": Abs, "Integer": sympy.Integer, "Float": sympy.Float, "Rational": Rational, "Symbol": Symbol}


class TooLong(Exception):
    pass


def alarm(_signal, _frame):
    raise TooLong


class System:
    def __init__(self, path, binary):
        data = yaml.safe_load(path.read_text())
        self.t = dynamicsymbols._t
        self.names = [str(name) for name in data["coordinates"]]
        self.q = [dynamicsymbols(name, real=True) for name in self.names]
        self.known = dict(FUNCTIONS)
        self.known["t"] = self.t
        for name, q in zip(self.names, self.q):
            self.known[name] = q
            self.known[name + "__d"] = q.diff(self.t)
        for name in data.get("parameters") or {}:
            self.known[name] = Symbol(name, real=True)
        for name, text in (data.get("define") or {}).items():
            self.known[name] = self.read(text)
        self.lagrangian = self.energy_of(data)
        self.constraints = {}
        for name, given in (data.get("constraints") or {}).items():
            self.constraints[name] = self.constraint(given)
        self.forces = [self.read((data.get("forces") or {}).get(name, 0)) for name in self.names]
        answer = subprocess.run([binary, "derive", str(path), "--json"], capture_output=True, text=True, check=True)
        self.ours = json.loads(answer.stdout)
        # plain symbols, and what they are called in the grammar
        self.plain, self.printed = {}, {}
        for order in (2, 1, 0):
            for name, q in zip(self.names, self.q):
                symbol = Symbol(name + "__d" * order, real=True)
                self.plain[q.diff(self.t, order) if order else q] = symbol
        self.plain[self.t] = Symbol("t", real=True)

    def read(self, text):
        text = re.sub(r"([^\W\d]\w*)'", r"\1__d", str(text)).replace("^", "**")
        return parse_expr(
            text, local_dict=self.known, global_dict=FUNCTIONS, transformations=(auto_symbol, auto_number, rationalize)
        )

    def energy_of(self, data):
        if "lagrangian" in data:
            return self.read(data["lagrangian"])
        kinetic, potential = self.read(data.get("kinetic", 0)), self.read(data.get("potential", 0))
        gravity = [self.read(g) for g in data.get("gravity", [])]
        for body in (data.get("bodies") or {}).values():
            mass, at = self.read(body["mass"]), [self.read(c) for c in body["at"]]
            kinetic += mass * sum(c.diff(self.t) ** 2 for c in at) / 2
            if "inertia" in body:
                kinetic += self.read(body["inertia"]) * self.read(body["angle"]).diff(self.t) ** 2 / 2
            potential -= mass * sum(g * c for g, c in zip(gravity, at))
        return kinetic - potential

    def constraint(self, given):
        """f and c."""
        if isinstance(given, dict):
            return self.read(given["f"]), self.read(given.get("c", 0))
        left, *right = str(given).split("=")
        f = self.read(left)
        if not right:
            return f, sympy.S.Zero
        c = self.read(right[0])
        if c.has(AppliedUndef) or c.has(self.t):
            return f - c, sympy.S.Zero
        return f, c

    def write(self, e):
        """In the grammar of system files."""
        text = str(e.subs(self.plain) if e.has(AppliedUndef) else e)
        text = text.replace("**", "^").replace("Abs(", "abs(")
        return re.sub(r"((?:__d)+)\b", lambda m: "'" * (len(m.group(1)) // 3), text)

    def shortest(self, e):
        """`simplify`, both ways; None where neither ends in time."""
        found = []
        for form in (e, e.subs(self.plain)):
            signal.signal(signal.SIGALRM, alarm)
            signal.alarm(LIMIT)
            try:
                simple = simplify(form)
                simple = simple.subs(self.plain) if simple.has(AppliedUndef) else simple
                found.append((sympy.count_ops(simple), len(str(simple)), self.write(simple)))
            except TooLong:
                pass
            finally:
                signal.alarm(0)
        return min(found)[2] if found else None


def sizes(job):
    path, binary = job
    s = System(path, binary)
    t, q = s.t, s.q
    names = list(s.constraints)
    f = [f for f, _ in s.constraints.values()]
    levels = [c for _, c in s.constraints.values()]
    coneqs = [a - c for a, c in zip(f, levels)]
    force = Matrix(s.forces)
    free = LagrangesMethod(s.lagrangian, q)
    euler = Matrix(free.form_lagranges_equations()) - force
    result = {"file": str(path.relative_to(ROOT)), "dependent": s.ours["dependent"]}
    result["euler_lagrange"] = [s.shortest(e) for e in euler]
    energy = sum(v * diff(s.lagrangian, v) for v in (x.diff(t) for x in q)) - s.lagrangian
    result["energy"] = s.shortest(energy)
    if not f:
        return result
    method = LagrangesMethod(s.lagrangian, q, hol_coneqs=coneqs)
    rows = Matrix(method.form_lagranges_equations()) - force
    ours = {old: -Symbol(f"lambda_{name}", real=True) for old, name in zip(method.lam_vec, names)}
    result["standard"] = [s.shortest(e.subs(ours)) for e in rows]
    jacobian = Matrix(f).jacobian(q)
    result["jacobian"] = [[s.shortest(e) for e in jacobian.row(b)] for b in range(len(f))]
    dependent = [s.names.index(d) for d in s.ours["dependent"]]
    independent = [k for k in range(len(q)) if k not in dependent]
    block = jacobian[:, dependent]
    if len(f) > 4 or s.ours["multipliers"] is None:
        return result
    result["determinant"] = s.shortest(block.det())
    multipliers = block.T.LUsolve(Matrix([euler[k] for k in dependent]))
    result["multipliers"] = [s.shortest(e) for e in multipliers]
    reduced = [euler[k] - sum(jacobian[b, k] * multipliers[b] for b in range(len(f))) for k in independent]
    result["reduced"] = [s.shortest(e) for e in reduced]
    moves = -block.LUsolve(jacobian[:, independent]) if independent else Matrix(len(f), 0, [])
    result["displacements"] = [[s.shortest(e) for e in moves.row(i)] for i in range(len(dependent))]
    branches = (s.ours["inverse"] or {}).get("branches") or []
    result["branches"] = []
    for branch in branches if s.ours["reduced_independent"] else []:
        for name, c in zip(names, levels):
            s.known[f"y_{name}"] = c
        g = {s.q[s.names.index(name)]: s.read(text) for name, text in branch["functions"].items()}
        put = {}
        for order in (2, 1, 0):
            for x, value in g.items():
                put[x.diff(t, order) if order else x] = value.diff(t, order) if order else value
        lagrangian = s.lagrangian.subs(put).doit()
        rest = [q[k] for k in independent]
        if rest and not any(s.forces):
            equations = list(LagrangesMethod(lagrangian, rest).form_lagranges_equations())
        else:
            equations = [e.subs(put).doit() for e in reduced]
        entry = {"where": branch["where"], "equations": [], "multipliers": []}
        for kind, list_ in (("equations", equations), ("multipliers", [e.subs(put).doit() for e in multipliers])):
            entry[kind] = [s.shortest(e) for e in list_]
        result["branches"].append(entry)
        if any(e is None for e in entry["equations"] + entry["multipliers"]):
            break  # the other branches take as long
    return result


def main():
    binary = str(Path(sys.argv[1]).resolve())
    files = [
        path
        for folder in ("systems", "tests/systems", "tests/sympy/systems")
        for path in sorted((ROOT / folder).glob("*.yaml"))
        if len(sys.argv) < 3 or path.stem in sys.argv[2:]
    ]
    target = Path(__file__).with_name("sizes.json")
    known = json.loads(target.read_text())["systems"] if target.exists() and len(sys.argv) > 2 else {}
    with Pool(1) as pool:
        for path, result in zip(files, pool.imap(sizes, [(path, binary) for path in files])):
            known[result.pop("file")] = result
            print(path.stem, file=sys.stderr, flush=True)
            made = f"SymPy {sympy.__version__}, simplify limited to {LIMIT} s, by tests/sympy/sizes.py"
            target.write_text(json.dumps({"made": made, "systems": dict(sorted(known.items()))}, indent=1) + "\n")


if __name__ == "__main__":
    main()
