"""Breaks certificates, and sees each refused: python3 break.py COUNT SEED FILE...

Every change makes the evidence incomplete or the claim false; one that is still verified is told, and the exit code is 1.
"""
import copy
import pathlib
import random
import sys
from math import inf, nextafter

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import certify  # noqa: E402

ERRORS = Exception  # as the checker has it
LEAVES = "in", "none", "holds"


def side(pair):
    return tuple(map(float.fromhex, pair))


def is_verified(data):
    try:
        certify.certify(data)
        return True
    except ERRORS:
        return False


def step_lists(claim):
    """All lists of steps in a claim that are not empty."""
    lists = [claim["steps"]] if "steps" in claim else []
    lists += [face["steps"] for face in claim.get("faces", []) if claim["complete"]]
    return [s for s in lists + [p["steps"] for p in claim.get("pieces", [])] if s]


def a_leaf_is_missing(claim, rng):
    steps = rng.choice(step_lists(claim))
    del steps[rng.choice([k for k, s in enumerate(steps) if s[0] in LEAVES])]


def a_leaf_comes_twice(claim, rng):
    steps = rng.choice(step_lists(claim))
    k = rng.choice([k for k, s in enumerate(steps) if s[0] in LEAVES])
    steps.insert(k, steps[k])


def a_cut_is_forgotten(claim, rng):
    steps = rng.choice(step_lists(claim))
    del steps[rng.choice([k for k, s in enumerate(steps) if s[0] == "cut"])]


def two_leaves_are_swapped(claim, rng):
    """Leaves that lie in boxes with no point in common."""
    places = claim["pieces"] if claim["claim"] == "cover" else None
    lists = [(claim["steps"], [p["box"] for p in places])] if places else [
        (face["steps"], [r["alone"] for r in face["roots"]]) for face in claim["faces"]]
    steps, boxes = rng.choice(lists)
    boxes = [[side(s) for s in box] for box in boxes]
    # one that is reached through a narrowing may be empty
    told = [k for k, s in enumerate(steps) if s[0] == "in" and s[1] < len(boxes)]
    a, b = rng.sample(told, 2)
    apart = any(p[1] < q[0] or q[1] < p[0] for p, q in zip(boxes[steps[a][1]], boxes[steps[b][1]]))
    if not apart:
        raise IndexError
    steps[a], steps[b] = steps[b], steps[a]


def a_solution_is_left_out(claim, rng):
    face = rng.choice([f for f in claim["faces"] if f["roots"]])
    k = rng.randrange(len(face["roots"]))
    if claim["complete"] and not any(s[:1] == ["in"] and s[1] >= k for s in face["steps"]):
        raise IndexError
    del face["roots"][k]
    if claim["complete"]:
        claim["count"] -= 1


def a_solution_is_moved(claim, rng):
    """By three times the width of its box: it is there no longer."""
    root = rng.choice([r for f in claim["faces"] for r in f["roots"]])
    k = rng.randrange(len(root["at"]))
    lo, hi = side(root["at"][k])
    by = 3 * (hi - lo) * rng.choice([-1, 1])
    root["at"][k] = [(lo + by).hex(), (hi + by).hex()]


def a_box_of_a_solution_is_shrunk(claim, rng):
    """To a part of one side that does not hold the solution."""
    root = rng.choice([r for f in claim["faces"] for r in f["roots"]])
    k = rng.randrange(len(root["at"]))
    (lo, hi), at = side(root["alone"][k]), side(root["at"][k])
    if not lo < at[0] <= at[1] < hi:
        raise IndexError
    root["alone"][k] = [lo.hex(), (lo + (at[0] - lo) / 2).hex()] if rng.random() < 0.5 else [(at[1] + (hi - at[1]) / 2).hex(), hi.hex()]


def a_bound_is_an_ulp_short(claim, rng):
    """Where a part that is told to lie in a box ends on its edge: a cut at it, the leaf next to that."""
    if claim["claim"] == "cover":
        lists = [(claim["steps"], [p["box"] for p in claim["pieces"]] + claim["left"])]
    else:
        lists = [(f["steps"], [r["alone"] for r in f["roots"]]) for f in claim["faces"]]
    able = []
    for steps, boxes in lists:
        for before, step in zip(steps, steps[1:]):
            # the low part of a cut comes next; it ends on the edge
            if before[0] == "cut" and step[0] == "in" and boxes[step[1]][before[1]][1] == before[2]:
                able.append((boxes[step[1]], before[1]))
    box, k = rng.choice(able)
    box[k] = [box[k][0], nextafter(float.fromhex(box[k][1]), -inf).hex()]


