// SPDX-License-Identifier: Apache-2.0
//! Every declaration of this crate is given to a C compiler behind the headers: it refuses what they do not say.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const TYPES: &str = concat!(include_str!("../src/types.rs"), include_str!("../src/lease.rs"));
const FUNCTIONS: &str = concat!(include_str!("../src/functions.rs"), include_str!("../src/lease.rs"));
const HEADERS: [&str; 3] = ["oscommit.h", "oscommit_lease.h", "oscommit_async.h"];

fn include_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include")
}

fn headers() -> String {
    HEADERS.map(|name| std::fs::read_to_string(include_folder().join(name)).expect("the header can be read")).concat()
}

/// `*const c_char` is `const char *`.
fn in_c(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(to) = rust.strip_prefix("*const ") {
        return format!("const {} *", in_c(to));
    }
    if let Some(to) = rust.strip_prefix("*mut ") {
        return format!("{} *", in_c(to));
    }
    match rust {
        "c_int" => "int",
        "c_char" => "char",
        "c_void" => "void",
        "usize" => "size_t",
        "u64" => "uint64_t",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        other => other,
    }
    .to_string()
}

/// `name: type` with what may stand around it.
fn name_and_type(declared: &str) -> Option<(&str, &str)> {
    let (name, kind) = declared.trim().trim_end_matches(',').split_once(": ")?;
    Some((name.trim_start_matches("pub ").trim_start_matches("r#"), kind))
}

fn prototype(declared: &str) -> Option<String> {
    let (name, rest) = declared.split_once('(')?;
    let (parameters, after) = rest.rsplit_once(')')?;
    let result = after.trim().trim_end_matches(';').strip_prefix("-> ").unwrap_or("c_void");
    let parameters: Vec<String> =
        parameters.split(',').filter_map(name_and_type).map(|(name, kind)| format!("{} {name}", in_c(kind))).collect();
    let parameters = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    Some(format!("{} {name}({parameters})", in_c(result)))
}

/// Declarations as rustfmt may have broken them, each on one line.
fn on_one_line(source: &str, from: &str) -> Vec<String> {
    source
        .split(';')
        .filter_map(|piece| piece.split_once(from).map(|(_, declared)| declared))
        .map(|declared| declared.split_whitespace().collect::<Vec<_>>().join(" "))
        .map(|declared| declared.replace("( ", "(").replace(", )", ")"))
        .collect()
}

fn assert_layouts(c: &mut String) {
    for layout in oscommit_sys::layouts() {
        let name = layout.name;
        writeln!(c, "_Static_assert(sizeof({name}) == {}, \"{name}\");", layout.size).unwrap();
        for field in layout.fields {
            let field_name = field.name.trim_start_matches("r#");
            writeln!(c, "_Static_assert(offsetof({name}, {field_name}) == {}, \"{name}\");", field.offset).unwrap();
            writeln!(c, "_Static_assert(sizeof((({name} *)0)->{field_name}) == {}, \"{name}\");", field.size).unwrap();
        }
    }
}

/// Arrays have been compared by their size: only char has any.
fn assert_field_types(c: &mut String) -> usize {
    let mut within = "";
    let mut count = 0;
    for line in TYPES.lines() {
        if let Some(name) = line.trim().strip_prefix("pub struct ") {
            within = name.trim_end_matches(" {");
        } else if let Some((name, kind)) = line.trim().strip_prefix("pub ").and_then(name_and_type) {
            if !kind.starts_with('[') && !name.contains(' ') {
                let kind = in_c(kind);
                writeln!(
                    c,
                    "_Static_assert(__builtin_types_compatible_p(__typeof__((({within} *)0)->{name}), {kind}), \"{within}.{name}\");"
                )
                .unwrap();
                count += 1;
            }
        }
    }
    count
}

fn assert_constants(c: &mut String) -> Vec<String> {
    let mut names = Vec::new();
    for declared in on_one_line(TYPES, "pub const ") {
        let (name, value) = declared.split_once(": ").expect("a constant has a type");
        let (_, value) = value.split_once("= ").expect("a constant has a value");
        writeln!(c, "_Static_assert({name} == {value}, \"{name}\");").unwrap();
        names.push(name.to_string());
    }
    names
}

