//! A system compiled for the solver: its equations as straight-line code.

use super::sudden::LagrangianJumps;
use crate::expr::{
    Accelerations, Corrections, Expr, Lagrange, Landing, Parts, Rounded, Scratch, SolvedEquations,
    Stages, Tape, Workspace, asked,
};
use crate::mechanics::Equations;
use crate::solver::{
    Beginning, ConstraintValue, Corrected, Dynamics, Evaluations, Instant, LagrangianValue, Landed,
    Pattern, PivotOrder, Pivots, ProjectionStep, Quick, ROUNDING, SQUARED, Settled, Tableau,
    VelocityValue,
};
use crate::sparse::{Sparse, is_large};
use crate::system::System;
use crate::theorem::{
    IndependentEverywhere, RowTape, SymbolicDeterminant, Theorem, independent_everywhere, inputs,
    may_kink,
};
use nalgebra::DMatrix;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

thread_local! {
    /// Inputs, outputs and slots of the tapes, one set a thread: evaluating allocates nothing.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

#[derive(Default)]
struct Buffers {
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    work: Workspace,
}

/// Accelerations and what leads back onto the constraints, in a chart or without one.
#[derive(Debug)]
struct Solved {
    accelerations: Accelerations,
    /// all stages of a step, of the method that asked first
    stages: OnceLock<Option<Stages>>,
    /// and the end of a step
    corrections: Option<(Corrections, Landing)>,
}

impl Solved {
    /// Where the accelerations can be solved for.
    fn new(lagrange: &Lagrange, chart: Option<&[usize]>) -> Option<Self> {
        let accelerations = lagrange.accelerations(chart)?;
        let corrections = lagrange.corrections(chart).map(|corrections| {
            let rounded = Rounded {
                residual: ROUNDING,
                correction: SQUARED,
            };
            let landing = Landing::new(&corrections, rounded);
            (corrections, landing)
        });
        Some(Self {
            accelerations,
            stages: OnceLock::new(),
            corrections,
        })
    }

    /// All stages of a step, and what they are made of; none where that would be too long.
    fn stages(
        &self,
        order: PivotOrder,
        method: &'static Tableau,
        times: [usize; 2],
    ) -> Option<(&Stages, SolvedEquations<'_>)> {
        let own = self.corrections.as_ref();
        let code = SolvedEquations {
            accelerations: &self.accelerations,
            corrections: match order {
                // in a chart
                PivotOrder::Distance => Some(&own?.0),
                PivotOrder::Square => None,
            },
            times,
            landing: own.map(|(corrections, landing)| (landing, corrections)),
        };
        let new = || Stages::new(code, (method.nodes, method.rows), method.errors);
        let stages = self.stages.get_or_init(new).as_ref()?;
        Some((stages, code))
    }
}

/// What was solved chart by chart; none where the accelerations cannot be solved for.
type Charts = FxHashMap<Option<Vec<usize>>, Option<Arc<Solved>>>;

/// What belongs to a choice whose determinant is watched: how, the equations in straight-line code with the factors of the
/// determinant beside them and the parameters in it (but those that change); and what was solved of them chart by chart, as
/// far as it was asked for.
#[derive(Debug)]
struct Solvable {
    factors: DeterminantZeros,
    lagrange: Option<Lagrange>,
    charts: Mutex<Charts>,
}

/// The same by that choice; shared by all copies.
type Choices = Mutex<FxHashMap<Vec<usize>, Arc<Solvable>>>;

/// Solved equations with memory to evaluate them in.
struct Evaluated {
    solved: Arc<Solved>,
    order: PivotOrder,
    /// x, x', t and the parameters; h, the time at the end and the derivatives at the beginning of a step
    inputs: Vec<f64>,
    /// inertia forces that forces canceled to, of a while
    before: Vec<f64>,
    coordinates: usize,
    /// whether the forces that cancel were left out of what was evaluated last
    unweighed: bool,
    scratch: Scratch,
}

impl Evaluated {
    fn new(solved: Arc<Solved>, order: PivotOrder, coordinates: usize, parameters: &[f64]) -> Self {
        let state = 2 * coordinates;
        let mut inputs = vec![0.0; solved.accelerations.inputs() + 2 + state];
        inputs[state + 1..][..parameters.len()].copy_from_slice(parameters);
        Self {
            solved,
            order,
            inputs,
            before: Vec::new(),
            coordinates,
            unweighed: false,
            scratch: Scratch::default(),
        }
    }

    /// Takes a position.
    fn stand(&mut self, t: f64, x: &[f64]) {
        self.inputs[..x.len()].copy_from_slice(x);
        self.inputs[2 * self.coordinates] = t;
    }
}

/// The end of a step, as the solver has it.
fn landed(([state, solution @ ..], sign): ([&[f64]; 4], f64)) -> Landed<'_> {
    Landed {
        state,
        sign,
        solution,
    }
}

