//! The walk over a parsed module that finds every broken rule.

use super::text::{first_line, word};
use super::variables::{is_variable, pattern_targets, targets};
use super::{AT_ONCE, ERASABLE, ExportedFunction, Finding, FunctionKind, Judged, REACH, Rule, TOP, edit, finding};
use crate::parse::span;
use playbook_model::limits;
use playbook_model::position::Span;
use swc_common::Spanned;
use swc_ecma_ast::{
    ArrowExpr, AssignExpr, AutoAccessor, AwaitExpr, CallExpr, Callee, ClassMethod, Constructor, Decl, Decorator,
    DefaultDecl, ExportSpecifier, Expr, FnDecl, FnExpr, ForHead, ForInStmt, ForOfStmt, Function, GetterProp,
    MetaPropExpr, MetaPropKind, MethodProp, Module, ModuleDecl, ModuleExportName, ModuleItem, NewExpr, PrivateMethod,
    SetterProp, Stmt, TsEnumDecl, TsImportType, TsModuleDecl, TsModuleName, TsParamProp, TsTypeAssertion, UpdateExpr,
    UsingDecl, VarDecl,
};
use swc_ecma_visit::{Visit, VisitWith};

pub(super) fn module(text: &str, module: &Module) -> Judged {
    let mut walk = Walk::new(text);
    if module.shebang.is_some() {
        let line = first_line(text, Span::new(0, text.len()));
        walk.refuse_top(line, "Remove the line; the runtime runs the program itself.");
    }
    for item in &module.body {
        walk.top(item);
    }
    module.visit_with(&mut walk);
    walk.judged
}

pub(super) fn expression(text: &str, expr: &Expr) -> Vec<Finding> {
    let mut walk = Walk::new(text);
    expr.visit_with(&mut walk);
    walk.judged.findings
}

/// A function the walk is in.
struct Scope {
    is_async: bool,
    assignments: usize,
}

