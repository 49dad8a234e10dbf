// SPDX-License-Identifier: Apache-2.0
//! Leases and locks as C has them: what is held, what is told of it, and the calls.

use crate::handle::{Handle, within_callback};
use crate::lease::{LeaseInfo, LeaseOptions, LeaseStatus};
use crate::lock::{Lock, LockInfo};
use crate::operation::{Begin, Operation};
use crate::options::CallOptions;
use crate::text::{of_pointer, pointer, to_c};
use crate::{Code, Error};
use oscommit_sys as sys;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

type Started<K> = Result<Operation<K>, Error>;

/// A lease of the C library. It is released in the background when it is dropped.
pub(crate) struct Held(NonNull<sys::os_lease>);

// SAFETY: the functions of a lease may be called from any thread, and nothing of it belongs to one.
unsafe impl Send for Held {}
// SAFETY: the same; what ends it takes it.
unsafe impl Sync for Held {}

impl Held {
    pub(crate) fn status(&self) -> LeaseStatus {
        // SAFETY: it is held, or lost, and was not ended.
        match unsafe { sys::os_lease_state(self.0.as_ptr()) } {
            sys::OS_LEASE_HELD => LeaseStatus::Held,
            sys::OS_LEASE_AT_RISK => LeaseStatus::AtRisk,
            _ => LeaseStatus::Lost,
        }
    }

    pub(crate) fn remaining(&self) -> Duration {
        // SAFETY: as above.
        Duration::from_millis(unsafe { sys::os_lease_remaining_ms(self.0.as_ptr()) })
    }

    pub(crate) fn token(&self) -> u64 {
        // SAFETY: as above.
        unsafe { sys::os_lease_token(self.0.as_ptr()) }
    }

    pub(crate) fn handle(&self) -> Result<String, Error> {
        let mut text: [c_char; sys::OS_LEASE_HANDLE_SIZE] = [0; sys::OS_LEASE_HANDLE_SIZE];
        let mut error = crate::handle::no_error();
        // SAFETY: as above, and the array has the size that the header asks for.
        match unsafe { sys::os_lease_handle(self.0.as_ptr(), text.as_mut_ptr(), &raw mut error) } {
            sys::OS_OK => Ok(crate::text::of_array(&text)),
            _ => Err(Error::from_c(&error)),
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: it was not ended, and this is its only owner.
        unsafe { sys::os_lease_free(self.0.as_ptr()) };
    }
}

/// Who wants to know that the state of a lease is another one. C has its address as long as the lease.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<Vec<Waker>>);

impl Watchers {
    fn wakers(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, waker: &Waker) {
        let mut wakers = self.wakers();
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    fn wake(&self) {
        let wakers = std::mem::take(&mut *self.wakers());
        for waker in wakers {
            // A waker that panics must not end the program: there is nobody to tell it.
            let _ = catch_unwind(AssertUnwindSafe(|| within_callback(|| waker.wake())));
        }
    }
}

/// # Safety
/// `context` is an `Arc<Watchers>` that the lease's owner has.
unsafe extern "C" fn changed(context: *mut c_void, _lease: *mut sys::os_lease, _status: sys::os_lease_status) {
    let watchers = context.cast_const().cast::<Watchers>();
    // SAFETY: the caller says so. Who is woken may end the lease, and its owner's count with it.
    let watchers = unsafe {
        Arc::increment_strong_count(watchers);
        Arc::from_raw(watchers)
    };
    watchers.wake();
}

/// What a completed call on leases or locks has.
pub(crate) struct Answer {
    pub(crate) error: Option<Error>,
    pub(crate) lease: Option<Held>,
    pub(crate) lease_info: Option<LeaseInfo>,
    pub(crate) lock_info: Option<LockInfo>,
}

impl Answer {
    /// `None`: of another call.
    ///
    /// # Safety
    /// `operation` has completed, and nobody has taken its lease.
    pub(crate) unsafe fn of(operation: *mut sys::os_operation) -> Option<Self> {
        // SAFETY: the operation has completed, so these give what stays until it is freed.
        unsafe {
            let lease_info = sys::os_operation_lease_info(operation).as_ref()?;
            let lock_info = sys::os_operation_lock_info(operation).as_ref()?;
            let failed = sys::os_operation_code(operation) != sys::OS_OK;
            Some(Self {
                error: failed.then(|| Error::from_c(&*sys::os_operation_error(operation))),
                lease: NonNull::new(sys::os_operation_lease(operation)).map(Held),
                lease_info: (lease_info.size != 0).then(|| lease_info_of(lease_info)),
                lock_info: (lock_info.size != 0).then(|| lock_info_of(lock_info)),
            })
        }
    }

