/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footer of a Parquet file: what is read is a tree of elements with names inside the footer, and the schema that is made
 * of it is one that Delta's own files have, and fits itself.
 */
#include "fuzz.h"

#include "delta/actions.h"
#include "delta/parquet.h"

#include <stdlib.h>

static void check_elements(const struct parquet *parquet, const char *footer, size_t size)
{
    FUZZ_CHECK(parquet->count > 0 && parquet->elements[0].type == PARQUET_GROUP);
    for (size_t i = 0; i < parquet->count; i++) {
        const struct parquet_element *element = &parquet->elements[i];
        FUZZ_CHECK(element->type <= PARQUET_GROUP && element->repetition <= PARQUET_REPEATED);
        FUZZ_CHECK((element->type == PARQUET_GROUP) == (element->children > 0));
        FUZZ_CHECK(element->name.len == 0 ||
                   (element->name.p >= footer && element->name.p + element->name.len <= footer + size));
    }
}

static void check_schema(const struct parquet *parquet)
{
    os_error err = {.code = OS_OK};
    json_t *schema = NULL;

    os_code code = parquet_delta_schema(parquet, &schema, &err);
    FUZZ_CHECK((code == OS_OK) == (schema != NULL));
    if (code != OS_OK) {
        fuzz_check_error(code, &err);
        return;
    }
    FUZZ_CHECK(json_array_size(json_object_get(schema, "fields")) == parquet->elements[0].children);
    FUZZ_CHECK(delta_schema_accepts(schema, schema, &err) == OS_OK);
    json_decref(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    os_error err = {.code = OS_OK};
    struct parquet parquet;
    char *footer = fuzz_copy(data, size);

    os_code code = parquet_read(footer, size, &parquet, &err);
    if (code == OS_OK) {
        check_elements(&parquet, footer, size);
        check_schema(&parquet);
    } else {
        fuzz_check_error(code, &err);
    }
    parquet_free(&parquet);
    free(footer);
    return 0;
}
