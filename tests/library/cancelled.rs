//! Work that is called off: it looks at nothing more, and never says that it is complete.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use holonom::analysis::{Model, Overrides, Part, Where};
use holonom::expr::{Interval, until_cancelled};
use holonom::interval::{Equations, roots};
use holonom::system::{System, builtin};

fn set() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(true))
}

fn models() -> impl Iterator<Item = (&'static str, Model)> {
    builtin().iter().map(|known| {
        let system = System::parse(known.text, known.name, &[]).unwrap();
        (known.name, Model::new(system))
    })
}

#[test]
fn branch_and_prune_looks_at_no_box() {
    let pool = holonom::expr::Pool::new();
    let x = pool.symbol("x", holonom::expr::SymbolKind::Other(0));
    let e = pool.sub(pool.mul(x, x), pool.number(2));
    let equations = Equations::new(&pool, &[x], &[], &[e]);
    let region = [Interval::new(-3.0, 3.0)];
    assert_eq!(roots(&equations, &region, 1_000_000).proven.len(), 2);
    let found = until_cancelled(&set(), || roots(&equations, &region, 1_000_000));
    assert_eq!((found.boxes, found.proven.len()), (0, 0));
    assert!(!found.complete());
}

#[test]
fn the_search_for_equilibria_gives_nothing_and_says_that_it_is_not_all() {
    for (name, model) in models() {
        let found = until_cancelled(&set(), || model.equilibria(&Where::default()));
        assert!(!found.complete(), "{name}");
        assert!(found.list.is_empty() && found.relative.is_empty(), "{name}");
    }
}

#[test]
fn an_atlas_and_a_map_have_no_boxes() {
    for (name, model) in models() {
        if model.system.constraints.is_empty() {
            continue;
        }
        let site = model.site(&Overrides::default()).unwrap();
        let part = Part::new(model.default_region(&site.x, &[]), site.t);
        let atlas = until_cancelled(&set(), || model.atlas(part.clone(), None));
        assert!(!atlas.complete && atlas.boxes == 0, "{name}");
        assert!(atlas.charts.is_empty(), "{name}");
        let dependent = model.choice(None, (site.t, &site.x), &[]);
        let Some(plane) = model.plane(&dependent, (None, None)) else {
            continue;
        };
        let map = until_cancelled(&set(), || {
            model.map(part, &dependent, plane, (40, 20), 1_000_000)
        });
        assert!(
            !map.paving.complete && map.paving.tiles.is_empty(),
            "{name}"
        );
        assert!(map.singular.is_none_or(|roots| roots.boxes == 0), "{name}");
    }
}