def a_solution_has_a_box_of_an_ulp(claim, rng):
    root = rng.choice([r for f in claim["faces"] for r in f["roots"]])
    # of what is free, or given by a value, the sides are not those of a solution
    k = rng.choice([k for k, s in enumerate(root["at"]) if s != root["alone"][k]])
    lo, _ = side(root["at"][k])
    root["at"][k] = [lo.hex(), nextafter(lo, inf).hex()]


def the_levels_are_too_many(claim, rng):
    """The ranges of the constraints, a thousandfold: more than the box of the solution has images of."""
    b = rng.choice([b for b, level in enumerate(claim["levels"]) if isinstance(level, list)])
    lo, hi = side(claim["levels"][b])
    claim["levels"][b] = [(lo - 1000 * (hi - lo)).hex(), (hi + 1000 * (hi - lo)).hex()]


def a_value_is_changed(claim, rng):
    """What is put for an unknown, in a step or for a solution."""
    puts = [s for steps in step_lists(claim) for s in steps if s[0] == "put"]
    puts += [p for f in claim["faces"] for r in f["roots"] for p in r.get("put", [])]
    rng.choice(puts)[-1] += rng.choice([" + 1/1000", " - 1/1000", " + 1/10**9"])


def a_value_is_of_another_unknown(claim, rng):
    puts = [s for steps in step_lists(claim) for s in steps if s[0] == "put"]
    puts += [p for f in claim["faces"] for r in f["roots"] for p in r.get("put", [])]
    own = rng.choice(puts)
    own[-2] = rng.choice([k for k in range(len(claim["box"])) if k != own[-2]])


def a_value_is_not_put(claim, rng):
    """A step or a solution has it, the other has it not."""
    able = [(s, k) for s in step_lists(claim) for k, (step, leaf) in enumerate(zip(s, s[1:])) if step[0] == "put" and leaf[0] == "in"]
    able += [(r["put"], k) for f in claim["faces"] for r in f["roots"] for k in range(len(r.get("put", []))) if claim["complete"]]
    own, k = rng.choice(able)
    del own[k]


def a_given_side_is_longer(claim, rng):
    """Of what a solution is claimed for all values of: a hundredfold."""
    root = rng.choice([r for f in claim["faces"] for r in f["roots"] if r.get("over")])
    k = rng.choice(root["over"])
    lo, hi = side(root["at"][k])
    root["at"][k] = root["alone"][k] = [(lo - 1000 * (hi - lo)).hex(), (hi + 1000 * (hi - lo)).hex()]


def a_choice_of_constraints_is_missing(claim, rng):
    """Of those that are released."""
    faces = [f for f in claim["faces"] if f.get("released")]
    if not claim["complete"]:
        raise IndexError
    claim["faces"].remove(rng.choice(faces))


def a_face_is_missing(claim, rng):
    """Of the multipliers one is never the largest."""
    if not claim["complete"]:
        raise IndexError
    claim["faces"].remove(rng.choice(claim["faces"]))


def blocks_share_out_the_coordinates_otherwise(claim, rng):
    one, other = rng.sample(rng.choice(claim.get("pieces") or [claim])["blocks"], 2)
    i, k = rng.randrange(len(one["columns"])), rng.randrange(len(other["columns"]))
    one["columns"][i], other["columns"][k] = other["columns"][k], one["columns"][i]


def a_unit_is_none(claim, rng):
    scales = claim["scales"]
    scales[rng.randrange(len(scales))] = rng.choice(["0", "-1"])


def a_pull_counts(claim, rng):
    """Or anything else that is no solution."""
    claim["count"] += rng.choice([-1, 1]) if claim["faces"] else 1


def a_block_has_other_angles(claim, rng):
    blocks = [b for p in claim.get("pieces", [claim]) for b in p["blocks"] if "by" in b]
    own = rng.choice(blocks)
    row = rng.choice(own[rng.choice(["by", "angles"])])
    k = rng.randrange(len(row))
    row[k] = str(int(row[k]) + rng.choice([-1, 1]))


def a_box_of_one_to_one_is_turned(claim, rng):
    pieces = claim.get("pieces") or [claim]
    box = rng.choice(pieces)["box"]
    k = rng.choice([k for k, s in enumerate(box) if side(s)[0] < side(s)[1]])
    box[k] = box[k][::-1]


def the_weights_are_of_the_wrong_sign(claim, rng):
    """A -> -A: nothing is a P-matrix, and Krawczyk's operator maps away."""
    sets = [r for f in claim.get("faces", []) for r in f["roots"]]
    sets += [b for p in claim.get("pieces", [claim]) for b in p.get("blocks", []) if b["kind"] == "P"]
    own = rng.choice([own for own in sets if own["A"]])
    own["A"] = [[(-float.fromhex(v)).hex() for v in row] for row in own["A"]]