impl Quick for Evaluated {
    fn place(&mut self, (t, x, v): (f64, &[f64], &[f64])) {
        self.stand(t, x);
        self.inputs[x.len()..][..v.len()].copy_from_slice(v);
    }

    fn state(&self) -> [&[f64]; 2] {
        let n = self.coordinates;
        [&self.inputs[..n], &self.inputs[n..2 * n]]
    }

    fn accelerations(&mut self) -> Option<[&[f64]; 3]> {
        let code = &self.solved.accelerations;
        self.unweighed = false;
        code.eval(&self.inputs, &mut self.scratch)
    }

    fn stage(&mut self) -> Option<&[f64]> {
        let code = &self.solved.accelerations;
        self.unweighed = true;
        let found = code.eval_unweighed(&self.inputs, &mut self.scratch);
        found.map(|[a, ..]| a)
    }

    fn is_balanced(&mut self) -> bool {
        if self.unweighed && self.accelerations().is_none() {
            return false;
        }
        let code = &self.solved.accelerations;
        code.are_balanced(&self.scratch, &mut self.before)
    }

    fn has_stages(&self, method: &'static Tableau, times: [usize; 2]) -> bool {
        self.solved.stages(self.order, method, times).is_some()
    }

    fn stages<'a>(&mut self, from: Beginning<'a>, times: [usize; 2]) -> Option<Evaluations<'a>> {
        let (stages, code) = self.solved.stages(self.order, from.method, times)?;
        let Beginning {
            t: [t, t_new],
            y,
            h,
            memory,
            first,
            ..
        } = from;
        let (state, rest) = self.inputs.split_at_mut(y.len());
        state.copy_from_slice(y);
        rest[0] = t;
        let rest = &mut self.inputs[code.accelerations.inputs()..];
        rest[..2].copy_from_slice(&[h, t_new]);
        rest[2..].copy_from_slice(&memory[first - y.len()..first]);
        if memory.len() < first + stages.outputs() {
            memory.resize(first + stages.outputs(), 0.0);
        }
        let memory = (&mut memory[first..], &mut self.scratch);
        self.unweighed = false;
        let found = stages.eval(code, &self.inputs, memory)?;
        let settled = found.settled;
        Some(Evaluations {
            factors: found.beside,
            settled: settled.map(|(lists, sign)| Settled::new(lists, sign)),
            landed: found.landed,
        })
    }

    fn landed(&self) -> Option<Landed<'_>> {
        let (corrections, landing) = self.solved.corrections.as_ref()?;
        let code = (&self.solved.accelerations, corrections);
        landing.read(code, &self.scratch).map(landed)
    }

    fn land(&mut self, at: (f64, &[f64], &[f64])) -> Option<Landed<'_>> {
        self.place(at);
        let (corrections, landing) = self.solved.corrections.as_ref()?;
        let code = (&self.solved.accelerations, corrections);
        self.unweighed = false;
        let found = landing.eval(code, &self.inputs, &mut self.scratch);
        found.map(landed)
    }

    fn pivots(&self) -> Pivots<'_> {
        Pivots {
            pairs: self.solved.accelerations.pivots(&self.scratch),
            order: self.order,
        }
    }

    fn factors(&self) -> &[f64] {
        self.solved.accelerations.beside(&self.scratch)
    }

    fn factors_at(&mut self, t: f64, x: &[f64]) -> Option<&[f64]> {
        self.stand(t, x);
        let accelerations = &self.solved.accelerations;
        let found = accelerations.beside_at(&self.inputs, &mut self.scratch);
        (!found.is_empty()).then_some(found)
    }

    fn pivots_at(&mut self, t: f64, x: &[f64]) -> Option<Pivots<'_>> {
        self.stand(t, x);
        let code = &self.solved.accelerations;
        let pairs = code.pivots_at(&self.inputs, &mut self.scratch)?;
        let order = self.order;
        Some(Pivots { pairs, order })
    }

    fn correct(&mut self, what: Corrected) {
        let n = self.coordinates;
        let part = match what {
            Corrected::Positions => 0..n,
            Corrected::Velocities => n..2 * n,
        };
        // first come those of the positions, then those of the velocities
        let moves = Corrections::moves(&self.scratch, part.clone());
        for (e, d) in self.inputs[part].iter_mut().zip(moves) {
            *e -= d;
        }
    }

    fn corrections(&mut self) -> Option<ProjectionStep<'_>> {
        let (code, _) = self.solved.corrections.as_ref()?;
        let (outs, sign) = code.eval(&self.inputs, &mut self.scratch)?;
        let [dx, dv, residual, scale] = outs;
        let n = self.coordinates;
        Some(ProjectionStep {
            at: [&self.inputs[..n], &self.inputs[n..2 * n]],
            moves: [dx, dv],
            residual,
            scale,
            sign,
        })
    }
}

