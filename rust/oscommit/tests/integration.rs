// SPDX-License-Identifier: Apache-2.0
//! The tests that object_store has for whoever implements its trait, in each release that is turned on. docs/rust.md says
//! which of them do not apply, and why.

#[macro_use]
mod support;

#[cfg(feature = "object_store_0_12")]
#[allow(unused_braces)] // every case has its block
mod v0_12 {
    use object_store::integration as theirs;
    on_every_store! {
        put_get_delete_list(it) { theirs::put_get_delete_list(&it.store).await }
        get_opts(it) { theirs::get_opts(&it.store).await }
        put_opts(it) { theirs::put_opts(&it.store, true).await }
        stream_get(it) { theirs::stream_get(&it.store).await }
        list_uses_directories_correctly(it) { theirs::list_uses_directories_correctly(&it.store).await }
        list_with_delimiter(it) { theirs::list_with_delimiter(&it.store).await }
        get_nonexistent_object(it) {
            let error = theirs::get_nonexistent_object(&it.store, None).await.unwrap_err();
            assert!(matches!(error, object_store::Error::NotFound { .. }), "{error}");
        }
        rename_and_copy(it) { theirs::rename_and_copy(&it.store).await }
        copy_if_not_exists(it) { theirs::copy_if_not_exists(&it.store).await }
        copy_rename_nonexistent_object(it) { theirs::copy_rename_nonexistent_object(&it.store).await }
        multipart_race_condition(it) { theirs::multipart_race_condition(&it.store, true).await }
        multipart_out_of_order(it) { theirs::multipart_out_of_order(&it.store).await }
    }
}

macro_rules! since_0_13 {
    ($module:ident, $release:ident) => {
        #[allow(unused_braces)]
        mod $module {
            use $release::integration as theirs;
            on_every_store! {
                put_get_delete_list(it) { theirs::put_get_delete_list(&it.store).await }
                get_opts(it) { theirs::get_opts(&it.store).await }
                put_opts(it) { theirs::put_opts(&it.store, true).await }
                stream_get(it) { theirs::stream_get(&it.store).await }
                list_uses_directories_correctly(it) { theirs::list_uses_directories_correctly(&it.store).await }
                list_with_delimiter(it) { theirs::list_with_delimiter(&it.store).await }
                list_with_offset_exclusivity(it) { theirs::list_with_offset_exclusivity(&it.store).await }
                get_nonexistent_object(it) {
                    let error = theirs::get_nonexistent_object(&it.store, None).await.unwrap_err();
                    assert!(matches!(error, $release::Error::NotFound { .. }), "{error}");
                }
                rename_and_copy(it) { theirs::rename_and_copy(&it.store).await }
                copy_if_not_exists(it) { theirs::copy_if_not_exists(&it.store).await }
                copy_rename_nonexistent_object(it) { theirs::copy_rename_nonexistent_object(&it.store).await }
                multipart_race_condition(it) { theirs::multipart_race_condition(&it.store, true).await }
                multipart_out_of_order(it) { theirs::multipart_out_of_order(&it.store).await }
            }
        }
    };
}

#[cfg(feature = "object_store_0_13")]
since_0_13!(v0_13, object_store_0_13);
#[cfg(feature = "object_store_0_14")]
since_0_13!(v0_14, object_store_0_14);