def a_region_is_larger(claim, rng):
    """By the length of it: the new part is in no leaf's reach."""
    if not any(s[0] == "in" for s in claim["steps"]) or claim["claim"] != "cover":
        raise IndexError
    places = [p["box"] for p in claim["pieces"]] + claim["left"]
    k = rng.randrange(len(claim["box"]))
    lo, hi = side(claim["box"][k])
    # with a single leaf the whole box lies in a place that ends there
    if len(claim["steps"]) != 1 or side(places[claim["steps"][0][1]][k])[1] > hi + 1e-3 * (hi - lo):
        raise IndexError
    claim["box"][k] = [lo.hex(), (hi + (hi - lo) + 1e-3).hex()]


def a_choice_is_none(claim, rng):
    """Of dependent coordinates: too few, or what is no coordinate."""
    if not claim["dependent"]:
        raise IndexError
    claim["dependent"] = rng.choice([claim["dependent"][1:], claim["dependent"][:-1] + [-1], claim["dependent"] * 2])


OF_CLAIMS = [f for f in list(globals().values()) if callable(f) and getattr(f, "__module__", "") == __name__
             and f.__name__ not in ("side", "is_verified", "step_lists")]


def a_constant_is_changed(data, rng):
    """Of the system: f moves by a thousandth, and solutions that are told to many digits are elsewhere."""
    claim = rng.choice([c for c in data["claims"] if c["claim"] == "zeros" and c["count"] and not c.get("at")
                        and not any(r.get("over") for f in c["faces"] for r in f["roots"])])
    data["claims"] = [claim]
    constraint = rng.choice(data["system"]["constraints"])
    constraint["f"] += rng.choice([" + 1/1000", " - 1/1000"])


def wrong_programs(data):
    """What a program with one inequality turned would write."""
    for place, claim in enumerate(data["claims"]):
        def copied():
            own = copy.deepcopy(data)
            return own, own["claims"][place]

        for which, steps in enumerate(step_lists(claim)):
            # "none" where there are solutions, or points in a piece
            own, changed = copied()
            target = step_lists(changed)[which]
            held = [k for k, s in enumerate(target) if s[0] == "in"]
            # a leaf reached without a narrowing is not empty; with no steps but leaves it has what it is told to have
            if held and "faces" in changed:
                for k in held:
                    target[k] = ["none", 0]
                yield "a solution in no box", own
            if steps and steps[0][0] == "cut":
                own, changed = copied()
                step_lists(changed)[which][:] = [["none", 0]]
                yield "a box that is not looked at", own
        if claim["claim"] == "one-to-one":
            own, changed = copied()
            # the determinant has a zero, or F is not one-to-one, far out: as if every block were regular
            names = [k for k, s in enumerate(changed["box"]) if side(s)[0] < side(s)[1]]
            for k in names:
                changed["box"][k] = [(-1e6).hex(), (1e6).hex()]
            # false for sure where det J_D is known to vanish somewhere
            zero = any(c.get("of") == "singular points" and c["count"] for c in data["claims"])
            if zero and not is_linear(own):
                yield "a box that is too large", own
        if any(isinstance(level, list) for level in claim.get("levels", [])):
            own, changed = copied()
            for b, level in enumerate(changed["levels"]):
                lo, hi = side(level)
                changed["levels"][b] = [(lo - 20 * (hi - lo)).hex(), (hi + 20 * (hi - lo)).hex()]
            yield "levels without solutions", own
        if claim["claim"] == "cover" and len(claim["pieces"]) > 1:
            own, changed = copied()
            for piece in changed["pieces"]:
                for k, s in enumerate(piece["box"]):
                    lo, hi = side(s)
                    piece["box"][k] = [lo.hex(), (lo + (hi - lo) / 3).hex()]
            yield "pieces with gaps", own


