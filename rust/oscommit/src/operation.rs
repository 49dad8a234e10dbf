// SPDX-License-Identifier: Apache-2.0
//! A started call of the C library as a future.
//!
//! Who owns what: the future and the C library each hold a count of one `Shared`. In it is all that C may touch until the
//! operation completes: the body, the sink, the caller's functions. A future that is dropped gives its count back and
//! cancels; the completion gives back the other one. The last frees the operation, which has then completed: the C library
//! allows that within the completing function and at any time later, also after the client was closed.

use crate::handle::{self, Abandoned, Handle};
use crate::hold::Answer;
use crate::verdict::{Ticket, Told};
use crate::{Code, Error, Object, text};
use oscommit_sys as sys;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::future::Future;
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// What a completed operation said.
pub(crate) enum Completion {
    Guarded(Box<Told>),
    /// The object is there if it succeeded.
    Plain(Result<Object, Error>),
    /// Of a call on leases or locks.
    Asked(Box<Answer>),
    /// It was not started: nothing was sent, and nothing will be.
    Refused(Error),
}

impl Completion {
    pub(crate) fn into_object(self) -> Result<Object, Error> {
        match self {
            Self::Plain(result) => result,
            Self::Refused(error) => Err(error),
            Self::Guarded(_) | Self::Asked(_) => Err(of_another_kind()),
        }
    }

    /// Of a call on leases or locks that succeeded.
    pub(crate) fn into_answer(self) -> Result<Answer, Error> {
        self.into_any_answer()?.into_result()
    }

    /// Of one that was started.
    pub(crate) fn into_any_answer(self) -> Result<Answer, Error> {
        match self {
            Self::Asked(answer) => Ok(*answer),
            Self::Refused(error) | Self::Plain(Err(error)) => Err(error),
            Self::Guarded(_) | Self::Plain(Ok(_)) => Err(of_another_kind()),
        }
    }
}

fn of_another_kind() -> Error {
    Error::new(Code::Protocol, "A call was answered as one of another kind.")
}

enum State {
    Waiting(Option<Waker>),
    Completed(Option<Completion>),
}

struct Shared<K> {
    /// Who is told of a guarded call whose future was dropped.
    abandoned: Option<Arc<Abandoned>>,
    /// C points into it until the completion; then it is the future's.
    kept: UnsafeCell<Option<K>>,
    /// NULL until it was started.
    operation: AtomicPtr<sys::os_operation>,
    state: Mutex<State>,
}

// SAFETY: `kept` is used by one side at a time: by C's callbacks until the completion, which takes the mutex of `state`,
// and after it by the future or by the drop. Both only need that it may go to another thread.
unsafe impl<K: Send> Sync for Shared<K> {}

impl<K> Shared<K> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Drop for Shared<K> {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Before what is kept: a lease in it is one that C still tells of.
        let unclaimed = if let State::Completed(completion) = state { completion.take() } else { None };
        if let (Some(Completion::Guarded(told)), Some(abandoned)) = (unclaimed, &self.abandoned) {
            handle::tell(abandoned, told.into_verdict());
        }
        // SAFETY: it has completed, as the C library's count is gone, and nobody else can free it. NULL is fine.
        unsafe { sys::os_operation_free(*self.operation.get_mut()) };
    }
}

/// # Safety
/// `operation` has completed.
unsafe fn read_completion(operation: *mut sys::os_operation) -> Completion {
    // SAFETY: the operation has completed, so these give what stays until it is freed.
    unsafe {
        let error = Error::from_c(&*sys::os_operation_error(operation));
        let result = sys::os_operation_result(operation);
        if !result.is_null() {
            let verdict = sys::os_operation_verdict(operation);
            let ticket = text::of_pointer((*result).ticket).map(Ticket::from);
            let has_error = sys::os_operation_code(operation) != sys::OS_OK;
            return Completion::Guarded(Box::new(Told::new(verdict, &*result, ticket, error, has_error)));
        }
        if let Some(answer) = Answer::of(operation) {
            return Completion::Asked(Box::new(answer));
        }
        if sys::os_operation_code(operation) != sys::OS_OK {
            return Completion::Plain(Err(error));
        }
        let object = sys::os_operation_object(operation);
        Completion::Plain(Ok(if object.is_null() { Object::default() } else { Object::from_c(&*object) }))
    }
}

