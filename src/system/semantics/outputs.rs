//! What a file proposes to show: plots and a drawing.

use super::Builder;
use super::expect::shown;
use super::fields::Fields;
use super::symbols::Symbols;
use crate::expr::Expr;
use crate::system::names::{Context, Reach};
use crate::system::schema::{Node, Value};
use crate::system::{OutputExpr, Picture, PlotSpec, quote};

const PLOT: Context = Context::new("a plot", Reach::Outputs);

const DRAWING: Context = Context::new("a picture", Reach::Configuration);

/// The keys of a plot.
pub const PLOT_KEYS: [&str; 3] = ["x", "y", "title"];

/// The keys of `picture`.
pub const PICTURE_KEYS: [&str; 2] = ["points", "lines"];

/// The columns that stand in a list without the table round them.
fn columns(items: &[Node]) -> Option<String> {
    let columns = items.iter().map(|item| match &item.value {
        Value::Scalar(scalar) if !item.is_nothing() => Some(scalar.value.as_str()),
        _ => None,
    });
    let columns: Option<Vec<&str>> = columns.collect();
    Some(quote(&columns?.join(", ")))
}

impl Builder<'_> {
    /// The plots.
    pub fn plots(&mut self, fields: &Fields, symbols: &Symbols) -> Vec<PlotSpec> {
        let expected = "a list of plots such as `{x: t, y: [x1]}`";
        let items = self.list_of(fields, "plots", expected);
        if let Some(first) = items.first()
            && let Some(columns) = columns(items)
        {
            let expected = "a table such as `{x: t, y: [x1]}`";
            let help = format!("write `plots: [{{x: t, y: [{columns}]}}]`");
            let none = self.wrong_kind_with(first, ("a plot", expected), Some(help));
            return none.unwrap_or_default();
        }
        items
            .iter()
            .filter_map(|item| self.plot(item, symbols))
            .collect()
    }

    fn plot(&mut self, node: &Node, symbols: &Symbols) -> Option<PlotSpec> {
        let fields = self.fields(node, "a plot", &PLOT_KEYS)?;
        let title = self.text(&fields, "title");
        let x = match fields.get("x") {
            Some(node) => self.output(node, "`x`"),
            None => Some(OutputExpr {
                text: "t".to_owned(),
                expr: symbols.t,
            }),
        };
        let Some(y) = fields.get("y") else {
            return self.refuse_with(
                node.span.clone(),
                "a plot needs `y`",
                "write `{x: t, y: [x1]}`",
            );
        };
        let y: Vec<OutputExpr> = match &y.value {
            Value::Sequence(items) if !items.is_empty() => {
                let parts: Vec<_> = items.iter().map(|item| self.output(item, "`y`")).collect();
                parts.into_iter().collect::<Option<_>>()?
            }
            _ => vec![self.output(y, "`y`")?],
        };
        Some(PlotSpec { x: x?, y, title })
    }

    fn output(&mut self, node: &Node, what: &str) -> Option<OutputExpr> {
        let expr = self.expression(node, what, PLOT)?;
        let text = shown(node);
        Some(OutputExpr { text, expr })
    }

    /// The drawing.
    pub fn picture(&mut self, fields: &Fields) -> Option<Picture> {
        let node = fields.get("picture")?;
        let fields = self.fields(node, "`picture`", &PICTURE_KEYS)?;
        let mut picture = Picture::default();
        if let Some(node) = fields.get("points") {
            picture.points = self.points(node, "`points`");
        }
        let expected = "a list of lines such as `[[[0, 0], [x, y]]]`";
        for line in self.list_of(&fields, "lines", expected) {
            let points = self.points(line, "a line");
            if points.len() < 2 && self.errors.is_empty() {
                self.fail(line.span.clone(), "a line must have at least two points");
            }
            picture.lines.push(points);
        }
        Some(picture)
    }

    fn points(&mut self, node: &Node, what: &str) -> Vec<[Expr; 2]> {
        let expected = "a list of points such as `[[x, y]]`";
        let items = self.list(node, what, expected).unwrap_or_default();
        items.iter().filter_map(|item| self.point(item)).collect()
    }

    fn point(&mut self, node: &Node) -> Option<[Expr; 2]> {
        let [x, y] = self.list(
            node,
            "a point",
            "a list of two expressions such as `[x, y]`",
        )?
        else {
            return self.refuse(node.span.clone(), "a point must have two components");
        };
        let x = self.expression(x, "a component", DRAWING);
        let y = self.expression(y, "a component", DRAWING);
        Some([x?, y?])
    }
}
