// SPDX-License-Identifier: Apache-2.0
//! The types and functions of `include/oscommit_lease.h`, and what `include/oscommit_async.h` has of them, in their order.
//! Those headers say what they mean and do.

use crate::c_structs;
use crate::types::*;
use std::ffi::{c_char, c_int, c_uint, c_void};

pub type os_lease_status = c_uint;
pub const OS_LEASE_HELD: os_lease_status = 1;
pub const OS_LEASE_AT_RISK: os_lease_status = 2;
pub const OS_LEASE_LOST: os_lease_status = 3;

pub const OS_LEASE_HANDLE_SIZE: usize = 64;

#[repr(C)]
pub struct os_lease {
    _private: [u8; 0],
}

pub type os_lease_changed_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, lease: *mut os_lease, status: os_lease_status)>;
pub type os_lease_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, info: *const os_lease_info) -> c_int>;
pub type os_lock_fn = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        name_space: *const c_char,
        name: *const c_char,
        info: *const os_lock_info,
    ) -> c_int,
>;

c_structs! {
pub struct os_lease_options {
    pub size: usize,
    pub ttl_s: u64,
    pub wait: c_int,
    pub fencing: c_int,
    pub owner: *const c_char,
    pub changed: os_lease_changed_fn,
    pub context: *mut c_void,
}

pub struct os_lease_info {
    pub size: usize,
    pub held: c_int,
    pub foreign: c_int,
    pub expiry_s: i64,
    pub ttl_ms: u64,
    pub token: u64,
    pub version: [c_char; 132],
    pub owner: [c_char; 256],
}

pub struct os_lock {
    pub size: usize,
    pub name_space: *const c_char,
    pub name: *const c_char,
    pub owner: *const c_char,
    pub instance: *const c_char,
}

pub struct os_lock_info {
    pub size: usize,
    pub held: c_int,
    pub owner: [c_char; 256],
    pub instance: [c_char; 256],
    pub duration_s: u64,
    pub expiry_s: i64,
}
}

unsafe extern "C" {
    pub fn os_lease_acquire(
        client: *mut os_client,
        name: *const c_char,
        options: *const os_lease_options,
        call: *const os_call,
        ret: *mut *mut os_lease,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lease_state(lease: *const os_lease) -> os_lease_status;
    pub fn os_lease_remaining_ms(lease: *const os_lease) -> u64;
    pub fn os_lease_token(lease: *const os_lease) -> u64;
    pub fn os_lease_release(lease: *mut os_lease, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_lease_free(lease: *mut os_lease);
    pub fn os_lease_handle(lease: *const os_lease, ret: *mut c_char, err: *mut os_error) -> os_code;
    pub fn os_lease_detach(lease: *mut os_lease, err: *mut os_error) -> os_code;
    pub fn os_lease_adopt(
        client: *mut os_client,
        name: *const c_char,
        handle: *const c_char,
        options: *const os_lease_options,
        call: *const os_call,
        ret: *mut *mut os_lease,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lease_read(
        client: *mut os_client,
        name: *const c_char,
        call: *const os_call,
        ret: *mut os_lease_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lease_list(
        client: *mut os_client,
        call: *const os_call,
        each: os_lease_fn,
        context: *mut c_void,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lease_table_create(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_lease_table_check(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_lock_acquire(
        client: *mut os_client,
        lock: *const os_lock,
        duration_s: u64,
        call: *const os_call,
        ret: *mut os_lock_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_renew(
        client: *mut os_client,
        lock: *const os_lock,
        duration_s: u64,
        call: *const os_call,
        ret: *mut os_lock_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_release(
        client: *mut os_client,
        lock: *const os_lock,
        call: *const os_call,
        ret: *mut os_lock_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_read(
        client: *mut os_client,
        lock: *const os_lock,
        call: *const os_call,
        ret: *mut os_lock_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_break(
        client: *mut os_client,
        lock: *const os_lock,
        call: *const os_call,
        ret: *mut os_lock_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_list(
        client: *mut os_client,
        name_space: *const c_char,
        call: *const os_call,
        each: os_lock_fn,
        context: *mut c_void,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_lock_table_create(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_lock_table_check(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_operation_lease(operation: *mut os_operation) -> *mut os_lease;
    pub fn os_operation_lease_info(operation: *const os_operation) -> *const os_lease_info;
    pub fn os_operation_lock_info(operation: *const os_operation) -> *const os_lock_info;
    pub fn os_start_lease_acquire(
        client: *mut os_client,
        name: *const c_char,
        options: *const os_lease_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_adopt(
        client: *mut os_client,
        name: *const c_char,
        handle: *const c_char,
        options: *const os_lease_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_release(
        lease: *mut os_lease,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_detach(
        lease: *mut os_lease,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_read(
        client: *mut os_client,
        name: *const c_char,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_list(
        client: *mut os_client,
        each: os_lease_fn,
        each_context: *mut c_void,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_table_create(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lease_table_check(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_acquire(
        client: *mut os_client,
        lock: *const os_lock,
        duration_s: u64,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_renew(
        client: *mut os_client,
        lock: *const os_lock,
        duration_s: u64,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_release(
        client: *mut os_client,
        lock: *const os_lock,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_read(
        client: *mut os_client,
        lock: *const os_lock,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_break(
        client: *mut os_client,
        lock: *const os_lock,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_list(
        client: *mut os_client,
        name_space: *const c_char,
        each: os_lock_fn,
        each_context: *mut c_void,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_table_create(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_lock_table_check(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
}