/// The tapes of a system, with the values of its parameters.
#[derive(Clone, Debug)]
pub struct CompiledSystem {
    coordinates: usize,
    constraints: usize,
    velocity_constraints: usize,
    parameters: Vec<f64>,
    /// the parameters that may change
    changing: Vec<Expr>,
    positions: Arc<Tape>,
    everything: Arc<Tape>,
    /// A by rows, then b
    velocities: Arc<Tape>,
    /// the equations to be solved, once a motion may be asked for
    choices: Arc<Choices>,
    solvable: Option<Arc<Solvable>>,
    /// places of M and J that are not identically zero
    pattern: Arc<Pattern>,
    /// W and what its entries may be off by
    rows: Arc<RowTape>,
    /// whether a gradient may jump
    kinks: bool,
    /// where rows are proven to be independent at every configuration, once a motion may be asked for, and whether they are so
    /// with these parameters
    independent: Arc<OnceLock<Option<IndependentEverywhere>>>,
    regular: bool,
    changes: Changes,
    /// the energy, where it is constant, and what it is rounded by
    energy: Option<Arc<Tape>>,
    /// where L may jump, if anywhere
    jumps: Option<Arc<LagrangianJumps>>,
}

/// What changes in a motion.
#[derive(Clone, Copy, Debug)]
struct Changes {
    /// the constraints, with t
    constraints: bool,
    /// M
    mass: bool,
}

/// How the zeros of det J_D are watched.
#[derive(Clone, Debug)]
enum DeterminantZeros {
    /// through its distinct factors, and the coordinates that each depends on
    Written(Tape, Vec<Vec<usize>>),
    /// by its numeric value: blocks too large to write out, of these columns
    Columns(Vec<usize>),
}

/// Is the energy constant, and the system small enough to be held by it?
fn is_conservative(system: &System, equations: &Equations) -> bool {
    /// Each sample takes a product with M.
    const MOST: usize = 64;
    if system.coordinates.len() > MOST {
        return false;
    }
    let pool = &system.pool;
    let levels = system.constraints.iter().map(|c| c.f);
    let rows = equations.velocity.rows.iter().flatten().copied();
    let mut all = levels.chain(rows).chain([system.lagrangian]);
    let mut works = system.forces.iter().chain(&equations.velocity.b);
    !all.any(|e| pool.contains_any(e, &[system.t])) && works.all(|e| *e == pool.zero())
}

