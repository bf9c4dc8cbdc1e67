//! What is said of a start: what was solved for, and other configurations.

use super::page::Page;
use super::{count, exact, joined, number, only_if, some};
use crate::report::zero;
use crate::solver::{Assembly, Placed};
use crate::system::System;

/// Values that are listed.
const VALUES: usize = 6;
/// Other configurations that are listed.
const OTHERS: usize = 2;

/// The values without what rounding leaves beside others of this size.
fn shown(list: &[Placed], size: f64) -> Vec<f64> {
    list.iter().map(|p| zero::beside(p.value, size)).collect()
}

/// `y = -0.8, z = 2`; the first of them, and how many are left out.
fn values(list: &[Placed], size: f64) -> String {
    let parts = list.iter().zip(shown(list, size));
    let parts = parts.map(|(p, value)| format!("{} = {}", p.name, number(value)));
    some(parts, VALUES)
}

/// What was found, of which so many could have been given.
fn found(list: &[Placed], free: usize, size: f64) -> String {
    let values = values(list, size);
    if free >= list.len() {
        return format!("start: {values} by the `guess` (0 where it has none)");
    }
    let nearest = format!(
        ", the nearest to the `guess` (0 where it has none): the constraints leave {free} of them free"
    );
    format!("start: found {values}{}", only_if(free > 0, nearest))
}

/// The coordinates that were found; where the start leaves some undetermined, that a point was picked and what to give.
fn placed(system: &System, account: &Assembly) -> String {
    let (list, free) = (&account.solved, account.free);
    let none = system.start.place.is_none() && list.len() == system.coordinates.len();
    if free == 0 || free >= list.len() {
        // where the constraints determine all, none is missed
        let lacks = only_if(none && free > 0, ": the file has no `start`".to_owned());
        return format!("{}{lacks}", found(list, free, account.size));
    }
    let lead = if none {
        "the file has no `start`".to_owned()
    } else {
        let what = count(free, "coordinate");
        format!("`start` leaves {what} undetermined")
    };
    let guessed = list.iter().any(|p| {
        let k = system.coordinate(&p.name);
        k.and_then(|k| system.guess.x.get(k))
            .is_some_and(|x| *x != 0.0)
    });
    let near = only_if(guessed, ", the nearest to the `guess`");
    let names = some(list.iter().map(|p| p.name.clone()), VALUES);
    let give = match list.as_slice() {
        [one, other] if free == 1 => format!("{} or {}", one.name, other.name),
        _ => format!("{free} of {names}"),
    };
    format!(
        "start: {lead}: {} was picked{near}; give {give}",
        values(list, account.size)
    )
}

/// The values of another configuration that are not those of the one taken; all where none is.
fn differing(taken: &[Placed], other: &[Placed], size: f64) -> Vec<Placed> {
    let both = shown(taken, size).into_iter().zip(shown(other, size));
    let both = both.zip(other);
    let near = |a: f64, b: f64| number(a) == number(b);
    let own: Vec<Placed> = both
        .filter(|((a, b), _)| !near(*a, *b))
        .map(|(_, p)| p.clone())
        .collect();
    if own.is_empty() { other.to_vec() } else { own }
}

/// The coordinates that were left out, and what else was found for them.
pub(super) fn positions(page: &mut Page, system: &System, account: &Assembly) {
    if account.solved.is_empty() {
        return;
    }
    page.prose(2, &placed(system, account));
    for other in account.others.iter().take(OTHERS) {
        let guess = other.guess.iter();
        let guess = joined(guess.map(|p| format!("{}: {}", p.name, exact(p.value))));
        let told = differing(&account.solved, &other.values, account.size);
        let same = only_if(told.len() < other.values.len(), " and the rest as above");
        let values = values(&told, account.size);
        page.prose(
            4,
            &format!("also found: {values}{same}, from guess: {{{guess}}}"),
        );
    }
    if account.others.len() > OTHERS {
        let rest = count(account.others.len() - OTHERS, "more configuration");
        page.prose(4, &format!("and {rest} (--json has all)"));
    }
}

/// The velocities that were left out, where they are not all zero.
pub(super) fn velocities(page: &mut Page, account: &Assembly) {
    let list = &account.solved_velocities;
    // their unit is not known
    let size = list
        .iter()
        .fold(1.0, |most: f64, p| most.max(p.value.abs()));
    if shown(list, size).iter().all(|v| *v == 0.0) {
        return;
    }
    page.prose(2, &found(list, account.free_velocities, size));
}

#[cfg(test)]
mod tests {
    use super::placed;
    use crate::analysis::{Model, Overrides};
    use crate::system::System;

    #[test]
    fn a_point_that_was_picked_is_not_called_the_nearest_to_a_guess_that_is_not_there() {
        let said = |rest: &str| {
            let text = format!(
                "coordinates: [x, y]\nlagrangian: (x'^2 + y'^2)/2\nconstraints: {{rod: x^2 + y^2 = 1}}\n{rest}"
            );
            let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
            let start = model.start(&Overrides::default()).unwrap();
            let account = model.assembly(&Overrides::default(), &start);
            placed(&model.system, &account)
        };
        let none = said("");
        assert!(
            none.starts_with("start: the file has no `start`: x = "),
            "{none}"
        );
        assert!(none.ends_with(" was picked; give x or y"), "{none}");
        let open = said("start: {x': 0}\nguess: {x: 1}\n");
        assert!(
            open.starts_with("start: `start` leaves 1 coordinate undetermined: x = 1, y = 0"),
            "{open}"
        );
        assert!(
            open.ends_with(" was picked, the nearest to the `guess`; give x or y"),
            "{open}"
        );
        assert_eq!(
            said("start: {x: 1}\nguess: {y: -1}\n"),
            "start: found y = 0"
        );
        let small = |level: &str, x: &str| {
            let text = format!(
                "coordinates: [x, y]\nlagrangian: x'^2 + y'^2\nconstraints: {{rod: x*y = {level}}}\nstart: {{x: {x}}}\n"
            );
            let model = Model::new(System::parse(&text, "test.yaml", &[]).unwrap());
            let start = model.start(&Overrides::default()).unwrap();
            placed(
                &model.system,
                &model.assembly(&Overrides::default(), &start),
            )
        };
        assert_eq!(small("1e-80", "1e-40"), "start: found y = 1e-40");
        assert_eq!(small("0", "1e-40"), "start: found y = 0");
    }
}
