/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <string.h>

bool text_of(PyObject *value, const char **ret)
{
    *ret = NULL;
    return value == NULL || PyArg_Parse(value, "z", ret);
}

int count_of(PyObject *object, void *ret)
{
    PyObject *number = PyNumber_Index(object);
    unsigned long long count = number == NULL ? 0 : PyLong_AsUnsignedLongLong(number);

    Py_XDECREF(number);
    if (PyErr_Occurred() != NULL && !PyErr_ExceptionMatches(PyExc_OverflowError))
        return 0;
    if (PyErr_Occurred() != NULL || count > UINT32_MAX) {
        (void)PyErr_Format(PyExc_ValueError, "A count is from 0 to 4294967295: %R is not.", object);
        return 0;
    }
    *(unsigned int *)ret = (unsigned int)count;
    return 1;
}

/* ----------------------------------------------------------------------------------------------- os_options */

enum kind { TEXT, NUMBER64, NUMBER32, FLAG, CHOICE };

struct option {
    const char *name;
    size_t offset;
    enum kind kind;
    const char *const *choices; /* in the order of their values */
};

static const char *const toggle[] = {"auto", "on", "off", NULL};
static const char *const addressing[] = {"auto", "path", "virtual", NULL};
static const char *const signature[] = {"v4", "v2", NULL};
static const char *const guard[] = {"auto", "record", "native", "both", NULL};
static const char *const release[] = {"on_failure", "always", NULL};

#define OPTION(member, kind)                              \
    {                                                     \
#member, offsetof(os_options, member), kind, NULL \
    }
#define CHOOSE(member, its_choices)                                \
    {                                                              \
#member, offsetof(os_options, member), CHOICE, its_choices \
    }

/* All of os_options but its functions, and foreign_loop, which is the module's own business. */
static const struct option option_table[] = {
    OPTION(store_url, TEXT),
    OPTION(ledger_url, TEXT),
    OPTION(s3_endpoint, TEXT),
    OPTION(s3_region, TEXT),
    CHOOSE(s3_addressing, addressing),
    CHOOSE(signature, signature),
    OPTION(dynamodb_endpoint, TEXT),
    OPTION(dynamodb_region, TEXT),
    OPTION(ca_file, TEXT),
    OPTION(access_key_id, TEXT),
    OPTION(secret_access_key, TEXT),
    OPTION(session_token, TEXT),
    OPTION(profile, TEXT),
    OPTION(dynamodb_access_key_id, TEXT),
    OPTION(dynamodb_secret_access_key, TEXT),
    OPTION(dynamodb_session_token, TEXT),
    OPTION(dynamodb_profile, TEXT),
    OPTION(no_environment, FLAG),
    OPTION(timeout_ms, NUMBER64),
    OPTION(max_clock_skew_rate, NUMBER32),
    OPTION(ttl_s, NUMBER64),
    OPTION(length_s, NUMBER32),
    OPTION(allowance_s, NUMBER32),
    OPTION(margin_s, NUMBER32),
    OPTION(recheck_after_ms, NUMBER64),
    CHOOSE(release, release),
    CHOOSE(fences, toggle),
    CHOOSE(condition_headers, toggle),
    OPTION(record_prefix, TEXT),
    OPTION(check_table, FLAG),
    OPTION(connect_timeout_ms, NUMBER64),
    OPTION(request_timeout_ms, NUMBER64),
    OPTION(max_connections, NUMBER32),
    OPTION(user_agent, TEXT),
    CHOOSE(guard, guard),
    OPTION(store_profile, TEXT),
    OPTION(stage_above, NUMBER64),
    OPTION(part_size, NUMBER64),
    OPTION(parts_at_once, NUMBER32),
    OPTION(minimum_rate, NUMBER64),
    OPTION(stalled_body_s, NUMBER32),
    OPTION(late_segment_s, NUMBER32),
    OPTION(max_in_flight, NUMBER32),
    CHOOSE(forward_only, toggle),
    OPTION(forward_only_prefix, TEXT),
    OPTION(records_by_bucket, FLAG),
};

/* Python's own sentences do not say of which option it is. The value is not shown: it may be a secret. */
static bool refuse(const struct option *option, PyObject *value, const char *wanted)
{
    (void)PyErr_Format(PyExc_TypeError, "%s is %s, and not of %R.", option->name, wanted, (PyObject *)Py_TYPE(value));
    return false;
}

static bool set_text(const struct option *option, PyObject *value, void *ret)
{
    return PyUnicode_Check(value) ? text_of(value, ret) : refuse(option, value, "a text");
}