impl CompiledSystem {
    /// Compiles a system, with what the theorem knows of its rows. It watches no determinant yet.
    pub fn new(system: &System, equations: &Equations, theorem: &Theorem) -> Self {
        let pool = &system.pool;
        let symbols = inputs(system);
        let zero = pool.zero();
        let places = |matrix: &[Vec<Expr>], lower: bool| -> Vec<(usize, usize)> {
            matrix
                .iter()
                .enumerate()
                .flat_map(|(i, row)| row.iter().enumerate().map(move |(j, e)| (i, j, *e)))
                .filter(|(i, j, e)| *e != zero && (!lower || j <= i))
                .map(|(i, j, _)| (i, j))
                .collect()
        };
        let jacobian = places(&equations.gradients, false);
        let mass = places(&equations.mass, true);
        let mut positions: Vec<Expr> = system.residuals().chain(scales(system)).collect();
        positions.extend(&equations.f_t);
        positions.extend(jacobian.iter().map(|&(i, j)| equations.gradients[i][j]));
        let mut everything = positions.clone();
        everything.extend(&equations.gamma);
        everything.extend(&equations.bias);
        everything.extend(mass.iter().map(|&(i, j)| equations.mass[i][j]));
        everything.push(equations.energy);
        let velocity = &equations.velocity;
        let mut velocities: Vec<Expr> = velocity.rows.iter().flatten().copied().collect();
        velocities.extend(&velocity.b);
        everything.extend(&velocities);
        everything.extend(&velocity.gamma);
        Self {
            coordinates: system.coordinates.len(),
            constraints: system.constraints.len(),
            velocity_constraints: system.velocity_constraints.len(),
            parameters: system.parameter_values(),
            changing: Vec::new(),
            choices: Arc::default(),
            solvable: None,
            positions: Arc::new(Tape::new(pool, &symbols, &positions)),
            everything: Arc::new(Tape::new(pool, &symbols, &everything)),
            velocities: Arc::new(Tape::new(pool, &symbols, &velocities)),
            pattern: Arc::new(Pattern { mass, jacobian }),
            rows: Arc::clone(theorem.rows()),
            kinks: !theorem.is_smooth() || may_kink(pool, &velocities),
            independent: Arc::default(),
            regular: false,
            energy: is_conservative(system, equations).then(|| {
                let energy = equations.energy;
                Arc::new(Tape::new(pool, &symbols, &[energy, pool.rounding(energy)]))
            }),
            jumps: LagrangianJumps::of(system).map(Arc::new),
            changes: Changes {
                constraints: equations.rheonomic(system)
                    || velocity
                        .rows
                        .iter()
                        .flatten()
                        .chain(&velocity.b)
                        .any(|e| pool.contains_any(*e, &[system.t])),
                mass: !equations
                    .mass
                    .iter()
                    .flatten()
                    .all(|e| pool.is_constant(*e)),
            },
        }
    }

    /// The same for systems that differ in the values of these parameters.
    #[must_use]
    pub fn changing(self, changing: Vec<Expr>) -> Self {
        Self {
            changing,
            choices: Arc::default(),
            independent: Arc::default(),
            ..self
        }
    }

    /// Takes the values that the parameters of the system have now.
    pub fn take_parameters(&mut self, system: &System) {
        self.parameters = system.parameter_values();
    }

    /// The same for motions: watching the determinant of this choice of dependent coordinates, its equations ready to
    /// be solved.
    #[must_use]
    pub fn watching(
        &self,
        (system, equations): (&System, &Equations),
        dependent: &[usize],
    ) -> Self {
        let independent = self.independent.get_or_init(|| {
            let rows: Vec<&Vec<Expr>> = [&equations.jacobian, &equations.velocity.rows]
                .into_iter()
                .flatten()
                .collect();
            let independent = || independent_everywhere(system, &rows, &self.changing);
            (!self.kinks).then(|| asked(independent).0).flatten()
        });
        let mut choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        let solvable = choices.entry(dependent.to_vec()).or_insert_with(|| {
            let own = asked(|| SymbolicDeterminant::new(system, equations, dependent)).0;
            let written: &[Expr] = own.whole.map_or(&[], |_| &own.factors);
            Arc::new(Solvable {
                factors: if own.whole.is_some() {
                    let tape = Tape::new(&system.pool, &inputs(system), written);
                    DeterminantZeros::Written(tape, dependencies(system, written))
                } else {
                    DeterminantZeros::Columns(dependent.to_vec())
                },
                lagrange: lagrange((system, equations), &self.changing, written),
                charts: Mutex::default(),
            })
        });
        Self {
            solvable: Some(Arc::clone(solvable)),
            regular: independent.as_ref().is_some_and(|own| own.holds(system)),
            ..self.clone()
        }
    }

    /// Runs a tape; `read` takes its outputs.
    fn run<R>(
        &self,
        tape: &Tape,
        (t, x, v): (f64, &[f64], &[f64]),
        read: impl FnOnce(&[f64]) -> R,
    ) -> R {
        BUFFERS.with_borrow_mut(|buffers| {
            let Buffers {
                inputs,
                outputs,
                work,
            } = buffers;
            self.arguments((t, x, v), inputs);
            outputs.resize(tape.outputs(), 0.0);
            tape.eval(inputs, work, outputs);
            read(outputs)
        })
    }

