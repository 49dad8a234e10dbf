// SPDX-License-Identifier: Apache-2.0
//! Writes to an object store that happen exactly once, and only if nothing changed.
//!
//! A safe interface to the C library `liboscommit`. [`Client`] has its calls as futures; each guarded write ends with a
//! [`Verdict`], the truth about itself. `Store` is the same below the trait `ObjectStore` of the crate `object_store`, so
//! that what is built on that crate gets this guard by one line. docs/rust.md tells more.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let root = folder.path().join("store");
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use oscommit::{Client, Options, PutOptions, Verdict};
//!
//! Client::init(&root)?;
//! let client = Client::open(Options::new(format!("file://{}", root.display())))?;
//! match client.put_if_absent("report.json", "{}", &PutOptions::default()).await {
//!     Verdict::Committed(committed) => println!("ours: {:?}", committed.etag),
//!     Verdict::Conflict(_) => println!("somebody was first"),
//!     Verdict::NotExecuted(error) => return Err(error.into()),
//!     Verdict::Unknown(unknown) => println!("keep this ticket: {:?}", unknown.ticket),
//! }
//! # Ok(())
//! # })
//! # }
//! ```

#![deny(missing_docs, unsafe_code)]

// The examples of the document are tests. Runs: docs/rust.md
#[cfg(all(doctest, feature = "object_store_0_12"))]
#[doc = include_str!("../../../docs/rust.md")]
struct Document;

// Who may have unsafe code: what speaks with C, and nothing else.
#[allow(unsafe_code)]
mod body;
#[allow(unsafe_code)]
mod calls;
mod client;
mod error;
#[allow(unsafe_code)]
mod handle;
#[allow(unsafe_code)]
mod hold;
mod lease;
mod lock;
mod object;
#[allow(unsafe_code)]
mod operation;
#[allow(unsafe_code)]
mod options;
#[allow(unsafe_code)]
mod sink;
#[cfg(feature = "store")]
mod store;
#[allow(unsafe_code)]
mod text;
#[allow(unsafe_code)]
mod transform;
mod verdict;

pub use body::Body;
pub use client::{Client, GetOptions, ListOptions, SettleOptions, UpdateOptions};
pub use error::{Code, Error};
pub use handle::{LogLevel, library_version};
pub use lease::{Lease, LeaseInfo, LeaseOptions, LeaseStatus};
pub use lock::{Lock, LockError, LockInfo};
pub use object::Object;
pub use options::{CallOptions, Guard, Options, PutOptions};
#[cfg(feature = "store")]
pub use store::{PutMultipartMode, Store};
pub use transform::Current;
pub use verdict::{Committed, Conflict, Report, Ticket, Unknown, Verdict, WriteError};
