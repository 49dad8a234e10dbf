// SPDX-License-Identifier: Apache-2.0
//! The types of `include/oscommit.h` and `include/oscommit_async.h`, in their order. Those headers say what they mean.

use crate::c_structs;
use std::ffi::{c_char, c_int, c_uint, c_void};

pub type os_verdict = c_uint;
pub const OS_COMMITTED: os_verdict = 1;
pub const OS_CONFLICT: os_verdict = 2;
pub const OS_NOT_EXECUTED: os_verdict = 3;
pub const OS_UNKNOWN: os_verdict = 4;

pub type os_code = c_uint;
pub const OS_OK: os_code = 0;
pub const OS_ERR_ARGUMENT: os_code = 1;
pub const OS_ERR_CONFIG: os_code = 2;
pub const OS_ERR_NO_MEMORY: os_code = 3;
pub const OS_ERR_CREDENTIALS: os_code = 4;
pub const OS_ERR_DENIED: os_code = 5;
pub const OS_ERR_NOT_FOUND: os_code = 6;
pub const OS_ERR_NO_BUCKET: os_code = 7;
pub const OS_ERR_NO_TABLE: os_code = 8;
pub const OS_ERR_TABLE: os_code = 9;
pub const OS_ERR_REGION: os_code = 10;
pub const OS_ERR_CONFLICT: os_code = 11;
pub const OS_ERR_SOURCE: os_code = 12;
pub const OS_ERR_TOO_LARGE: os_code = 13;
pub const OS_ERR_BODY: os_code = 14;
pub const OS_ERR_THROTTLED: os_code = 15;
pub const OS_ERR_DEADLINE: os_code = 16;
pub const OS_ERR_CANCELLED: os_code = 17;
pub const OS_ERR_EXPIRED: os_code = 18;
pub const OS_ERR_BUSY: os_code = 19;
pub const OS_ERR_NETWORK: os_code = 20;
pub const OS_ERR_TLS: os_code = 21;
pub const OS_ERR_PROTOCOL: os_code = 22;
pub const OS_ERR_SERVICE: os_code = 23;
pub const OS_ERR_REFUSED: os_code = 24;
pub const OS_ERR_IO: os_code = 25;
pub const OS_ERR_NO_SPACE: os_code = 26;
pub const OS_ERR_UNSUPPORTED: os_code = 27;
pub const OS_ERR_UNDECIDED: os_code = 28;
pub const OS_ERR_STOPPED: os_code = 29;
pub const OS_ERR_IN_FLIGHT: os_code = 30;

pub type os_presign_method = c_uint;
pub const OS_PRESIGN_GET: os_presign_method = 0;
pub const OS_PRESIGN_HEAD: os_presign_method = 1;
pub const OS_PRESIGN_PUT_IF_ABSENT: os_presign_method = 2;

pub type os_guard = c_uint;
pub const OS_GUARD_AUTO: os_guard = 0;
pub const OS_GUARD_RECORD: os_guard = 1;
pub const OS_GUARD_NATIVE: os_guard = 2;
pub const OS_GUARD_BOTH: os_guard = 3;

pub type os_log_level = c_uint;
pub const OS_LOG_ERROR: os_log_level = 1;
pub const OS_LOG_WARN: os_log_level = 2;
pub const OS_LOG_INFO: os_log_level = 3;
pub const OS_LOG_DEBUG: os_log_level = 4;

pub type os_metric_kind = c_uint;
pub const OS_METRIC_REQUEST: os_metric_kind = 1;
pub const OS_METRIC_GUARDED: os_metric_kind = 2;

pub type os_release = c_uint;
pub const OS_RELEASE_ON_FAILURE: os_release = 0;
pub const OS_RELEASE_ALWAYS: os_release = 1;

pub type os_toggle = c_uint;
pub const OS_AUTO: os_toggle = 0;
pub const OS_ON: os_toggle = 1;
pub const OS_OFF: os_toggle = 2;