    /// The inputs of the tapes; velocities that are not given play no part.
    fn arguments(&self, (t, x, v): (f64, &[f64], &[f64]), inputs: &mut Vec<f64>) {
        inputs.clear();
        inputs.extend_from_slice(x);
        inputs.extend_from_slice(v);
        inputs.resize(2 * self.coordinates, 0.0);
        inputs.push(t);
        inputs.extend_from_slice(&self.parameters);
    }

    fn fill_velocities(&self, values: &[f64], out: &mut VelocityValue) -> usize {
        let (n, p) = (self.coordinates, self.velocity_constraints);
        for j in 0..p {
            for k in 0..n {
                out.rows[(j, k)] = values[j * n + k];
            }
            out.b[j] = values[p * n + j];
        }
        p * (n + 1)
    }

    fn fill(&self, values: &[f64], out: &mut ConstraintValue) -> usize {
        let m = self.constraints;
        for b in 0..m {
            out.residual[b] = values[b];
            out.scale[b] = values[m + b].max(f64::MIN_POSITIVE);
            out.f_t[b] = values[2 * m + b];
        }
        let jacobian = &self.pattern.jacobian;
        for (&(i, j), v) in jacobian.iter().zip(&values[3 * m..]) {
            out.jacobian[(i, j)] = *v;
        }
        3 * m + jacobian.len()
    }
}

/// The coordinates that each of these depends on.
fn dependencies(system: &System, list: &[Expr]) -> Vec<Vec<usize>> {
    let of = |e: &Expr| {
        let coordinates = system.coordinates.iter().enumerate();
        let own = coordinates.filter(|(_, c)| system.pool.contains_any(*e, &[c.x]));
        own.map(|(k, _)| k).collect()
    };
    list.iter().map(of).collect()
}

/// The size of the terms of each constraint.
fn scales(system: &System) -> impl Iterator<Item = Expr> {
    let pool = &system.pool;
    let constraints = system.constraints.iter();
    constraints.map(|c| pool.add(pool.rounding(c.f), pool.rounding(c.c)))
}

/// The equations in straight-line code, the parameters at their values but for those that change.
fn lagrange(
    (system, equations): (&System, &Equations),
    changing: &[Expr],
    beside: &[Expr],
) -> Option<Lagrange> {
    let pool = &system.pool;
    let symbols = inputs(system);
    let velocity = &equations.velocity;
    let values = system.parameter_values();
    let parameters = symbols.iter().skip(2 * system.coordinates.len() + 1);
    let bound = parameters.copied().zip(values.iter().copied());
    let bound: Vec<(Expr, f64)> = bound.filter(|(p, _)| !changing.contains(p)).collect();
    let rows = [&equations.gradients, &velocity.rows];
    let gamma = [&equations.gamma, &velocity.gamma];
    let (residuals, scales) = (system.residuals(), scales(system));
    let rates = equations.gradients.iter().zip(&equations.f_t);
    let rates = rates.map(|(row, f_t)| {
        let speeds = system.coordinates.iter().map(|c| c.v);
        let terms = row.iter().zip(speeds).map(|(j, v)| pool.mul(*j, v));
        pool.sum(terms.chain([*f_t]))
    });
    let parts = Parts {
        mass: &equations.mass,
        bias: &equations.bias,
        rows: &rows.into_iter().flatten().cloned().collect::<Vec<_>>(),
        gamma: &gamma.into_iter().flatten().copied().collect::<Vec<_>>(),
        residuals: &residuals.collect::<Vec<_>>(),
        scales: &scales.collect::<Vec<_>>(),
        rates: &rates.collect::<Vec<_>>(),
        beside,
    };
    Lagrange::new(pool, (&symbols, &bound), &parts)
}

impl Dynamics for CompiledSystem {
    fn coordinates(&self) -> usize {
        self.coordinates
    }

    fn constraints(&self) -> usize {
        self.constraints
    }

    fn constraint(&self, t: f64, x: &[f64], out: &mut ConstraintValue) {
        self.run(&self.positions, (t, x, &[]), |values| {
            self.fill(values, out);
        });
    }

