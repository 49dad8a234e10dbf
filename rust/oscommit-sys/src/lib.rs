// SPDX-License-Identifier: Apache-2.0
//! Declarations of the C interface of liboscommit (`oscommit.h`, `oscommit_async.h` and `oscommit_lease.h`), and nothing else.
//!
//! The headers say what each function does, who owns what, and which thread runs a callback. The crate `oscommit` is a
//! safe interface over these. `tests/c_agrees.rs` gives every declaration to a C compiler together with the headers, so
//! that neither can change alone.

#![allow(non_camel_case_types)]

mod functions;
mod layout;
mod lease;
mod types;

pub use functions::*;
pub use layout::{Field, Layout};
pub use lease::*;
pub use types::*;

/// The layout of every struct of this crate, in the order of the headers.
pub fn layouts() -> impl Iterator<Item = &'static Layout> {
    types::LAYOUTS.iter().chain(lease::LAYOUTS)
}