/// # Safety
/// `context` is the count of a `Shared<K>` that `start` gave away.
unsafe extern "C" fn complete<K: Send>(context: *mut c_void, operation: *mut sys::os_operation) {
    // SAFETY: the C library calls this once, with the count that was given to it.
    let shared = unsafe { Arc::from_raw(context.cast::<Shared<K>>()) };
    shared.operation.store(operation, Ordering::Release);
    // SAFETY: it completes now.
    let completion = unsafe { read_completion(operation) };
    // What others do when they are woken, or when they are dropped here, may close this very client.
    handle::within_callback(move || {
        let before = std::mem::replace(&mut *shared.state(), State::Completed(Some(completion)));
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    });
}

/// What every os_start_... takes beside its own arguments. The pointers are good for that one call.
pub(crate) struct Begin {
    pub(crate) client: *mut sys::os_client,
    pub(crate) start: *const sys::os_start,
    pub(crate) operation: *mut *mut sys::os_operation,
    pub(crate) error: *mut sys::os_error,
}

/// A started call. Its output is what the completion said, and what was kept for the C library meanwhile.
pub(crate) struct Operation<K: Send> {
    shared: Arc<Shared<K>>,
    is_over: bool,
}

impl<K: Send> Operation<K> {
    /// Starts a call. `begin` is given a pointer to `kept`, which stays where it is and is left alone until the
    /// completion, and calls one of os_start_... with the rest.
    pub(crate) fn start(
        client: &Handle,
        kept: K,
        call: &sys::os_call,
        begin: impl FnOnce(*mut K, &Begin) -> sys::os_code,
    ) -> Self {
        let shared = Arc::new(Shared {
            abandoned: client.abandoned(),
            kept: UnsafeCell::new(Some(kept)),
            operation: AtomicPtr::new(ptr::null_mut()),
            state: Mutex::new(State::Waiting(None)),
        });
        let kept = shared.kept.get();
        // SAFETY: nobody else has `kept` yet.
        let kept: *mut K = unsafe { (*kept).as_mut() }.map_or(ptr::null_mut(), ptr::from_mut);
        let context = Arc::into_raw(Arc::clone(&shared));
        let start = sys::os_start {
            size: size_of::<sys::os_start>(),
            call,
            complete: Some(complete::<K>),
            queue: ptr::null_mut(),
            context: context.cast_mut().cast(),
        };
        let mut operation = ptr::null_mut();
        let mut error = crate::handle::no_error();
        let arguments = Begin {
            client: client.as_ptr(),
            start: &raw const start,
            operation: &raw mut operation,
            error: &raw mut error,
        };
        let code = begin(kept, &arguments);
        if code == sys::OS_OK {
            shared.operation.store(operation, Ordering::Release);
        } else {
            // SAFETY: it was not started, so no completion comes, and the count is this function's again.
            drop(unsafe { Arc::from_raw(context) });
            *shared.state() = State::Completed(Some(Completion::Refused(Error::from_c(&error))));
        }
        Self { shared, is_over: false }
    }
}

impl<K: Send> Future for Operation<K> {
    type Output = (Completion, K);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.shared.state();
        match &mut *state {
            State::Waiting(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            State::Completed(completion) => {
                let completion = completion.take().expect("a future is not polled after its end");
                // SAFETY: it has completed, so the C library does not touch it any more.
                let kept = unsafe { (*self.shared.kept.get()).take() }.expect("what was kept is taken once");
                drop(state);
                self.is_over = true;
                Poll::Ready((completion, kept))
            }
        }
    }
}

impl<K: Send> Drop for Operation<K> {
    fn drop(&mut self) {
        let operation = self.shared.operation.load(Ordering::Acquire);
        if !self.is_over && !operation.is_null() {
            // SAFETY: it is not freed while this count is held. Nothing happens to one that has completed.
            unsafe { sys::os_operation_cancel(operation) };
        }
    }
}
