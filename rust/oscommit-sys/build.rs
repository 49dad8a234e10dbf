// SPDX-License-Identifier: Apache-2.0
//! Finds liboscommit, or builds it (feature `vendored`).

use std::env;
use std::path::Path;

const LIB_DIR: &str = "OSCOMMIT_LIB_DIR";

fn main() {
    println!("cargo::rerun-if-env-changed={LIB_DIR}");
    if let Some(folder) = env::var_os(LIB_DIR) {
        println!("cargo::rustc-link-search=native={}", Path::new(&folder).display());
        println!("cargo::rustc-link-lib=dylib=oscommit");
    } else {
        find();
    }
}

/// What the static library needs stands in the `.pc` file that its own build has written.
#[cfg(feature = "vendored")]
fn find() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(
        root.join("include/oscommit.h").is_file(),
        "The feature `vendored` builds the C library from the repository of oscommit, and {} is not in one. \
         Depend on the crate by git or path, or install liboscommit and leave the feature out.",
        env!("CARGO_MANIFEST_DIR")
    );
    for watched in ["include", "src", "cmake", "CMakeLists.txt"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }
    let out = cmake::Config::new(&root)
        .define("OSCOMMIT_TESTS", "OFF")
        .define("OSCOMMIT_WITH_LIBS3", "OFF")
        .build_target("oscommit_static")
        .build();
    let build = out.join("build");
    println!("cargo::rustc-link-search=native={}", build.join("src").display());
    println!("cargo::rustc-link-lib=static=oscommit");
    let described = std::fs::read_to_string(build.join("oscommit.pc")).expect("cmake writes oscommit.pc");
    let private = described.lines().find_map(|line| line.strip_prefix("Libs.private:"));
    for word in private.unwrap_or_default().split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo::rustc-link-search=native={folder}");
        } else if let Some(name) = word.strip_prefix("-l") {
            println!("cargo::rustc-link-lib=dylib={name}");
        }
    }
}

#[cfg(not(feature = "vendored"))]
fn find() {
    if let Err(why) = pkg_config::Config::new().atleast_version(env!("CARGO_PKG_VERSION")).probe("oscommit") {
        panic!(
            "liboscommit was not found by pkg-config: {why}\nInstall it (cmake --install), or name its folder in \
             {LIB_DIR}, or build it from the repository by the feature `vendored` of oscommit-sys."
        );
    }
}