static bool set_number(const struct option *option, PyObject *value, void *ret)
{
    if (!PyLong_Check(value))
        return refuse(option, value, "a whole number");
    unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred() != NULL) {
        PyErr_Clear();
        (void)PyErr_Format(PyExc_OverflowError, "%s cannot be %R.", option->name, value);
        return false;
    }
    if (option->kind == NUMBER64) {
        *(uint64_t *)ret = number;
        return true;
    }
    if (number > UINT32_MAX) {
        (void)PyErr_Format(PyExc_ValueError, "%s must be at most 4294967295.", option->name);
        return false;
    }
    *(uint32_t *)ret = (uint32_t)number;
    return true;
}

/* The enums of the header have the size of an int. */
static bool set_choice(const struct option *option, PyObject *value, void *ret)
{
    const char *word;
    if (!PyUnicode_Check(value))
        return refuse(option, value, "a text");
    if (!PyArg_Parse(value, "s", &word))
        return false;
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], word) == 0) {
            *(int *)ret = i;
            return true;
        }
    }
    (void)PyErr_Format(PyExc_ValueError, "%s cannot be \"%.100s\".", option->name, word);
    return false;
}

static bool set_option(const struct option *option, PyObject *value, os_options *options)
{
    void *ret = (char *)options + option->offset;
    int truth;

    switch (option->kind) {
    case TEXT: return set_text(option, value, ret);
    case CHOICE: return set_choice(option, value, ret);
    case FLAG:
        truth = PyObject_IsTrue(value);
        *(int *)ret = truth > 0;
        return truth >= 0;
    default: return set_number(option, value, ret);
    }
}

bool options_of(PyObject *dict, os_options *ret)
{
    for (size_t i = 0; i < sizeof(option_table) / sizeof(option_table[0]); i++) {
        PyObject *value = PyDict_GetItemString(dict, option_table[i].name);
        if (value != NULL && value != Py_None && !set_option(&option_table[i], value, ret))
            return false;
    }
    return true;
}

PyObject *option_names(void)
{
    size_t count = sizeof(option_table) / sizeof(option_table[0]);
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; names != NULL && i < count; i++)
        (void)PyTuple_SetItem(names, (Py_ssize_t)i, PyUnicode_FromString(option_table[i].name));
    return names;
}

/* ------------------------------------------------------------------------------------------- os_put_options */

static const struct option written_table[] = {
#define WRITTEN(member, kind)                                 \
    {                                                         \
#member, offsetof(os_put_options, member), kind, NULL \
    }
    WRITTEN(content_type, TEXT),        WRITTEN(content_encoding, TEXT), WRITTEN(content_language, TEXT),
    WRITTEN(content_disposition, TEXT), WRITTEN(cache_control, TEXT),    WRITTEN(storage_class, TEXT),
    WRITTEN(encryption, TEXT),          WRITTEN(kms_key_id, TEXT),       WRITTEN(fencing, NUMBER64),
#undef WRITTEN
};

/* Pairs of a list, whose strings stay its own. */
static bool pairs_of(PyObject *list, os_metadata **ret, size_t *ret_count)
{
    Py_ssize_t count = list == NULL ? 0 : PyList_Size(list);
    if (count <= 0)
        return count == 0;
    *ret = calloc((size_t)count, sizeof(**ret));
    if (*ret == NULL)
        return PyErr_NoMemory(), false;
    for (Py_ssize_t i = 0; i < count; i++) {
        os_metadata *pair = *ret + i;
        if (!PyArg_Parse(PyList_GetItem(list, i), "(ss)", &pair->name, &pair->value))
            return false;
    }
    *ret_count = (size_t)count;
    return true;
}

bool written_of(PyObject *dict, struct written *ret)
{
    *ret = (struct written){.options = OS_PUT_OPTIONS_INIT};
    for (size_t i = 0; i < sizeof(written_table) / sizeof(written_table[0]); i++) {
        const struct option *option = &written_table[i];
        PyObject *value = PyDict_GetItemString(dict, option->name);
        void *place = (char *)&ret->options + option->offset;
        if (value == NULL || value == Py_None)
            continue;
        if (option->kind == TEXT ? !set_text(option, value, place) : !set_number(option, value, place))
            return false;
    }
    bool made = pairs_of(PyDict_GetItemString(dict, "metadata"), &ret->metadata, &ret->options.metadata_count) &&
                pairs_of(PyDict_GetItemString(dict, "tags"), &ret->tags, &ret->options.tag_count);
    ret->options.metadata = ret->metadata;
    ret->options.tags = ret->tags;
    return made;
}

void written_clear(struct written *written)
{
    free(written->metadata);
    free(written->tags);
}
