/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A log entry, the hint of a checkpoint, and a name below the log: what is an entry is the same each time, a table is
 * written to or refused with a sentence, and a temp file that is named lies in the log.
 */
#include "fuzz.h"

#include "delta/actions.h"
#include "delta/log_name.h"

#include <stdlib.h>
#include <string.h>

static void count(void *context, const char *path)
{
    FUZZ_CHECK(path != NULL);
    (*(size_t *)context)++;
}

static void check_table(const struct delta_actions *actions)
{
    os_error err = {.code = OS_OK};
    json_t *schema = NULL;

    if (actions->protocol == NULL || actions->metadata == NULL)
        return;
    os_code code = delta_table_check(actions->protocol, actions->metadata, &schema, &err);
    FUZZ_CHECK((code == OS_OK) == (schema != NULL));
    if (code != OS_OK)
        fuzz_check_error(code, &err);
    else
        (void)delta_schema_accepts(schema, schema, &err);
    json_decref(schema);
}

static void check_entry(const char *text, size_t size)
{
    os_error err = {.code = OS_OK};
    struct delta_actions actions;
    size_t added = 0;
    const struct delta_reading reading = {.app_id = "app", .add = count, .context = &added};

    os_code code = delta_actions_read(text, size, &reading, &actions, &err);
    if (code == OS_OK) {
        FUZZ_CHECK(actions.adds == added);
        check_table(&actions);
    } else {
        fuzz_check_error(code, &err);
    }
    delta_actions_clear(&actions);
}

static void check_names(const char *name, size_t size)
{
    uint64_t version = UINT64_MAX;
    enum delta_log_kind kind = delta_log_name_read(text_of(name, size), &version);
    bool is_numbered = kind == DELTA_LOG_COMMIT || kind == DELTA_LOG_CHECKPOINT;

    FUZZ_CHECK(is_numbered == (version <= DELTA_VERSION_MOST));
    if (delta_log_is_temp(name))
        FUZZ_CHECK(strstr(name, "..") == NULL && name[0] != '/');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t version = UINT64_MAX;
    char *text = fuzz_string(data, size);

    check_entry(text, size);
    check_names(text, size);
    if (delta_last_checkpoint_read(text, size, &version))
        FUZZ_CHECK(version <= DELTA_VERSION_MOST);
    free(text);
    return 0;
}
