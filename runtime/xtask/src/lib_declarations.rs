//! `cargo xtask lib`: cuts the sandbox's own library out of TypeScript's.
//!
//! The module a person writes is checked against what the sandbox really has ("The module", "The sandbox").
//! TypeScript ships the language's library with everything a browser or a server adds left out,
//! but with promises, locales, shared memory and run-time code left in.
//! This chore reads those files and keeps every declaration that the sandbox has.
//! It must know no rule of a document: only names of the language.

use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use swc_common::{BytePos, Span, Spanned};
use swc_ecma_ast::{Decl, Expr, ModuleItem, Stmt, TsExprWithTypeArgs, TsInterfaceDecl, TsTypeElement, VarDeclarator};
use swc_ecma_parser::{Parser, StringInput, Syntax, TsSyntax, lexer::Lexer};

/// The library's files that become one script, in the order the language grew.
const SCRIPTS: [&str; 35] = [
    "es5",
    "es2015.core",
    "es2015.collection",
    "es2015.symbol",
    "es2015.iterable",
    "es2015.generator",
    "es2015.proxy",
    "es2015.reflect",
    "es2015.symbol.wellknown",
    "es2016.array.include",
    "es2017.object",
    "es2017.string",
    "es2017.date",
    "es2017.typedarrays",
    "es2018.regexp",
    "es2019.array",
    "es2019.object",
    "es2019.string",
    "es2019.symbol",
    "es2020.bigint",
    "es2020.string",
    "es2020.symbol.wellknown",
    "es2021.promise",
    "es2021.string",
    "es2022.array",
    "es2022.error",
    "es2022.object",
    "es2022.regexp",
    "es2022.string",
    "es2023.array",
    "es2023.collection",
    "es2024.arraybuffer",
    "es2024.collection",
    "es2024.object",
    "es2024.regexp",
];

/// The rest of them, newer than the ES2023 that the seeds promise, and in the sandbox's engine all the same.
const NEWER_SCRIPTS: [&str; 5] =
    ["es2024.string", "es2025.collection", "es2025.float16", "es2025.regexp", "esnext.collection"];

/// The one file that is a module, since it adds to the global scope from within; it stays a file of its own.
const ITERATOR: &str = "es2025.iterator";

/// Declarations that the sandbox lacks.
const ABSENT: [&str; 27] = [
    // Run-time code. The interface `Function` stays: every function has that type, and the compiler needs it.
    "eval",
    "FunctionConstructor",
    "GeneratorFunctionConstructor",
    // Text functions that only old programs use, deleted from the sandbox.
    "escape",
    "unescape",
    // A module imports nothing.
    "ImportMeta",
    "ImportCallOptions",
    "ImportAssertions",
    "ImportAttributes",
    // A fold and an answer return at once.
    "Promise",
    "PromiseLike",
    "PromiseConstructor",
    "PromiseConstructorLike",
    "Awaited",
    // No locales.
    "Intl",
    "BigIntToLocaleStringOptions",
    // No shared memory.
    "SharedArrayBuffer",
    "SharedArrayBufferConstructor",
    "Atomics",
    // Weak references.
    "WeakRef",
    "WeakRefConstructor",
    "FinalizationRegistry",
    "FinalizationRegistryConstructor",
    // Disposal.
    "Disposable",
    "DisposableStack",
    "SuppressedError",
    "AsyncDisposable",
];

/// Values that the sandbox lacks although their type stays.
const ABSENT_VALUES: [&str; 1] = ["Function"];

/// Names that make a member absent wherever its declaration mentions them.
const ABSENT_WORDS: [&str; 12] = [
    "Promise",
    "PromiseLike",
    "PromiseConstructor",
    "Awaited",
    "Intl",
    "SharedArrayBuffer",
    "AsyncIterable",
    "AsyncIterator",
    "AsyncGenerator",
    "GeneratorFunctionConstructor",
    "FunctionConstructor",
    "BigIntToLocaleStringOptions",
];