struct Walk<'a> {
    text: &'a str,
    judged: Judged,
    scopes: Vec<Scope>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, judged: Judged::default(), scopes: vec![Scope { is_async: false, assignments: 0 }] }
    }

    fn found(&mut self, finding: Finding) {
        self.judged.findings.push(finding);
    }

    // The top level.

    fn top(&mut self, item: &ModuleItem) {
        match item {
            ModuleItem::ModuleDecl(declaration) => self.top_declaration(declaration),
            ModuleItem::Stmt(Stmt::Empty(_)) => {}
            ModuleItem::Stmt(Stmt::Decl(decl)) => self.top_unexported(decl),
            ModuleItem::Stmt(other) => {
                self.refuse_top(span(other.span()), "Move it into the function that needs it.");
            }
        }
    }

    fn top_declaration(&mut self, declaration: &ModuleDecl) {
        let whole = span(declaration.span());
        match declaration {
            ModuleDecl::Import(_) | ModuleDecl::ExportAll(_) | ModuleDecl::TsImportEquals(_) => {
                self.refuse_reach("module.import", whole, whole);
            }
            ModuleDecl::ExportNamed(list) => {
                for specifier in &list.specifiers {
                    if let ExportSpecifier::Named(named) = specifier {
                        let name = named.exported.as_ref().unwrap_or(&named.orig);
                        self.judged.refused_names.push(exported_name(name));
                    }
                }
                if list.src.is_some() {
                    self.refuse_reach("module.import", whole, whole);
                } else {
                    self.refuse_top(whole, "Write `export` before each function itself.");
                }
            }
            ModuleDecl::ExportDecl(export) => self.top_exported(whole, &export.decl),
            ModuleDecl::ExportDefaultDecl(export) => match &export.decl {
                DefaultDecl::Fn(function) => {
                    let at = word(self.text, whole, "default").unwrap_or(whole);
                    self.exported("default", at, &function.function);
                }
                DefaultDecl::TsInterfaceDecl(_) => {}
                DefaultDecl::Class(_) => {
                    self.judged.refused_names.push("default".into());
                    self.refuse_top(whole, "Export a function by default instead of a class.");
                }
            },
            ModuleDecl::ExportDefaultExpr(_) => {
                self.judged.refused_names.push("default".into());
                self.refuse_top(whole, "Write the default export as `export default function (…) { … }`.");
            }
            ModuleDecl::TsExportAssignment(_) | ModuleDecl::TsNamespaceExport(_) => {
                self.refuse_top(whole, "Write `export` before each function itself.");
            }
        }
    }

    fn top_exported(&mut self, whole: Span, decl: &Decl) {
        if is_declared(decl) {
            return;
        }
        match decl {
            Decl::Fn(function) => {
                let name = span(function.ident.span);
                self.exported(&function.ident.sym, name, &function.function);
            }
            Decl::Class(_) | Decl::Var(_) | Decl::Using(_) => {
                self.refuse_names(decl);
                self.refuse_top(whole, "Move it into the function that needs it, or write it as an exported function.");
            }
            // Types stay; an enum and a namespace are found as more than types.
            Decl::TsInterface(_) | Decl::TsTypeAlias(_) | Decl::TsEnum(_) | Decl::TsModule(_) => {}
        }
    }

    fn top_unexported(&mut self, decl: &Decl) {
        if is_declared(decl) {
            return;
        }
        match decl {
            Decl::Fn(function) => {
                let name = function.ident.sym.to_string();
                if self.judged.refused_names.contains(&name) {
                    return;
                }
                self.refuse_names(decl);
                let whole = span(decl.span());
                let covers = first_line(self.text, whole);
                let mut found = finding(Rule::Own, "module.top", covers, Span::new(whole.start, whole.start), TOP);
                found.diagnostic = found
                    .diagnostic
                    .hint("Export the function, or write it inside the function that uses it.")
                    .fix("Export it", edit(Span::new(whole.start, whole.start), "export "));
                self.found(found);
            }
            Decl::Class(_) | Decl::Var(_) | Decl::Using(_) => {
                self.refuse_names(decl);
                self.refuse_top(span(decl.span()), "Move it into the function that needs it.");
            }
            Decl::TsInterface(_) | Decl::TsTypeAlias(_) | Decl::TsEnum(_) | Decl::TsModule(_) => {}
        }
    }

    fn exported(&mut self, name: &str, at: Span, function: &Function) {
        let later = function.is_async || function.is_generator;
        if function.is_generator && !function.is_async {
            let covers = self.head(span(function.span), function);
            self.found(finding(Rule::AtOnce, "module.generator", at, covers, AT_ONCE));
        }
        // Overloads come before the function they describe and are one export with it.
        if !self.judged.functions.iter().any(|known| known.name == name) {
            let kind = if later { FunctionKind::Later } else { FunctionKind::AtOnce };
            self.judged.functions.push(ExportedFunction { name: name.to_owned(), span: at, kind });
        }
    }

    fn refuse_names(&mut self, decl: &Decl) {
        let names = &mut self.judged.refused_names;
        match decl {
            Decl::Fn(function) => names.push(function.ident.sym.to_string()),
            Decl::Class(class) => names.push(class.ident.sym.to_string()),
            Decl::Var(var) => {
                names.extend(var.decls.iter().filter_map(|it| it.name.as_ident()).map(|it| it.sym.to_string()));
            }
            _ => {}
        }
    }

    fn refuse_top(&mut self, whole: Span, hint: &str) {
        let at = first_line(self.text, whole);
        let mut found = finding(Rule::Own, "module.top", at, Span::new(whole.start, whole.start), TOP);
        found.diagnostic = found.diagnostic.hint(hint);
        self.found(found);
    }

    fn refuse_reach(&mut self, code: &str, whole: Span, covers: Span) {
        let at = first_line(self.text, whole);
        let mut found = finding(Rule::Own, code, at, covers, REACH);
        let hint = match code {
            "module.import" => "Only the language's own library is there; write what you need in the module.",
            "module.code" => "Write the code itself instead of a text of it.",
            _ => "The runtime declares the types a module needs.",
        };
        found.diagnostic = found.diagnostic.hint(hint);
        self.found(found);
    }

    fn refuse_erasable(&mut self, code: &str, at: Span, covers: Span, hint: &str) {
        let mut found = finding(Rule::Erasable, code, at, covers, ERASABLE);
        found.diagnostic = found.diagnostic.hint(hint);
        self.found(found);
    }

    // Functions.

    /// From a function's first byte to its body: its name, parameters and result.
    fn head(&self, whole: Span, function: &Function) -> Span {
        Span::new(whole.start, function.body.as_ref().map_or(whole.end, |body| span(body.span).start))
    }

    fn waits(&mut self, head: Span) {
        let Some(keyword) = word(self.text, head, "async") else {
            self.found(finding(Rule::AtOnce, "module.async", head, head, AT_ONCE));
            return;
        };
        let after = &self.text[keyword.end..];
        let space = after.len() - after.trim_start().len();
        let mut found = finding(Rule::AtOnce, "module.async", keyword, Span::new(keyword.start, head.end), AT_ONCE);
        found.diagnostic =
            found.diagnostic.fix("Remove `async`", edit(Span::new(keyword.start, keyword.end + space), ""));
        self.found(found);
    }

    /// Something is awaited; where the function around it is async, that was said already.
    fn awaited(&mut self, at: Span) {
        if !self.scopes.last().is_some_and(|scope| scope.is_async) {
            self.found(finding(Rule::AtOnce, "module.await", at, at, AT_ONCE));
        }
    }

    fn inside(&mut self, is_async: bool, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(Scope { is_async, assignments: 0 });
        visit(self);
        self.scopes.pop();
    }

    fn assigned(&mut self, at: Span, times: usize) {
        let Some(scope) = self.scopes.last_mut() else { return };
        let before = scope.assignments;
        scope.assignments += times;
        if before <= limits::ASSIGNMENTS && scope.assignments > limits::ASSIGNMENTS {
            let mut found =
                finding(Rule::Own, "module.assignments", at, Span::new(at.start, at.start), super::ASSIGNMENTS);
            found.diagnostic = found.diagnostic.hint("Keep the values in a list or an object, or split the function.");
            self.found(found);
        }
    }
}