def false_ones():
    """What is wrong, and a certificate of it."""
    system = {"name": "free", "coordinates": ["x"], "velocities": ["v"], "time": "t", "constants": {}, "constraints": [],
              "velocity_constraints": [], "lagrangian": "v**2/2", "forces": ["0"], "objective": False}
    first = {"format": "holonom certificate", "version": 2}
    # a particle on which nothing acts rests everywhere: no unknown is in any equation
    for steps in [["none", 0]], [["none", []]], [["none", [], 0]], [["in", 0]], [["holds"]], []:
        face = {"face": 0, "roots": [], "steps": [steps] if steps and isinstance(steps[0], str) else steps}
        claim = {"claim": "zeros", "of": "equilibria", "t": "0", "scales": [], "complete": True, "count": 0,
                 "box": [["-0x1p+0", "0x1p+0"]], "faces": [face]}
        yield f"no place of rest by {steps}", {**first, "system": system, "claims": [claim]}
    # a cross: one arm of it is where y may be zero
    cross = {**system, "coordinates": ["x", "y"], "velocities": ["v", "w"], "forces": ["0", "0"],
             "lagrangian": "v**2/2 + w**2/2 - x**2*y**2"}
    wide = ["-0x1p+0", "0x1p+0"]
    root = {"alone": [wide, wide], "at": [wide, wide], "A": [], "put": [[0, "0"]]}
    for steps in [["put", 0, 0, "0"], ["in", 0]], [["put", 1, 0, "0"], ["in", 0]], [["in", 0]], [["none", 0]]:
        claim = {"claim": "zeros", "of": "equilibria", "t": "0", "scales": [], "complete": True, "count": 1,
                 "box": [wide, wide], "faces": [{"face": 0, "roots": [root], "steps": steps}]}
        yield f"one arm of a cross by {steps}", {**first, "system": cross, "claims": [claim]}
    # a root that is not defined everywhere, and a value that is 0 times nothing
    for lagrangian, values in ("x**2/2 - x*w - x*y**(1/2)", [[0, "y**(1/2)"]]), ("x/y*0 - x**2*(1/y - 1/y)", []), ("x**2*y**(1/2)", [[0, "0"]]):
        own = {**cross, "lagrangian": f"v**2/2 + w**2/2 + {lagrangian}"}
        root = {"alone": [wide, wide], "at": [wide, wide], "A": [], "put": values}
        steps = [["put", 0, k, text] for k, text in values] + [["in", 0]]
        claim = {"claim": "zeros", "of": "equilibria", "t": "0", "scales": [], "complete": True, "count": 1,
                 "box": [wide, wide], "faces": [{"face": 0, "roots": [root], "steps": steps}]}
        yield f"what is not defined everywhere in {lagrangian}", {**first, "system": own, "claims": [claim]}
    # a weight that hangs from a table
    table = {**system, "lagrangian": "v**2/2 - x", "constraints": [{"name": "top", "f": "-x", "level": "0", "side": ">="}]}
    still = {"alone": [wide], "at": [wide], "A": []}
    for released in [], [0]:
        for number, steps in (0, [["none", 0]]), (1, [["none", 0]]):
            roots = [{**still, "put": [[0, "0"], [1, "-1"]]}] if number else []
            face = {"face": number, "roots": roots, "steps": [["put", 0, 0, "0"], ["put", 1, 1, "-1"], ["in", 0]] if roots else steps}
            face.update({"released": released} if released else {})
            claim = {"claim": "zeros", "of": "equilibria", "t": "0", "scales": ["1"], "complete": False, "count": 1, "box": [wide], "faces": [face]}
            yield "a weight that hangs from a table", {**first, "system": table, "claims": [claim]}
    # a turn and a bit more of a crank: sin and cos of the one angle come again
    crank = {**system, "coordinates": ["a", "b"], "velocities": ["v", "w"], "forces": ["0", "0"],
             "constraints": [{"name": "c", "f": "b*cos(a) - 1", "level": "0"}, {"name": "s", "f": "b*sin(a)", "level": "0"}]}
    plain = {"rows": [0, 1], "columns": [0, 1], "kind": "det"}
    for far in "0x1.8p+2", "0x1.cp+2":
        claim = {"claim": "one-to-one", "dependent": [0, 1], "blocks": [plain], "steps": [["holds"]],
                 "box": [["0x0p+0", far], ["0x1p-1", "0x1p+1"], ["0x0p+0", "0x0p+0"]]}
        yield f"a crank up to {far}", {**first, "system": crank, "claims": [claim]}
    # two angles, one of which makes more than a turn while the determinant stays as it is
    shaft = {**system, "coordinates": ["a", "b"], "velocities": ["v", "w"], "forces": ["0", "0"],
             "constraints": [{"name": "c", "f": "cos(a) + 3*a/2", "level": "0"}, {"name": "s", "f": "sin(b)", "level": "0"}]}
    for sides in ["-0x1p-1", "0x1.8p+2"], ["-0x1p+0", "0x1p+4"]:
        claim = {"claim": "one-to-one", "dependent": [0, 1], "blocks": [plain], "steps": [["holds"]],
                 "box": [["0x0p+0", "0x1p+0"], sides, ["0x0p+0", "0x0p+0"]]}
        yield f"a shaft that turns over {sides}", {**first, "system": shaft, "claims": [claim]}
    helix = {**shaft, "constraints": [{"name": "c", "f": "cos(a + b)", "level": "0"}, {"name": "s", "f": "sin(a + b)", "level": "0"}]}
    yield "two of one angle", {**first, "system": helix, "claims": [{**claim, "box": [["0x0p+0", "0x1p-3"]] * 2 + [["0x0p+0", "0x0p+0"]]}]}
    # cubes at one middle: x**3 - 3*x*y**2, 3*x**2*y - y**3 goes round three times
    cube = {**shaft, "coordinates": ["x", "y"], "constraints": [
        {"name": "c", "f": "x**3 - 3*x*y**2 - 1", "level": "0"}, {"name": "s", "f": "3*x**2*y - y**3", "level": "0"}]}
    for names in {}, {"angles": [["1", "0"], ["0", "1"]], "by": [["1", "0"], ["0", "1"]]}:
        claim = {"claim": "one-to-one", "dependent": [0, 1], "blocks": [{**plain, **names}], "steps": [["holds"]],
                 "box": [["-0x1p+0", "0x1.8p+0"], ["0x1p-3", "0x1p+0"], ["0x0p+0", "0x0p+0"]]}
        yield "a cube at one middle", {**first, "system": cube, "claims": [claim]}
    # both sides of a circle, with no point between them
    circle = {**system, "coordinates": ["x", "y"], "velocities": ["v", "w"], "forces": ["0", "0"],
              "constraints": [{"name": "c", "f": "x**2 + y**2 - 1", "level": "0"}]}
    block = {"rows": [0], "columns": [1], "kind": "det"}
    still = ["0x0p+0", "0x0p+0"]
    for between in ["none", 0], ["narrow", 0, 1, "0x1p-3", None], ["in", 0], ["holds"]:
        steps = [["cut", 1, "-0x1p-3"], ["holds"], ["cut", 1, "0x1p-3"], between, ["holds"]]
        claim = {"claim": "one-to-one", "dependent": [1], "blocks": [block], "steps": steps,
                 "box": [["-0x1p-1", "0x1p-1"], ["-0x1p+1", "0x1p+1"], still]}
        yield f"a circle is one-to-one by {between}", {**first, "system": circle, "claims": [claim]}