/// Members that the sandbox lacks, by interface.
const ABSENT_MEMBERS: [(&str, &[&str]); 5] = [
    ("Math", &["random"]),
    (
        "Date",
        &[
            "getDate",
            "getDay",
            "getFullYear",
            "getHours",
            "getMilliseconds",
            "getMinutes",
            "getMonth",
            "getSeconds",
            "getTimezoneOffset",
            "getYear",
            "setDate",
            "setFullYear",
            "setHours",
            "setMilliseconds",
            "setMinutes",
            "setMonth",
            "setSeconds",
            "setYear",
            "toDateString",
            "toTimeString",
        ],
    ),
    ("RegExp", &["compile"]),
    (
        "RegExpConstructor",
        &[
            "$1",
            "$2",
            "$3",
            "$4",
            "$5",
            "$6",
            "$7",
            "$8",
            "$9",
            "input",
            "$_",
            "lastMatch",
            "$&",
            "lastParen",
            "$+",
            "leftContext",
            "$`",
            "rightContext",
            "$'",
        ],
    ),
    ("SymbolConstructor", &["asyncIterator", "dispose", "asyncDispose"]),
];

/// Members absent from every interface: no locale is read, and a date's local text raises.
const ABSENT_EVERYWHERE: [&str; 3] = ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"];

/// Members that the sandbox has in a plainer form.
const PLAINER: [(&str, &str, &str); 2] = [
    ("String", "toLocaleLowerCase", "toLocaleLowerCase(): string;"),
    ("String", "toLocaleUpperCase", "toLocaleUpperCase(): string;"),
];

/// The names of the written files.
const WRITTEN: [&str; 2] = ["sandbox.d.ts", "sandbox.iterator.d.ts"];

/// Writes the library's two files.
pub(crate) fn write() -> Result<()> {
    let folder = folder();
    for (name, text) in WRITTEN.iter().zip(made(&package()?)?) {
        std::fs::write(folder.join(name), text).with_context(|| format!("writing {name}"))?;
    }
    Ok(())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../typescript/lib")
}

/// The folder that holds the compiler and TypeScript's own library files.
fn package() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("PLAYBOOK_TSC_PACKAGE") {
        return Ok(PathBuf::from(folder).join("lib"));
    }
    let scope = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/node_modules/@typescript");
    let entries = std::fs::read_dir(&scope).context(
        "The TypeScript package is missing: run `npm ci` in ui, or set PLAYBOOK_TSC_PACKAGE to a package's folder",
    )?;
    for entry in entries {
        let lib = entry?.path().join("lib");
        if lib.join("lib.es5.d.ts").is_file() {
            return Ok(lib);
        }
    }
    bail!("No TypeScript package under {}", scope.display())
}

/// The text of each written file.
fn made(lib: &Path) -> Result<[String; 2]> {
    let read = |name: &str| {
        let path = lib.join(format!("lib.{name}.d.ts"));
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
    };
    let licence = licence(&read("es5")?)?;
    let mut script = licence.clone();
    for name in SCRIPTS.iter().chain(&NEWER_SCRIPTS) {
        let text = read(name)?;
        let mut cut = Cut::new(&text, name)?;
        cut.items()?;
        if !cut.out.is_empty() {
            script.push_str(&format!("\n// {name}\n{}", cut.out));
        }
    }
    let text = read(ITERATOR)?;
    let mut cut = Cut::new(&text, ITERATOR)?;
    cut.items()?;
    let iterator = format!("{licence}\n// {ITERATOR}\n{}", cut.out);
    Ok([script, iterator])
}

/// TypeScript's own licence header, with a line that says what was done to the text, as the licence asks.
fn licence(es5: &str) -> Result<String> {
    let end = es5.find("*/").context("the library begins with its licence")? + 2;
    Ok(format!(
        "{}\n\n// Changed: cut from TypeScript 7.0.2's library to what the sandbox has, by `cargo xtask lib`.\n",
        &es5[..end]
    ))
}