impl Visit for Walk<'_> {
    fn visit_fn_decl(&mut self, node: &FnDecl) {
        if node.declare {
            self.refuse_reach("module.declare", span(node.span()), span(node.span()));
            return;
        }
        if node.function.is_async {
            self.waits(self.head(span(node.span()), &node.function));
        }
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        if node.function.is_async {
            self.waits(self.head(span(node.span()), &node.function));
        }
        node.visit_children_with(self);
    }

    fn visit_class_method(&mut self, node: &ClassMethod) {
        if node.function.is_async {
            self.waits(self.head(span(node.span), &node.function));
        }
        node.visit_children_with(self);
    }

    fn visit_private_method(&mut self, node: &PrivateMethod) {
        if node.function.is_async {
            self.waits(self.head(span(node.span), &node.function));
        }
        node.visit_children_with(self);
    }

    fn visit_method_prop(&mut self, node: &MethodProp) {
        if node.function.is_async {
            let start = span(node.function.span).start.min(span(node.key.span()).start);
            self.waits(self.head(Span::new(start, span(node.function.span).end), &node.function));
        }
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        self.inside(node.is_async, |walk| node.visit_children_with(walk));
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        if node.is_async {
            let body = span(node.body.span()).start;
            self.waits(Span::new(span(node.span).start, body));
        }
        self.inside(node.is_async, |walk| node.visit_children_with(walk));
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(false, |walk| node.visit_children_with(walk));
    }

    fn visit_getter_prop(&mut self, node: &GetterProp) {
        self.inside(false, |walk| node.visit_children_with(walk));
    }

    fn visit_setter_prop(&mut self, node: &SetterProp) {
        self.inside(false, |walk| node.visit_children_with(walk));
    }

    fn visit_await_expr(&mut self, node: &AwaitExpr) {
        let start = span(node.span).start;
        self.awaited(Span::new(start, start + "await".len()));
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        let whole = span(node.span);
        if node.is_await {
            let head = Span::new(whole.start, span(node.body.span()).start);
            self.awaited(word(self.text, head, "await").unwrap_or(head));
        }
        self.assigned_by_loop(&node.left);
        node.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.assigned_by_loop(&node.left);
        node.visit_children_with(self);
    }

    fn visit_using_decl(&mut self, node: &UsingDecl) {
        if node.is_await {
            let whole = span(node.span);
            self.awaited(Span::new(whole.start, whole.start + "await".len()));
        }
        node.visit_children_with(self);
    }

    // Reaching out.

    fn visit_call_expr(&mut self, node: &CallExpr) {
        match &node.callee {
            Callee::Import(_) => self.refuse_reach("module.import", span(node.span), span(node.span)),
            Callee::Expr(callee) => {
                if let Expr::Ident(name) = &**callee {
                    match name.sym.as_str() {
                        "require" => self.refuse_reach("module.import", span(node.span), span(name.span)),
                        "eval" | "Function" => self.refuse_reach("module.code", span(node.span), span(name.span)),
                        _ => {}
                    }
                }
            }
            Callee::Super(_) => {}
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        if let Expr::Ident(name) = &*node.callee
            && name.sym == "Function"
        {
            self.refuse_reach("module.code", span(node.span), span(name.span));
        }
        node.visit_children_with(self);
    }

    fn visit_meta_prop_expr(&mut self, node: &MetaPropExpr) {
        if node.kind == MetaPropKind::ImportMeta {
            let at = span(node.span);
            // The compiler complains about the member that follows.
            let rest = &self.text[at.end.min(self.text.len())..];
            let member =
                rest.len() - rest.trim_start_matches(|c: char| c.is_alphanumeric() || ".?_$".contains(c)).len();
            self.refuse_reach("module.import", at, Span::new(at.start, at.end + member));
        }
    }

    fn visit_ts_import_type(&mut self, node: &TsImportType) {
        self.refuse_reach("module.import", span(node.span), span(node.span));
    }

    fn visit_var_decl(&mut self, node: &VarDecl) {
        if node.declare {
            self.refuse_reach("module.declare", span(node.span), span(node.span));
            return;
        }
        node.visit_children_with(self);
    }

    fn visit_decl(&mut self, node: &Decl) {
        let declared = match node {
            Decl::Class(it) => it.declare,
            Decl::TsInterface(it) => it.declare,
            Decl::TsTypeAlias(it) => it.declare,
            // The others say so where they are visited.
            _ => false,
        };
        if declared {
            self.refuse_reach("module.declare", span(node.span()), span(node.span()));
            return;
        }
        node.visit_children_with(self);
    }

    // More than types.

    fn visit_ts_enum_decl(&mut self, node: &TsEnumDecl) {
        if node.declare {
            self.refuse_reach("module.declare", span(node.span), span(node.span));
            return;
        }
        self.refuse_erasable(
            "module.enum",
            span(node.id.span),
            span(node.span),
            "Write a type of the values instead, such as `type Verdict = 'approve' | 'reject'`.",
        );
    }

    fn visit_ts_module_decl(&mut self, node: &TsModuleDecl) {
        let whole = span(node.span);
        if node.declare || node.global || matches!(node.id, TsModuleName::Str(_)) {
            self.refuse_reach("module.declare", whole, whole);
            return;
        }
        self.refuse_erasable(
            "module.namespace",
            span(node.id.span()),
            whole,
            "Write its types and functions at the top level of the module.",
        );
    }

    fn visit_ts_param_prop(&mut self, node: &TsParamProp) {
        let at = span(node.span);
        self.refuse_erasable(
            "module.parameter_property",
            at,
            at,
            "Declare the field in the class and set it in the constructor.",
        );
        node.visit_children_with(self);
    }

    fn visit_ts_type_assertion(&mut self, node: &TsTypeAssertion) {
        let whole = span(node.span);
        let at = Span::new(whole.start, span(node.expr.span()).start);
        self.refuse_erasable("module.cast", at, at, "Write the cast as `value as Type`.");
        node.visit_children_with(self);
    }

    fn visit_decorator(&mut self, node: &Decorator) {
        let at = span(node.span);
        self.refuse_erasable("module.decorator", at, at, "Call the function where its result is needed.");
    }

    fn visit_auto_accessor(&mut self, node: &AutoAccessor) {
        let at = first_line(self.text, span(node.span));
        let covers = Span::new(at.start, at.start);
        let mut found = finding(Rule::Own, "module.accessor", at, covers, super::ACCESSOR);
        found.diagnostic = found.diagnostic.hint("Write a field, or a getter and a setter.");
        self.found(found);
        node.visit_children_with(self);
    }

    // Assignments.

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        self.assigned(span(node.span), targets(&node.left));
        node.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, node: &UpdateExpr) {
        self.assigned(span(node.span), usize::from(is_variable(&node.arg)));
        node.visit_children_with(self);
    }
}

impl Walk<'_> {
    fn assigned_by_loop(&mut self, head: &ForHead) {
        if let ForHead::Pat(pattern) = head {
            self.assigned(span(pattern.span()), pattern_targets(pattern));
        }
    }
}

fn is_declared(decl: &Decl) -> bool {
    match decl {
        Decl::Class(it) => it.declare,
        Decl::Fn(it) => it.declare,
        Decl::Var(it) => it.declare,
        Decl::TsInterface(it) => it.declare,
        Decl::TsTypeAlias(it) => it.declare,
        Decl::TsEnum(it) => it.declare,
        Decl::TsModule(it) => it.declare || it.global,
        Decl::Using(_) => false,
    }
}

fn exported_name(name: &ModuleExportName) -> String {
    match name {
        ModuleExportName::Ident(ident) => ident.sym.to_string(),
        ModuleExportName::Str(text) => text.value.to_string_lossy().into_owned(),
    }
}