    pub(crate) fn into_result(self) -> Result<Self, Error> {
        match self.error {
            None => Ok(self),
            Some(error) => Err(error),
        }
    }
}

pub(crate) fn missing() -> Error {
    Error::new(Code::Protocol, "The C library has completed a call without what it is to give.")
}

fn lease_info_of(info: &sys::os_lease_info) -> LeaseInfo {
    LeaseInfo {
        is_held: info.held != 0,
        is_foreign: info.foreign != 0,
        expiry_s: info.expiry_s,
        ttl: Duration::from_millis(info.ttl_ms),
        token: info.token,
        owner: crate::text::of_array(&info.owner),
    }
}

fn lock_info_of(info: &sys::os_lock_info) -> LockInfo {
    LockInfo {
        is_held: info.held != 0,
        owner: crate::text::of_array(&info.owner),
        instance: crate::text::of_array(&info.instance),
        duration: Duration::from_secs(info.duration_s),
        expiry_s: info.expiry_s,
    }
}

// ---------------------------------------------------------------------------------------------------------- leases

fn seconds(duration: Duration) -> u64 {
    duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0))
}

/// Acquires, or adopts where there is a handle. What is kept are those who want to know of a change.
pub(crate) fn acquire(
    client: &Handle,
    call: CallOptions,
    name: &str,
    handle: Option<&str>,
    options: &LeaseOptions,
) -> Started<Arc<Watchers>> {
    let name = to_c("name of the lease", name)?;
    let handle = handle.map(|handle| to_c("handle of the lease", handle)).transpose()?;
    let owner = options.owner.as_deref().map(|owner| to_c("owner of the lease", owner)).transpose()?;
    let watchers = Arc::new(Watchers::default());
    let options = sys::os_lease_options {
        size: size_of::<sys::os_lease_options>(),
        ttl_s: options.ttl.map_or(0, |ttl| seconds(ttl).max(1)),
        wait: c_int::from(options.wait),
        fencing: c_int::from(options.fencing),
        owner: pointer(owner.as_ref()),
        changed: Some(changed),
        context: Arc::as_ptr(&watchers).cast_mut().cast(),
    };
    let (name, options) = (name.as_ptr(), &raw const options);
    Ok(Operation::start(client, watchers, &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call, but the watchers, which stay as long as the lease.
        unsafe {
            match &handle {
                None => sys::os_start_lease_acquire(with.client, name, options, with.start, with.operation, with.error),
                Some(handle) => sys::os_start_lease_adopt(
                    with.client,
                    name,
                    handle.as_ptr(),
                    options,
                    with.start,
                    with.operation,
                    with.error,
                ),
            }
        }
    }))
}

/// A lease on its way out. It is the operation's when that was started; else it is dropped with this.
pub(crate) struct Ending {
    held: Option<Held>,
    /// C may call it until the end.
    _watchers: Arc<Watchers>,
}

pub(crate) fn end(
    client: &Handle,
    call: CallOptions,
    held: Held,
    watchers: Arc<Watchers>,
    releases: bool,
) -> Operation<Ending> {
    let begin = if releases { sys::os_start_lease_release } else { sys::os_start_lease_detach };
    let ending = Ending { held: Some(held), _watchers: watchers };
    Operation::start(client, ending, &call.to_c(), |kept, with| {
        // SAFETY: nobody else has what is kept before it was started, and the lease's owner gave it.
        let held = unsafe { (*kept).held.take() };
        let Some(held) = held else { return sys::OS_ERR_ARGUMENT };
        let held = std::mem::ManuallyDrop::new(held);
        // SAFETY: the lease was not ended; all else is borrowed for the call.
        let code = unsafe { begin(held.0.as_ptr(), with.start, with.operation, with.error) };
        if code != sys::OS_OK {
            // SAFETY: it was not started, so what is kept is still this function's alone.
            unsafe { (*kept).held = Some(std::mem::ManuallyDrop::into_inner(held)) };
        }
        code
    })
}

pub(crate) fn read_lease(client: &Handle, call: CallOptions, name: &str) -> Started<()> {
    let name = to_c("name of the lease", name)?;
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { sys::os_start_lease_read(with.client, name.as_ptr(), with.start, with.operation, with.error) }
    }))
}

// ------------------------------------------------------------------------------------------------------------ lists