/// One library file being cut.
struct Cut<'a> {
    text: &'a str,
    name: &'a str,
    items: Vec<ModuleItem>,
    out: String,
}

impl<'a> Cut<'a> {
    fn new(text: &'a str, name: &'a str) -> Result<Self> {
        let end = u32::try_from(text.len()).context("a library file is small")?;
        let input = StringInput::new(text, BytePos(0), BytePos(end));
        let syntax = Syntax::Typescript(TsSyntax { dts: true, ..TsSyntax::default() });
        let mut parser = Parser::new_from(Lexer::new(syntax, swc_ecma_ast::EsVersion::EsNext, input, None));
        let module = parser.parse_module().map_err(|e| anyhow::anyhow!("{name}: {:?}", e.kind()))?;
        let errors = parser.take_errors();
        ensure!(errors.is_empty(), "{name}: {:?}", errors.first().map(swc_ecma_parser::error::Error::kind));
        Ok(Self { text, name, items: module.body, out: String::new() })
    }

    fn items(&mut self) -> Result<()> {
        for item in std::mem::take(&mut self.items) {
            self.item(&item, "")?;
        }
        Ok(())
    }

    fn item(&mut self, item: &ModuleItem, indent: &str) -> Result<()> {
        match item {
            ModuleItem::Stmt(Stmt::Decl(decl)) => self.decl(decl, indent),
            // The empty export that makes a file a module.
            ModuleItem::ModuleDecl(_) => {
                self.line(indent, &self.slice(item.span()));
                Ok(())
            }
            ModuleItem::Stmt(other) => bail!("{}: a statement at {:?}", self.name, other.span()),
        }
    }

    fn decl(&mut self, decl: &Decl, indent: &str) -> Result<()> {
        match decl {
            Decl::TsInterface(interface) => self.interface(interface, indent),
            Decl::TsTypeAlias(alias) if absent(&alias.id.sym) => {}
            Decl::Fn(function) if absent(&function.ident.sym) => {}
            Decl::Var(var) if var.decls.iter().any(absent_value) => {}
            Decl::TsModule(module) if module.global => {
                let Some(body) = module.body.as_ref().and_then(|body| body.as_ts_module_block()) else {
                    bail!("{}: an empty global declaration", self.name);
                };
                self.line(indent, "declare global {");
                for item in &body.body {
                    self.item(item, "    ")?;
                }
                self.line(indent, "}");
            }
            Decl::TsModule(module) => {
                let id = module.id.as_ident().context("a namespace has a name")?;
                if !absent(&id.sym) {
                    self.line(indent, &self.slice(decl.span()));
                }
            }
            Decl::TsTypeAlias(_) | Decl::Fn(_) | Decl::Var(_) | Decl::Class(_) => {
                self.line(indent, &self.slice(decl.span()));
            }
            Decl::TsEnum(_) | Decl::Using(_) => bail!("{}: a declaration at {:?}", self.name, decl.span()),
        }
        Ok(())
    }

    fn interface(&mut self, interface: &TsInterfaceDecl, indent: &str) {
        let name = interface.id.sym.as_str();
        if absent(name) || interface.extends.iter().any(absent_parent) {
            return;
        }
        let members: Vec<String> = interface.body.body.iter().filter_map(|member| self.member(name, member)).collect();
        // An addition with nothing left to add says nothing; an interface that was empty is a declaration.
        if members.is_empty() && !interface.body.body.is_empty() {
            return;
        }
        let head = self.slice(Span::new(interface.span.lo, interface.body.span.lo));
        if members.is_empty() {
            self.line(indent, &format!("{} {{}}", head.trim_end()));
            return;
        }
        self.line(indent, &format!("{} {{", head.trim_end()));
        for member in members {
            self.line(indent, &format!("    {member}"));
        }
        self.line(indent, "}");
    }

