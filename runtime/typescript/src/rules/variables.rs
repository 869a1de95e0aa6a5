//! Which variables an assignment sets. "Bounds": 500 assignments to variables in one function.
//!
//! A member of an object is no variable.

use swc_ecma_ast::{AssignTarget, AssignTargetPat, Expr, ObjectPatProp, Pat, SimpleAssignTarget};

/// How many variables an assignment sets.
pub(super) fn targets(target: &AssignTarget) -> usize {
    match target {
        AssignTarget::Simple(simple) => match simple {
            SimpleAssignTarget::Ident(_) => 1,
            SimpleAssignTarget::Paren(it) => usize::from(is_variable(&it.expr)),
            SimpleAssignTarget::TsAs(it) => usize::from(is_variable(&it.expr)),
            SimpleAssignTarget::TsSatisfies(it) => usize::from(is_variable(&it.expr)),
            SimpleAssignTarget::TsNonNull(it) => usize::from(is_variable(&it.expr)),
            SimpleAssignTarget::TsTypeAssertion(it) => usize::from(is_variable(&it.expr)),
            _ => 0,
        },
        AssignTarget::Pat(AssignTargetPat::Array(list)) => list.elems.iter().flatten().map(pattern_targets).sum(),
        AssignTarget::Pat(AssignTargetPat::Object(object)) => object.props.iter().map(property_targets).sum(),
        AssignTarget::Pat(AssignTargetPat::Invalid(_)) => 0,
    }
}

pub(super) fn pattern_targets(pattern: &Pat) -> usize {
    match pattern {
        Pat::Ident(_) => 1,
        Pat::Array(list) => list.elems.iter().flatten().map(pattern_targets).sum(),
        Pat::Object(object) => object.props.iter().map(property_targets).sum(),
        Pat::Rest(rest) => pattern_targets(&rest.arg),
        Pat::Assign(with_default) => pattern_targets(&with_default.left),
        Pat::Expr(expr) => usize::from(is_variable(expr)),
        Pat::Invalid(_) => 0,
    }
}

fn property_targets(property: &ObjectPatProp) -> usize {
    match property {
        ObjectPatProp::KeyValue(pair) => pattern_targets(&pair.value),
        ObjectPatProp::Assign(_) => 1,
        ObjectPatProp::Rest(rest) => pattern_targets(&rest.arg),
    }
}

pub(super) fn is_variable(expr: &Expr) -> bool {
    match expr {
        Expr::Ident(_) => true,
        Expr::Paren(it) => is_variable(&it.expr),
        Expr::TsAs(it) => is_variable(&it.expr),
        Expr::TsNonNull(it) => is_variable(&it.expr),
        _ => false,
    }
}