pub type os_addressing = c_uint;
pub const OS_ADDRESSING_AUTO: os_addressing = 0;
pub const OS_ADDRESSING_PATH: os_addressing = 1;
pub const OS_ADDRESSING_VIRTUAL: os_addressing = 2;

pub type os_signature = c_uint;
pub const OS_SIGNATURE_V4: os_signature = 0;
pub const OS_SIGNATURE_V2: os_signature = 1;

pub type os_garbage_kind = c_uint;
pub const OS_GARBAGE_UPLOAD: os_garbage_kind = 1;
pub const OS_GARBAGE_RECORD: os_garbage_kind = 2;

pub type os_garbage_fate = c_uint;
pub const OS_GARBAGE_FOUND: os_garbage_fate = 1;
pub const OS_GARBAGE_REMOVED: os_garbage_fate = 2;
pub const OS_GARBAGE_SPARED: os_garbage_fate = 3;
pub const OS_GARBAGE_FAILED: os_garbage_fate = 4;

pub type os_gc_listing = c_uint;
pub const OS_GC_LISTING_WHOLE: os_gc_listing = 1;
pub const OS_GC_LISTING_UNPROVEN: os_gc_listing = 2;
pub const OS_GC_LISTING_NONE: os_gc_listing = 3;
pub const OS_GC_LISTING_PARTIAL: os_gc_listing = 4;

#[repr(C)]
pub struct os_client {
    _private: [u8; 0],
}

#[repr(C)]
pub struct os_cancel {
    _private: [u8; 0],
}

#[repr(C)]
pub struct os_operation {
    _private: [u8; 0],
}

#[repr(C)]
pub struct os_queue {
    _private: [u8; 0],
}

pub type os_version_detail_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, value: *const c_char)>;
pub type os_log_fn = Option<unsafe extern "C" fn(context: *mut c_void, level: os_log_level, line: *const c_char)>;
pub type os_metric_fn = Option<unsafe extern "C" fn(context: *mut c_void, metric: *const os_metric)>;
pub type os_credentials_source_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, source: *const c_char, used: c_int, reason: *const c_char)>;
pub type os_credentials_fn = Option<unsafe extern "C" fn(context: *mut c_void, ret: *mut os_credentials) -> c_int>;
pub type os_progress_fn = Option<unsafe extern "C" fn(context: *mut c_void, done_bytes: u64, total_bytes: u64)>;
pub type os_read_fn = Option<unsafe extern "C" fn(context: *mut c_void, ret_data: *mut c_void, size: usize) -> i64>;
pub type os_transform_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, current: *const os_current, ret: *mut os_body) -> c_int>;
pub type os_sink_fn = Option<unsafe extern "C" fn(context: *mut c_void, data: *const c_void, length: usize) -> c_int>;
pub type os_list_fn = Option<unsafe extern "C" fn(context: *mut c_void, object: *const os_object) -> c_int>;
pub type os_record_fn = Option<unsafe extern "C" fn(context: *mut c_void, record: *const os_record) -> c_int>;
pub type os_garbage_fn = Option<unsafe extern "C" fn(context: *mut c_void, garbage: *const os_garbage) -> c_int>;
pub type os_probe_fn =
    Option<unsafe extern "C" fn(context: *mut c_void, question: *const c_char, done: u32, total: u32)>;
pub type os_complete_fn = Option<unsafe extern "C" fn(context: *mut c_void, operation: *mut os_operation)>;

