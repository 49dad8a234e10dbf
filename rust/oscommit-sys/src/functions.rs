// SPDX-License-Identifier: Apache-2.0
//! The functions of `include/oscommit.h` and `include/oscommit_async.h`, in their order. Those headers say what they do.
//! What they have on leases and locks stands in `lease.rs`.

use crate::types::*;
use std::ffi::{c_char, c_int, c_void};

unsafe extern "C" {
    pub fn os_version() -> *const c_char;
    pub fn os_version_details(each: os_version_detail_fn, context: *mut c_void);
    pub fn os_verdict_name(verdict: os_verdict) -> *const c_char;
    pub fn os_code_name(code: os_code) -> *const c_char;
    pub fn os_code_text(code: os_code) -> *const c_char;
    pub fn os_escape_text(text: *const c_char, length: usize, ret: *mut c_char, ret_size: usize) -> usize;
    pub fn os_options_from_environment(options: *mut os_options, err: *mut os_error) -> os_code;
    pub fn os_client_open(options: *const os_options, ret: *mut *mut os_client, err: *mut os_error) -> os_code;
    pub fn os_client_close(client: *mut os_client);
    pub fn os_init(root: *const c_char, err: *mut os_error) -> os_code;
    pub fn os_cancel_new(ret: *mut *mut os_cancel) -> os_code;
    pub fn os_cancel_trigger(cancel: *mut os_cancel);
    pub fn os_cancel_free(cancel: *mut os_cancel);
    pub fn os_client_warm(
        client: *mut os_client,
        connections: u32,
        call: *const os_call,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_credentials_explain(
        client: *mut os_client,
        of_ledger: c_int,
        call: *const os_call,
        each: os_credentials_source_fn,
        context: *mut c_void,
        ret: *mut os_credentials_info,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_result_clear(result: *mut os_result);
    pub fn os_put_if_absent(
        client: *mut os_client,
        key: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_put_if_match(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_copy_if_not_exists(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        options: *const os_copy_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_copy_if_match(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        etag: *const c_char,
        options: *const os_copy_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_rename_if_not_exists(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        options: *const os_copy_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_delete_if_match(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_resolve(
        client: *mut os_client,
        ticket: *const c_char,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_settle(
        client: *mut os_client,
        ticket: *const c_char,
        options: *const os_resolve_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_update(
        client: *mut os_client,
        key: *const c_char,
        transform: os_transform_fn,
        context: *mut c_void,
        options: *const os_update_options,
        call: *const os_call,
        ret: *mut os_result,
        err: *mut os_error,
    ) -> os_verdict;
    pub fn os_head(
        client: *mut os_client,
        key: *const c_char,
        call: *const os_call,
        ret: *mut os_object,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_head_version(
        client: *mut os_client,
        key: *const c_char,
        version_id: *const c_char,
        call: *const os_call,
        ret: *mut os_object,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_get(
        client: *mut os_client,
        key: *const c_char,
        sink: *const os_sink,
        call: *const os_call,
        ret: *mut os_object,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_free(data: *mut c_void);
    pub fn os_put(
        client: *mut os_client,
        key: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        call: *const os_call,
        ret: *mut os_object,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_delete(client: *mut os_client, key: *const c_char, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_list(
        client: *mut os_client,
        options: *const os_list_options,
        call: *const os_call,
        each: os_list_fn,
        context: *mut c_void,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_presign(
        client: *mut os_client,
        key: *const c_char,
        options: *const os_presign_options,
        ret_url: *mut *mut c_char,
        ret_headers: *mut *mut c_char,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_table_create(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_table_check(client: *mut os_client, call: *const os_call, err: *mut os_error) -> os_code;
    pub fn os_table_list(
        client: *mut os_client,
        key: *const c_char,
        call: *const os_call,
        each: os_record_fn,
        context: *mut c_void,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_table_release(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        force: c_int,
        call: *const os_call,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_gc(
        client: *mut os_client,
        options: *const os_gc_options,
        call: *const os_call,
        each: os_garbage_fn,
        context: *mut c_void,
        ret: *mut os_gc_result,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_store_probe(
        client: *mut os_client,
        options: *const os_probe_options,
        call: *const os_call,
        ret_profile: *mut *mut c_char,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_operation_verdict(operation: *const os_operation) -> os_verdict;
    pub fn os_operation_code(operation: *const os_operation) -> os_code;
    pub fn os_operation_result(operation: *const os_operation) -> *const os_result;
    pub fn os_operation_object(operation: *const os_operation) -> *const os_object;
    pub fn os_operation_error(operation: *const os_operation) -> *const os_error;
    pub fn os_operation_context(operation: *const os_operation) -> *mut c_void;
    pub fn os_operation_cancel(operation: *mut os_operation);
    pub fn os_operation_free(operation: *mut os_operation);
    pub fn os_queue_new(ret: *mut *mut os_queue) -> os_code;
    pub fn os_queue_take(queue: *mut os_queue, wait_ms: u64) -> *mut os_operation;
    pub fn os_queue_free(queue: *mut os_queue);
    pub fn os_start_put_if_absent(
        client: *mut os_client,
        key: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_put_if_match(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_copy_if_not_exists(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        options: *const os_copy_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_copy_if_match(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        etag: *const c_char,
        options: *const os_copy_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_rename_if_not_exists(
        client: *mut os_client,
        source: *const c_char,
        key: *const c_char,
        options: *const os_copy_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_delete_if_match(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_resolve(
        client: *mut os_client,
        ticket: *const c_char,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_settle(
        client: *mut os_client,
        ticket: *const c_char,
        options: *const os_resolve_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_update(
        client: *mut os_client,
        key: *const c_char,
        transform: os_transform_fn,
        transform_context: *mut c_void,
        options: *const os_update_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_head(
        client: *mut os_client,
        key: *const c_char,
        version_id: *const c_char,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_get(
        client: *mut os_client,
        key: *const c_char,
        sink: *const os_sink,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_put(
        client: *mut os_client,
        key: *const c_char,
        body: *const os_body,
        options: *const os_put_options,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_delete(
        client: *mut os_client,
        key: *const c_char,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_list(
        client: *mut os_client,
        options: *const os_list_options,
        each: os_list_fn,
        each_context: *mut c_void,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_table_create(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_table_check(
        client: *mut os_client,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_table_list(
        client: *mut os_client,
        key: *const c_char,
        each: os_record_fn,
        each_context: *mut c_void,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_table_release(
        client: *mut os_client,
        key: *const c_char,
        etag: *const c_char,
        force: c_int,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_start_client_warm(
        client: *mut os_client,
        connections: u32,
        start: *const os_start,
        ret: *mut *mut os_operation,
        err: *mut os_error,
    ) -> os_code;
    pub fn os_client_fd(client: *const os_client) -> c_int;
    pub fn os_client_step(client: *mut os_client, err: *mut os_error) -> os_code;
    pub fn os_client_timeout_ms(client: *const os_client) -> i64;
}