/// # Safety
/// `context` is a `Vec` that nobody else uses; the others are what the C library gives an os_lease_fn.
unsafe extern "C" fn take_lease(context: *mut c_void, name: *const c_char, info: *const sys::os_lease_info) -> c_int {
    // SAFETY: the caller says so; one call at a time.
    let (leases, name, info) =
        unsafe { (&mut *context.cast::<Vec<(String, LeaseInfo)>>(), of_pointer(name), lease_info_of(&*info)) };
    leases.push((name.unwrap_or_default(), info));
    0
}

pub(crate) fn list_leases(client: &Handle, call: CallOptions) -> Operation<Vec<(String, LeaseInfo)>> {
    Operation::start(client, Vec::new(), &call.to_c(), |kept, with| {
        // SAFETY: `kept` stays where it is until the completion, and all else is borrowed for the call.
        unsafe {
            sys::os_start_lease_list(with.client, Some(take_lease), kept.cast(), with.start, with.operation, with.error)
        }
    })
}

/// A lock of a list: its namespace, its name, and what stands there.
pub(crate) type Listed = (String, String, LockInfo);

/// # Safety
/// As of `take_lease`, of an os_lock_fn.
unsafe extern "C" fn take_lock(
    context: *mut c_void,
    name_space: *const c_char,
    name: *const c_char,
    info: *const sys::os_lock_info,
) -> c_int {
    // SAFETY: the caller says so; one call at a time.
    let (locks, listed) = unsafe {
        let listed =
            (of_pointer(name_space).unwrap_or_default(), of_pointer(name).unwrap_or_default(), lock_info_of(&*info));
        (&mut *context.cast::<Vec<Listed>>(), listed)
    };
    locks.push(listed);
    0
}

pub(crate) fn list_locks(client: &Handle, call: CallOptions, name_space: Option<&str>) -> Started<Vec<Listed>> {
    let name_space = name_space.map(|text| to_c("namespace of the locks", text)).transpose()?;
    let name_space = pointer(name_space.as_ref());
    Ok(Operation::start(client, Vec::new(), &call.to_c(), |kept, with| {
        // SAFETY: as of `list_leases`.
        unsafe {
            sys::os_start_lock_list(
                with.client,
                name_space,
                Some(take_lock),
                kept.cast(),
                with.start,
                with.operation,
                with.error,
            )
        }
    }))
}

// ------------------------------------------------------------------------------------------------------------ locks

/// What is asked of a lock.
#[derive(Clone, Copy)]
pub(crate) enum Ask {
    Acquire(Duration),
    Renew(Duration),
    Release,
    Read,
    Break,
}

/// # Safety
/// `lock` and `with` are good for one call.
unsafe fn begin_lock(ask: Ask, lock: *const sys::os_lock, with: &Begin) -> sys::os_code {
    let Begin { client, start, operation, error } = *with;
    // SAFETY: the caller says so.
    unsafe {
        match ask {
            Ask::Acquire(duration) => {
                sys::os_start_lock_acquire(client, lock, seconds(duration), start, operation, error)
            }
            Ask::Renew(duration) => sys::os_start_lock_renew(client, lock, seconds(duration), start, operation, error),
            Ask::Release => sys::os_start_lock_release(client, lock, start, operation, error),
            Ask::Read => sys::os_start_lock_read(client, lock, start, operation, error),
            Ask::Break => sys::os_start_lock_break(client, lock, start, operation, error),
        }
    }
}

pub(crate) fn ask_lock(client: &Handle, call: CallOptions, lock: &Lock, ask: Ask) -> Started<()> {
    let name_space = to_c("namespace of the lock", &lock.namespace)?;
    let name = to_c("name of the lock", &lock.name)?;
    let owner = to_c("owner of the lock", &lock.owner)?;
    let instance = to_c("instance of the lock", &lock.instance)?;
    let lock = sys::os_lock {
        size: size_of::<sys::os_lock>(),
        name_space: name_space.as_ptr(),
        name: name.as_ptr(),
        owner: owner.as_ptr(),
        instance: instance.as_ptr(),
    };
    Ok(Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { begin_lock(ask, &raw const lock, with) }
    }))
}

/// Which table, and what of it.
pub(crate) fn table(client: &Handle, call: CallOptions, locks: bool, create: bool) -> Operation<()> {
    let begin = match (locks, create) {
        (false, false) => sys::os_start_lease_table_check,
        (false, true) => sys::os_start_lease_table_create,
        (true, false) => sys::os_start_lock_table_check,
        (true, true) => sys::os_start_lock_table_create,
    };
    Operation::start(client, (), &call.to_c(), |_, with| {
        // SAFETY: all is borrowed for the call.
        unsafe { begin(with.client, with.start, with.operation, with.error) }
    })
}