c_structs! {
pub struct os_error {
    pub code: os_code,
    pub http_status: c_int,
    pub service_code: [c_char; 64],
    pub request_id: [c_char; 128],
    pub message: [c_char; 1024],
}

pub struct os_metric {
    pub size: usize,
    pub kind: os_metric_kind,
    pub operation: *const c_char,
    pub duration_us: u64,
    pub http_status: c_int,
    pub verdict: os_verdict,
    pub guards: u32,
    pub requests: u32,
    pub guard: os_guard,
    pub request: *const c_char,
}

pub struct os_credentials {
    pub size: usize,
    pub access_key_id: *const c_char,
    pub secret_access_key: *const c_char,
    pub session_token: *const c_char,
    pub expires_s: i64,
}

pub struct os_credentials_info {
    pub size: usize,
    pub source: [c_char; 32],
    pub key_end: [c_char; 8],
    pub expires_s: i64,
}

pub struct os_presign_options {
    pub size: usize,
    pub method: os_presign_method,
    pub expires_s: u32,
    pub version_id: *const c_char,
    pub content_type: *const c_char,
}

pub struct os_options {
    pub size: usize,
    pub store_url: *const c_char,
    pub ledger_url: *const c_char,
    pub s3_endpoint: *const c_char,
    pub s3_region: *const c_char,
    pub s3_addressing: os_addressing,
    pub signature: os_signature,
    pub dynamodb_endpoint: *const c_char,
    pub dynamodb_region: *const c_char,
    pub ca_file: *const c_char,
    pub access_key_id: *const c_char,
    pub secret_access_key: *const c_char,
    pub session_token: *const c_char,
    pub profile: *const c_char,
    pub credentials: os_credentials_fn,
    pub credentials_context: *mut c_void,
    pub dynamodb_access_key_id: *const c_char,
    pub dynamodb_secret_access_key: *const c_char,
    pub dynamodb_session_token: *const c_char,
    pub dynamodb_profile: *const c_char,
    pub dynamodb_credentials: os_credentials_fn,
    pub dynamodb_credentials_context: *mut c_void,
    pub no_environment: c_int,
    pub timeout_ms: u64,
    pub max_clock_skew_rate: u32,
    pub ttl_s: u64,
    pub length_s: u32,
    pub allowance_s: u32,
    pub margin_s: u32,
    pub recheck_after_ms: u64,
    pub release: os_release,
    pub fences: os_toggle,
    pub condition_headers: os_toggle,
    pub record_prefix: *const c_char,
    pub check_table: c_int,
    pub connect_timeout_ms: u64,
    pub request_timeout_ms: u64,
    pub max_connections: u32,
    pub user_agent: *const c_char,
    pub log: os_log_fn,
    pub log_context: *mut c_void,
    pub log_level: os_log_level,
    pub metric: os_metric_fn,
    pub metric_context: *mut c_void,
    pub guard: os_guard,
    pub store_profile: *const c_char,
    pub stage_above: u64,
    pub part_size: u64,
    pub parts_at_once: u32,
    pub minimum_rate: u64,
    pub stalled_body_s: u32,
    pub late_segment_s: u32,
    pub max_in_flight: u32,
    pub forward_only: os_toggle,
    pub records_by_bucket: c_int,
    pub foreign_loop: c_int,
    pub forward_only_prefix: *const c_char,
}

pub struct os_call {
    pub size: usize,
    pub deadline_ms: u64,
    pub cancel: *mut os_cancel,
    pub progress: os_progress_fn,
    pub progress_context: *mut c_void,
    pub forward_only: os_toggle,
}

pub struct os_body {
    pub size: usize,
    pub data: *const c_void,
    pub length: u64,
    pub file: *const c_char,
    pub read: os_read_fn,
    pub read_context: *mut c_void,
}

pub struct os_metadata {
    pub name: *const c_char,
    pub value: *const c_char,
}

pub struct os_put_options {
    pub size: usize,
    pub content_type: *const c_char,
    pub content_encoding: *const c_char,
    pub content_language: *const c_char,
    pub content_disposition: *const c_char,
    pub cache_control: *const c_char,
    pub metadata: *const os_metadata,
    pub metadata_count: usize,
    pub tags: *const os_metadata,
    pub tag_count: usize,
    pub storage_class: *const c_char,
    pub encryption: *const c_char,
    pub kms_key_id: *const c_char,
    pub fencing: u64,
}

pub struct os_copy_options {
    pub size: usize,
    pub source_etag: *const c_char,
    pub source_version_id: *const c_char,
    pub fencing: u64,
}

pub struct os_result {
    pub size: usize,
    pub etag: [c_char; 128],
    pub version_id: [c_char; 256],
    pub generation: u64,
    pub guards: u32,
    pub attempts: u32,
    pub requests: u32,
    pub waited_ms: u64,
    pub duration_ms: u64,
    pub took_over: c_int,
    pub fenced: c_int,
    pub found_etag: [c_char; 128],
    pub found_version_id: [c_char; 256],
    pub rule: [c_char; 8],
    pub ticket: *mut c_char,
    pub guard: os_guard,
    pub request: [c_char; 32],
    pub r#final: c_int,
    pub ask_again_ms: u64,
    pub conflicts: u32,
    pub unchanged: c_int,
    pub found_fencing: u64,
}

pub struct os_resolve_options {
    pub size: usize,
    pub key: *const c_char,
    pub same_store: c_int,
    pub abort_upload: c_int,
    pub give_up: c_int,
}

pub struct os_current {
    pub size: usize,
    pub key: *const c_char,
    pub exists: c_int,
    pub data: *const c_void,
    pub length: usize,
    pub etag: *const c_char,
    pub round: u32,
}

pub struct os_update_options {
    pub size: usize,
    pub put: *const os_put_options,
    pub max_length: u64,
    pub always_write: c_int,
}

pub struct os_object {
    pub size: usize,
    pub etag: [c_char; 128],
    pub version_id: [c_char; 256],
    pub length: u64,
    pub last_modified_s: i64,
    pub content_type: [c_char; 256],
    pub nonce: [c_char; 65],
    pub key: *const c_char,
    pub is_latest: c_int,
    pub is_delete_marker: c_int,
    pub replaced: [c_char; 65],
    pub fencing: u64,
}

pub struct os_sink {
    pub size: usize,
    pub ret_data: *mut *mut c_void,
    pub ret_length: *mut usize,
    pub max_length: u64,
    pub file: *const c_char,
    pub write: os_sink_fn,
    pub write_context: *mut c_void,
    pub offset: u64,
    pub count: u64,
    pub version_id: *const c_char,
}

pub struct os_list_options {
    pub size: usize,
    pub prefix: *const c_char,
    pub delimiter: *const c_char,
    pub start_after: *const c_char,
    pub max_keys: u64,
    pub versions: c_int,
}

pub struct os_record {
    pub size: usize,
    pub path: *const c_char,
    pub etag: *const c_char,
    pub generation: u64,
    pub timeout_ms: u64,
    pub ttl_s: i64,
    pub has_fence: c_int,
    pub fence_s: i64,
    pub nonce: *const c_char,
    pub saw: *const c_char,
    pub other: *const c_char,
    pub upload: *const c_char,
    pub unreadable: *const c_char,
    pub key: *const c_char,
    pub since_s: i64,
    pub bucket: *const c_char,
}

pub struct os_garbage {
    pub size: usize,
    pub kind: os_garbage_kind,
    pub fate: os_garbage_fate,
    pub key: *const c_char,
    pub etag: *const c_char,
    pub upload: *const c_char,
    pub since_s: i64,
    pub reason: *const c_char,
}

pub struct os_gc_options {
    pub size: usize,
    pub prefix: *const c_char,
    pub older_than_s: u64,
    pub remove: c_int,
}

pub struct os_gc_result {
    pub size: usize,
    pub uploads: u64,
    pub records: u64,
    pub found: u64,
    pub removed: u64,
    pub spared: u64,
    pub failed: u64,
    pub date_s: i64,
    pub listing: os_gc_listing,
}

pub struct os_probe_options {
    pub size: usize,
    pub name: *const c_char,
    pub version: *const c_char,
    pub writers: u32,
    pub rounds: u32,
    pub no_held_body: c_int,
    pub progress: os_probe_fn,
    pub progress_context: *mut c_void,
}

pub struct os_start {
    pub size: usize,
    pub call: *const os_call,
    pub complete: os_complete_fn,
    pub queue: *mut os_queue,
    pub context: *mut c_void,
}

}