    fn instant(&self, t: f64, x: &[f64], v: &[f64], out: &mut Instant) {
        self.run(&self.everything, (t, x, v), |values| {
            let (_, rest) = values.split_at(self.fill(values, &mut out.constraint));
            let (gamma, rest) = rest.split_at(self.constraints);
            out.gamma.copy_from_slice(gamma);
            let (bias, rest) = rest.split_at(self.coordinates);
            out.bias.copy_from_slice(bias);
            let (entries, rest) = rest.split_at(self.pattern.mass.len());
            for (&(i, j), v) in self.pattern.mass.iter().zip(entries) {
                out.mass[(i, j)] = *v;
                out.mass[(j, i)] = *v;
            }
            out.energy = rest[0];
            let (_, gamma) =
                rest[1..].split_at(self.fill_velocities(&rest[1..], &mut out.velocity));
            out.velocity_gamma.copy_from_slice(gamma);
        });
    }

    fn quick(&self, chart: Option<&[usize]>) -> Option<Box<dyn Quick>> {
        let Solvable {
            lagrange, charts, ..
        } = self.solvable.as_deref()?;
        let lagrange = lagrange.as_ref()?;
        let mut charts = charts.lock().unwrap_or_else(PoisonError::into_inner);
        let solved = charts
            .entry(chart.map(<[usize]>::to_vec))
            .or_insert_with(|| Solved::new(lagrange, chart).map(Arc::new));
        let solved = Arc::clone(solved.as_ref()?);
        // a chart divides by blocks of J_D, otherwise it is by Gram matrices
        let order = chart.map_or(PivotOrder::Square, |_| PivotOrder::Distance);
        let own = Evaluated::new(solved, order, self.coordinates, &self.parameters);
        Some(Box::new(own))
    }

    fn velocity_constraints(&self) -> usize {
        self.velocity_constraints
    }

    fn velocity(&self, t: f64, x: &[f64], out: &mut VelocityValue) {
        if self.velocity_constraints > 0 {
            self.run(&self.velocities, (t, x, &[]), |values| {
                self.fill_velocities(values, out);
            });
        }
    }

    fn blur(&self, (t, x): (f64, &[f64]), reach: &[f64]) -> Option<DMatrix<f64>> {
        let mut arguments = Vec::new();
        self.arguments((t, x, &[]), &mut arguments);
        Some(self.rows.blur(&arguments, reach))
    }

    fn may_move(&self) -> bool {
        self.changes.constraints
    }

    fn may_change_mass(&self) -> bool {
        self.changes.mass
    }

    fn constant_energy(&self, y: &[f64]) -> Option<[f64; 2]> {
        let tape = self.energy.as_ref()?;
        let (x, v) = y.split_at(self.coordinates);
        self.run(tape, (0.0, x, v), |values| values.first_chunk().copied())
    }

    fn surfaces(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        if let Some(jumps) = &self.jumps {
            self.run(&jumps.surfaces, (t, x, &[]), |values| out.extend(values));
        }
    }

    fn lagrangian(&self, t: f64, x: &[f64], v: &[f64]) -> Option<LagrangianValue> {
        let jumps = self.jumps.as_ref()?;
        let n = self.coordinates;
        Some(self.run(&jumps.beside, (t, x, v), |values| {
            let (own, rest) = values.split_at(2 + n);
            LagrangianValue {
                value: [own[0], own[1]],
                momenta: own[2..].to_vec(),
                surfaces: rest
                    .chunks_exact(n + 1)
                    .map(|one| (one[..n].to_vec(), one[n]))
                    .collect(),
            }
        }))
    }

    fn may_kink(&self) -> bool {
        self.kinks
    }

    fn may_lose_rank(&self) -> bool {
        !self.regular
    }

    fn pattern(&self) -> Option<&Pattern> {
        Some(&self.pattern)
    }

    fn factor_depends_on(&self, factor: usize) -> Option<&[usize]> {
        match &self.solvable.as_deref()?.factors {
            DeterminantZeros::Written(_, coordinates) => Some(coordinates.get(factor)?),
            DeterminantZeros::Columns(_) => None,
        }
    }

    fn factors(&self, t: f64, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        let Some(solvable) = &self.solvable else {
            return;
        };
        match &solvable.factors {
            DeterminantZeros::Written(tape, _) => {
                self.run(tape, (t, x, &[]), |values| out.extend_from_slice(values));
            }
            DeterminantZeros::Columns(columns) => {
                let mut value = ConstraintValue::new(self.coordinates, self.constraints);
                self.constraint(t, x, &mut value);
                let (m, block) = (columns.len(), value.jacobian.select_columns(columns));
                out.push(if is_large(m, m) {
                    Sparse::new(&block).determinant()
                } else {
                    block.determinant()
                });
            }
        }
    }
}
