//! What hangs together.

/// What is known to be one.
#[derive(Clone, Debug)]
pub struct Groups(Vec<usize>);

impl Groups {
    /// So many that are apart.
    pub fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    /// The first of those that are one with this.
    pub fn of(&self, mut k: usize) -> usize {
        while self.0[k] != k {
            k = self.0[k];
        }
        k
    }

    /// Are these one?
    pub fn same(&self, a: usize, b: usize) -> bool {
        self.of(a) == self.of(b)
    }

    /// Makes these one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// Those that are one, group by group.
    pub fn list(&self) -> Vec<Vec<usize>> {
        let mut list: Vec<Vec<usize>> = vec![Vec::new(); self.0.len()];
        for k in 0..self.0.len() {
            list[self.of(k)].push(k);
        }
        list.retain(|group| !group.is_empty());
        list
    }
}
