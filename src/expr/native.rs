//! Machine code of a tape, once it is worth having, on the platforms that it is written for.

use super::tape::Op;

#[cfg(all(feature = "jit", target_arch = "x86_64", unix))]
mod compiled {
    use super::super::machine::MachineCode;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, OnceLock};

    /// After so many evaluations code is compiled: that costs about what they cost.
    const OFTEN: u32 = 100;

    /// A count of evaluations, and what is compiled when there are enough of them.
    #[derive(Clone, Debug, Default)]
    pub(in super::super) struct Native(Arc<(AtomicU32, OnceLock<Option<MachineCode>>)>);

    impl Native {
        /// Evaluates `code`; false where that is left to the interpreter.
        pub(in super::super) fn run(
            &self,
            code: impl FnOnce() -> super::Straight,
            inputs: &[f64],
            spills: &mut Vec<f64>,
            out: &mut [f64],
        ) -> bool {
            let (evaluations, compiled) = &*self.0;
            let machine = match compiled.get() {
                Some(machine) => machine,
                None if evaluations.fetch_add(1, Ordering::Relaxed) < OFTEN => return false,
                None => compiled.get_or_init(|| {
                    let (code, results) = code();
                    MachineCode::new(&code, &results)
                }),
            };
            machine
                .as_ref()
                .is_some_and(|machine| machine.run(inputs, spills, out))
        }
    }
}

#[cfg(not(all(feature = "jit", target_arch = "x86_64", unix)))]
mod compiled {
    /// There is none here.
    #[derive(Clone, Debug, Default)]
    pub(in super::super) struct Native(());

    impl Native {
        /// Leaves it to the interpreter.
        #[allow(clippy::unused_self)]
        pub(in super::super) fn run(
            &self,
            _code: impl FnOnce() -> super::Straight,
            _inputs: &[f64],
            _spills: &mut Vec<f64>,
            _out: &mut [f64],
        ) -> bool {
            false
        }
    }
}

pub(super) use compiled::Native;

/// Instructions of which instruction i gives value i, and which of them give the results.
pub(super) type Straight = (Vec<Op>, Vec<u32>);