    fn member(&self, interface: &str, member: &TsTypeElement) -> Option<String> {
        let text = self.slice(member.span());
        let name = self.member_name(member);
        let name = name.as_deref();
        if words(&text).any(|word| ABSENT_WORDS.contains(&word)) {
            return None;
        }
        if let Some(name) = name {
            let listed = ABSENT_MEMBERS.iter().any(|(of, names)| *of == interface && names.contains(&name));
            if listed || ABSENT_EVERYWHERE.contains(&name) {
                return None;
            }
            if let Some((.., plainer)) = PLAINER.iter().find(|(of, member, _)| *of == interface && *member == name) {
                return Some((*plainer).to_owned());
            }
        }
        match member {
            // A date is made by `new`, from one value or none.
            TsTypeElement::TsCallSignatureDecl(_) if interface == "DateConstructor" => None,
            TsTypeElement::TsConstructSignatureDecl(new) if interface == "DateConstructor" && new.params.len() > 1 => {
                None
            }
            // A second parameter names locales, and with them the order of one machine.
            TsTypeElement::TsMethodSignature(method) if name == Some("localeCompare") => {
                (method.params.len() == 1).then_some(text)
            }
            _ => Some(text),
        }
    }

    fn member_name(&self, member: &TsTypeElement) -> Option<String> {
        let key: &Expr = match member {
            TsTypeElement::TsPropertySignature(it) => &it.key,
            TsTypeElement::TsMethodSignature(it) => &it.key,
            TsTypeElement::TsGetterSignature(it) => &it.key,
            TsTypeElement::TsSetterSignature(it) => &it.key,
            TsTypeElement::TsCallSignatureDecl(_)
            | TsTypeElement::TsConstructSignatureDecl(_)
            | TsTypeElement::TsIndexSignature(_) => return None,
        };
        match key {
            Expr::Ident(ident) => Some(ident.sym.to_string()),
            Expr::Lit(swc_ecma_ast::Lit::Str(text)) => Some(text.value.to_string_lossy().into_owned()),
            // `[Symbol.asyncIterator]` counts as `asyncIterator`.
            Expr::Member(access) => access.prop.as_ident().map(|ident| ident.sym.to_string()),
            _ => None,
        }
    }

    /// The text of a span on one line, without comments.
    fn slice(&self, span: Span) -> String {
        let text = &self.text[span.lo.0 as usize..span.hi.0 as usize];
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = ["//", "/*"].iter().filter_map(|mark| rest.find(mark)).min() {
            out.push_str(&rest[..at]);
            let end =
                if rest[at..].starts_with("//") { rest[at..].find('\n') } else { rest[at..].find("*/").map(|e| e + 2) };
            rest = end.map_or("", |end| &rest[at + end..]);
        }
        out.push_str(rest);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn line(&mut self, indent: &str, text: &str) {
        self.out.push_str(indent);
        self.out.push_str(text);
        self.out.push('\n');
    }
}

fn absent(name: &str) -> bool {
    ABSENT.contains(&name)
}

fn absent_value(declarator: &VarDeclarator) -> bool {
    let name = declarator.name.as_ident().map(|ident| ident.sym.as_str());
    name.is_some_and(|name| absent(name) || ABSENT_VALUES.contains(&name))
}

fn absent_parent(parent: &TsExprWithTypeArgs) -> bool {
    parent.expr.as_ident().is_some_and(|ident| absent(&ident.sym) || ABSENT_WORDS.contains(&ident.sym.as_str()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_library_is_what_the_package_gives() {
        let lib = package().expect("the TypeScript package");
        for (name, text) in WRITTEN.iter().zip(made(&lib).expect("the library is cut")) {
            let committed = std::fs::read_to_string(folder().join(name)).expect("a committed file");
            assert!(committed == text, "{name} is stale: run `cargo xtask lib`");
        }
    }

    #[test]
    fn comments_go_and_text_stays() {
        let cut = Cut { text: "a /* b */ c // d\n  e", name: "", items: Vec::new(), out: String::new() };
        assert_eq!(cut.slice(Span::new(BytePos(0), BytePos(20))), "a c e");
    }
}