def carelessly_written():
    """Claims that are not written as they should be: each says more than it shows."""
    wide, nought = ["-0x1p+3", "0x1p+3"], ["0x0p+0", "0x0p+0"]
    near = lambda a: [(a - 0.125).hex(), (a + 0.125).hex()]

    def system(x, lagrangian, *constraints, **others):
        return {"name": "false", "coordinates": x, "velocities": ["d" + name for name in x], "time": "t", "constants": {},
                "constraints": [{"name": f"c{k}", "f": f, "level": "0"} for k, f in enumerate(constraints)],
                "velocity_constraints": [], "lagrangian": lagrangian, "forces": ["0"] * len(x), "objective": False, **others}

    def zeros(of, own, roots, **others):
        face = {"face": 0 if of == "equilibria" else None, "roots": roots, "steps": []}
        claim = {"claim": "zeros", "of": of, "t": "0", "scales": ["1"] * len(own["constraints"] + own["velocity_constraints"]), "complete": False, "count": len(roots),
                 "box": [wide] * len(own["coordinates"]), "faces": [face], **others}
        return {"format": "holonom certificate", "version": 2, "system": own, "claims": [claim]}

    def root(at, a, **others):
        return {"alone": at, "at": at, "A": a, **others}

    def inverse(own, roots, **others):
        return zeros("inverse", own, roots, dependent=[0], levels=["0"], at={}, **others)

    one = [["0x1p+0"]]
    line, moved = system(["x"], "dx**2", "x - 1"), system(["x"], "dx**2", "x - t")
    yield "every x solves x = 1, put from behind", inverse(line, [root([wide], [], put=[[-2, "1"]])])
    yield "the time is put, of a claim for all times", inverse(moved, [root([wide], [], put=[[1, "x"]])], t=["0x0p+0", "0x1p+0"])
    yield "a side more, for a given one", inverse(moved, [root([near(0), nought], one)], t=["0x0p+0", "0x1p+0"])
    falls = system(["x"], "dx**2 - x", forces=[])
    yield "no force is balanced", zeros("equilibria", falls, [root([wide], [])])
    for lagrangian in "dx**2 + log(x) + x", "dx**2 + x + 0*log(x) - (x + 3)**2/2", "dx**2 - (x + 1)**2/2 + 0/(x + 1)", \
            "dx**2 - (x + 1)**2/2*x**(x - x)", "dx**2 - (x + 1)**2/2*x**(0*x)", "dx**2 - (x + 1)**2/2*x**(0*sin(1))":
        at = -2 if "+ 3" in lagrangian else -1
        for sign in "0x1p+0", "-0x1p+0":
            yield f"no L there: {lagrangian}", zeros("equilibria", system(["x"], lagrangian), [root([near(at)], [[sign]])])
    edge = system(["x"], "dx**2 - x**2/2", "1 + (x - 0x1p-9)**(1/2)".replace("0x1p-9", "1/512"))
    edge["constraints"][0]["side"] = ">="
    free = zeros("equilibria", edge, [root([near(0)], [["-0x1p+0"], ["0x1p+0"]][1:])])
    free["claims"][0]["faces"][0]["released"] = [0]
    yield "a one-sided constraint that is not defined there", free
    yield "a side that is not known", zeros("equilibria", system(["x"], "dx**2 - x**2", constraints=[{"name": "c", "f": "x", "level": "0", "side": "<="}]), [])
    for what, own in [("a comment", system(["x"], "dx**2 # + x")), ("another name", system(["\uff58"], "dx**2", velocities=["dx"])), ("more arguments", system(["x"], "dx**2 + sin(x - x, y=x)")),
                      ("a decimal", system(["x"], "dx**2", constants={"m": 0.1})), ("a name like text", system(["x"], "dx**2", constants={"m = 1, g": "1"}))]:
        yield what, zeros("equilibria", own, [root([wide], [])])
    # at poles, at the ends of domains and on the cut of atan2: each has a solution in the box, or two points of one image
    sides = lambda lo, hi: [float(lo).hex(), float(hi).hex()]
    for f, lo, hi in [("1/x - 4", -1, 1), ("1/x + 4", -1, 1), ("1/x + 4", -1, 0), ("log(1/x) - 4", 0, 1), ("x*exp(1/x) - 9", 0, 1), ("1/x**2 - 16", -1, 1), ("x**(-1/2) - 4", -1, 1), ("x**(1/2) - 1/8", -1, 1),
                      ("log(x) + 4", -1, 1), ("log(x) - 1/4", 1, 2), ("tan(x) - 4", 0, 3), ("tan(x) + 4", 0, 3), ("asin(x) - 3/2", -2, 2), ("acos(x) - 3", -2, 2),
                      ("exp(1/x) - 16", -1, 1), ("tanh(1/x) + 1/2", -3, 1), ("atan(1/x) - 3/2", -1, 1), ("cosh(log(x)) - 9", -1, 1), ("(x**(-1) + 9)**(-3) - 1", -1, 1),
                      ("atan2(x, -1) - 3", -1, 1), ("atan2(x, -1) + 3", -1, 1), ("atan2(x, x - 1/4) - 3", -1, 1), ("atan2(1, x) - 3", -8, 1),
                      ("atan2(-1, x) + 3", -8, 1), ("atan2(x, 1) - 3/2", 0, 16), ("x**(x/4 + 1/8) - 3/4", -1, 1), ("x**(-x - 1) - 9", -1, 1), ("1/(x*x - x/2)**2 - 400", 0, 1)]:
        for steps in [["none", 0]], [["none", 0, 0]], [["none", ["0x1p+0"]]], [["narrow", 0, 0, None, sides(lo, lo)[0]], ["none", 0]], \
                [["narrow", 0, 0, sides(hi, hi)[0], None], ["none", 0]]:
            yield f"no solution of {f} by {steps}", inverse(
                system(["x"], "dx**2", f), [], box=[sides(lo, hi)], complete=True, faces=[{"face": None, "roots": [], "steps": steps}])
    for f, lo, hi in [("1/x**2", -1, 1), ("tan(x)", 0, 4), ("(x**2)**(-1/2)", -1, 1), ("2*x - atan2(x, -1)", -2, 2), ("log(x**2)", -1, 1),
                      ("abs(x)", -1, 1), ("1/x + x/1000", -100, 100), ("exp(1/x) - x", -1, 1), ("tanh(1/x) - 3*x", -1, 1)]:
        for block in {"kind": "det"}, {"kind": "P", "A": [["0x1p+0"]]}, {"kind": "P", "A": [["-0x1p+0"]]}, {"kind": "P", "A": [["0x1p-900"]]}:
            claim = {"claim": "one-to-one", "dependent": [0], "box": [sides(lo, hi), nought], "steps": [["holds"]],
                     "blocks": [{"rows": [0], "columns": [0], **block}]}
            yield f"{f} is one-to-one by {block}", {"format": "holonom certificate", "version": 2, "system": system(["x"], "dx**2", f), "claims": [claim]}
    # a root that is on the other side of a pole, of the cut or of an edge, or that nothing is defined at
    for f, at in [("1/x - 1", -1), ("1/x", 0), ("tan(x) - 1", 2), ("atan2(x, -1) - 3", 0), ("atan2(x, -1)", 0), ("atan2(x, x**2 - 1)", 0), ("log(x) + 1", 0), ("(x - 1)*log(x)", -1),
                  ("x*x**(1/2)", 0), ("x*x**(x + 1)", 0), ("(x + 1)*x**(x - x)", -1), ("asin(x) - 2", 1), ("abs(x)", 0), ("x + 1 + 0*atan2(0, x)", -1), ("x + 0/x", 0)]:
        for slope in (k * 2.0 ** n for k in (-1, 1) for n in range(-3, 3)):
            yield f"a solution of {f} at {at}", inverse(system(["x"], "dx**2", f), [root([near(at)], [[slope.hex()]])])
    # what is told is defined where it is told
    yield "a value that is not defined", zeros("equilibria", system(["x", "y"], "dx**2 - (x - 1)**2"), [root([wide, wide], [], put=[[0, "1 + 0/y"]])])
    # J_D = [[1, 1], [1, 1 + z]] has no block of one row: it is singular for z = 0
    pair = system(["x", "y", "z"], "dx**2", "x + y", "x + y + y*z")
    blocks = [{"rows": [0], "columns": [0]}, {"rows": [1], "columns": [1]}]
    some = [wide, wide, ["-0x1p-1", "0x1p-1"]]
    for order in blocks, blocks[::-1]:
        faces = [{"face": b["rows"][0] + 1, "roots": [], "steps": [["none", 2]]} for b in blocks]
        yield "a matrix is taken for its diagonal", zeros("singular points", pair, [], dependent=[0, 1], blocks=order, scales=["1", "1"], box=some, complete=True, faces=faces)
        claim = {"claim": "one-to-one", "dependent": [0, 1], "box": [*some, nought], "blocks": [{**b, "kind": "det"} for b in order], "steps": [["holds"]]}
        yield "a matrix is taken for its diagonal", {"format": "holonom certificate", "version": 2, "system": pair, "claims": [claim]}
    # the same, as it should be, but for one multiplier that is left out of the other's face
    whole = [{"rows": [0, 1], "columns": [0, 1]}]
    for scales in ["1", "0"], ["1", "-1"], ["1"]:
        for steps in [["none", 2]], [["none", 3]]:
            faces = [{"face": 1, "roots": [], "steps": steps}, {"face": 2, "roots": [], "steps": steps}]
            yield f"J_D is nowhere singular in units {scales}", zeros("singular points", pair, [], dependent=[0, 1], blocks=whole, scales=scales, box=some, complete=True, faces=faces)
    # det J_D = x on the line y = 0: u_1 = 1, and u_2 = -4 is another face's
    slope = system(["x", "y", "z"], "dx**2", "x**2 + 4*y + z", "y + z - 1")
    third = [["-0x1.5555555555556p-2", "-0x1.5555555555555p-2"], ["0x1.5555555555555p+0", "0x1.5555555555556p+0"]]
    exact = [["-0x1p-3", "0x1p-3"], *[[(float.fromhex(a) - 0.1).hex(), (float.fromhex(b) + 0.1).hex()] for a, b in third], near(-4)]
    weights = [["0x0p+0", "0x0p+0", "-0x1p-1", "0x0p+0"], ["0x1.5555555555555p-2", "-0x1.5555555555555p-2", "0x0p+0", "0x0p+0"],
               ["-0x1.5555555555555p-2", "0x1.5555555555555p+0", "0x0p+0", "0x0p+0"], ["0x0p+0", "0x0p+0", "0x0p+0", "-0x1p+0"]]
    faces = [{"face": 1, "roots": [root(exact, weights)], "steps": []}]
    yield "a multiplier of four counts", zeros("singular points", slope, [], dependent=[0, 1], blocks=whole, scales=["1", "1"], count=1, faces=faces)
    # a velocity constraint that is no velocity constraint
    bent = system(["x"], "dx**2 - x**2", velocity_constraints=[{"name": "r", "f": "dx**2 + dx*0"}])
    yield "a velocity constraint that is not linear", zeros("equilibria", bent, [root([near(0), near(0)], [["0x1p-1", "0x0p+0"]], over=[1])])
    # a particle that rests anywhere, twice
    yield "one family comes twice", zeros("equilibria", system(["x"], "dx**2"), [root([wide], []), root([wide], [])])
    # what is multiplied out is defined where its parts are not
    half = system(["x", "y"], "dx**2", "x**(1/2)*x**(1/2) + y")
    claim = {"claim": "one-to-one", "dependent": [0], "box": [wide, wide, nought], "blocks": [{"rows": [0], "columns": [0], "kind": "det"}], "steps": [["holds"]]}
    yield "a root that is multiplied out", {"format": "holonom certificate", "version": 2, "system": half, "claims": [claim]}
    # sin over a turn, in half angles
    turned = system(["x", "y", "z"], "dx**2", "sin(x) + z", "sin(y) + x*0")
    for angles, by in ([["1/2", "0"], ["0", "1"]], [["2", "0"], ["0", "1"]]), ([["1", "0"], ["0", "1"]], [["1", "0"], ["0", "1"]]), ([["0", "0"], ["0", "1"]], [["1", "0"], ["0", "1"]]):
        for far in "0x1.9p+2", "0x1.9p+3":
            block = {"rows": [0, 1], "columns": [0, 1], "kind": "det", "angles": angles, "by": by}
            claim = {"claim": "one-to-one", "dependent": [0, 1], "box": [["0x0p+0", far], near(0), wide, nought], "blocks": [block], "steps": [["holds"]]}
            yield "more than a turn", {"format": "holonom certificate", "version": 2, "system": turned, "claims": [claim]}
    # one equation in two unknowns: neither has one solution, and F is not one-to-one
    bar = system(["x", "y"], "dx**2", "x + y/16")
    yield "one equation for two unknowns", zeros("inverse", bar, [root([near(0), near(0)], one)], dependent=[0, 1], levels=["0"], at={})
    claim = {"claim": "one-to-one", "dependent": [0, 1], "box": [wide, wide, nought], "blocks": [{"rows": [0], "columns": [0], "kind": "det"}], "steps": [["holds"]]}
    yield "a coordinate in no block", {"format": "holonom certificate", "version": 2, "system": bar, "claims": [claim]}
    block = {"rows": [0, 1], "columns": [0, 1], "kind": "P", "A": [["0x1p+0", "0x0p+0"]]}
    claim = {"claim": "one-to-one", "dependent": [0, 1], "box": [*some, nought], "blocks": [block], "steps": [["holds"]]}
    yield "a row of a matrix", {"format": "holonom certificate", "version": 2, "system": pair, "claims": [claim]}
    # places of rest on faces that are not looked at
    yield "no face at all", zeros("equilibria", system(["x"], "dx**2 - x**2"), [], complete=True, faces=[])
    steps = [["cut", 0, "-0x1p-1"], ["none", 1], ["cut", 0, "0x1p-1"], ["none", 0], ["none", 1]]
    faces = [{"face": 1, "roots": [], "steps": steps}] * 2
    yield "one face for two", zeros("equilibria", system(["x"], "dx**2", "x**2 - 1"), [], complete=True, faces=faces)
    named = system(["x"], "dx**2 - x**2", constants={"x": "1"})
    yield "two things of one name", zeros("equilibria", named, [root([near(0)], [["0x1p-1"]])])
    still = system(["x", "y"], "dx**2", "x**2 + y**2 - 1")
    box = [wide, wide, nought]
    for left in [[wide]], [[]], [[wide, wide]]:
        claim = {"claim": "cover", "box": box, "pieces": [], "left": left, "steps": [["in", 0]]}
        yield "a place with too few sides", {"format": "holonom certificate", "version": 2, "system": still, "claims": [claim]}