/// A second declaration of another type is an error in C.
fn declare_again(c: &mut String) -> Vec<String> {
    let mut names = Vec::new();
    for declared in on_one_line(FUNCTIONS, "pub fn ") {
        writeln!(c, "{};", prototype(&declared).expect("a function of this crate")).unwrap();
        names.push(declared.split('(').next().unwrap_or_default().to_string());
    }
    for declared in on_one_line(TYPES, "pub type ") {
        let Some((name, kind)) = declared.split_once(" = Option<unsafe extern \"C\" fn") else { continue };
        let function = format!("{name}{}", kind.trim_end_matches('>'));
        let function = prototype(&function).expect("a function's type");
        writeln!(c, "typedef {};", function.replacen(&format!("{name}("), &format!("(*{name})("), 1)).unwrap();
    }
    names
}

fn compile(c: &str) {
    let folder = tempfile::tempdir().expect("a folder for the compiler");
    let source = folder.path().join("agrees.c");
    std::fs::write(&source, c).expect("the source is written");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let said = Command::new(&compiler)
        .args(["-std=gnu11", "-fsyntax-only", "-Werror", "-I"])
        .args([include_folder().as_path(), source.as_path()])
        .output()
        .unwrap_or_else(|why| panic!("The C compiler {compiler} cannot be run: {why}"));
    assert!(said.status.success(), "The header disagrees:\n{}", String::from_utf8_lossy(&said.stderr));
}

fn source() -> (String, Vec<String>, Vec<String>) {
    let mut c = HEADERS.map(|name| format!("#include \"{name}\"\n")).concat();
    assert_layouts(&mut c);
    assert!(assert_field_types(&mut c) > 150, "the fields were not found in types.rs");
    let constants = assert_constants(&mut c);
    let functions = declare_again(&mut c);
    (c, constants, functions)
}

#[test]
fn the_c_compiler_agrees_with_every_declaration() {
    let (c, _, _) = source();
    compile(&c);
}

#[test]
#[should_panic(expected = "The header disagrees")]
fn the_c_compiler_notices_a_wrong_one() {
    let (c, _, _) = source();
    let wrong = c.replace("os_list_fn each, ", "os_record_fn each, ");
    assert_ne!(c, wrong, "there was nothing to make wrong");
    compile(&wrong);
}

/// Names behind `before` that start with `os_` or `OS_`, as far as letters go.
fn names_in(header: &str, before: &str) -> Vec<String> {
    header
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix(before))
        .map(|rest| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
        .collect()
}

#[test]
fn nothing_of_the_header_is_missing() {
    let (_, constants, functions) = source();
    let header = headers();
    for line in header.lines().filter(|line| line.starts_with("OS_API ")) {
        let name = line.split('(').next().and_then(|head| head.rsplit([' ', '*']).next()).unwrap_or_default();
        assert!(functions.iter().any(|known| known == name), "{name} is not declared");
    }
    let structs: Vec<&str> = oscommit_sys::layouts().map(|layout| layout.name).collect();
    for name in names_in(&header, "typedef struct ") {
        assert!(structs.contains(&name.as_str()) || TYPES.contains(&format!("pub struct {name} ")), "{name}");
    }
    for name in header.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| name.starts_with("OS_")) {
        let is_value = header.contains(&format!("{name} = ")) && !name.ends_with('_');
        assert!(!is_value || constants.iter().any(|known| known == name), "{name} is not declared");
    }
}

/// Fields that the header has and the struct has not would show as a size, but for one that fits into padding.
#[test]
fn the_fields_fill_the_structs() {
    for layout in oscommit_sys::layouts() {
        let mut end = 0;
        for field in layout.fields {
            assert!(field.offset - end < 8, "{}: a hole before {}", layout.name, field.name);
            end = field.offset + field.size;
        }
        assert!(layout.size - end < 8, "{}: a hole at its end", layout.name);
    }
}