def is_linear(data):
    """Are all gradients constant? Then F is one-to-one everywhere."""
    system = certify.System(data["system"])
    slopes = [certify.derivative(f, x) for f in system.f for x in system.x]
    return all(certify.value_of(certify.derivative(s, x)) == 0 for s in slopes for x in system.x + [system.t])


def main(count, seed, paths):
    rng = random.Random(seed)
    all_ = [certify.load(p) for p in paths]
    bad, tally = 0, {}
    for data, path in zip(all_, paths):
        if not is_verified(data):
            print(f"{path}: not verified as it is")
            bad += 1
        for what, broken in wrong_programs(data):
            tally[what] = tally.get(what, 0) + 1
            if is_verified(broken):
                print(f"{path}: {what}: still verified")
                bad += 1
    for what, broken in [*false_ones(), *carelessly_written()]:
        if is_verified(broken):
            print(f"{what}: verified")
            bad += 1
    done = tries = 0
    while done < count and tries < 100 * count:
        tries += 1
        k = rng.randrange(len(all_))
        data = copy.deepcopy(all_[k])
        change = rng.choice(OF_CLAIMS + [a_constant_is_changed])
        try:
            if change is a_constant_is_changed:
                change(data, rng)
            else:
                claim = rng.choice(data["claims"])
                data["claims"] = [claim]
                change(claim, rng)
        except (IndexError, KeyError, ValueError):
            continue  # there is nothing of the kind to change
        done += 1
        tally[change.__name__] = tally.get(change.__name__, 0) + 1
        if is_verified(data):
            print(f"{paths[k]}: {change.__name__}: still verified")
            bad += 1
    print(f"{done} broken certificates and {len(all_)} whole ones, {bad} wrong: " + ", ".join(f"{k} {v}" for k, v in sorted(tally.items())))
    return int(bad > 0 or done < count)


if __name__ == "__main__":
    sys.setrecursionlimit(50000)
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
