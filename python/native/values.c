/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <string.h>

/* What a store returned need not be UTF-8; such bytes come back as they went (PEP 383). */
PyObject *text_object(const char *text)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

static PyObject *text_or_none(const char *text)
{
    return text_object(text[0] == '\0' ? NULL : text);
}

bool body_of(PyObject *source, os_body *ret)
{
    char *bytes;
    Py_ssize_t length;

    *ret = (os_body)OS_BODY_MEMORY(NULL, 0);
    if (PyUnicode_Check(source))
        return text_of(source, &ret->file);
    if (PyBytes_AsStringAndSize(source, &bytes, &length) != 0)
        return false;
    ret->data = bytes;
    ret->length = (uint64_t)length;
    return true;
}

PyObject *error_object(const os_error *err)
{
    return Py_BuildValue("(siNNN)", os_code_name(err->code), err->http_status, text_object(err->service_code),
                         text_object(err->request_id), text_object(err->message));
}

PyObject *raise_failure(const struct module_state *state, const os_error *err)
{
    PyObject *values = error_object(err);
    if (values != NULL)
        PyErr_SetObject(state->failure, values);
    Py_XDECREF(values);
    return NULL;
}

static PyObject *counts_object(const os_result *result)
{
    return Py_BuildValue("(KIIIKKI)", (unsigned long long)result->generation, result->guards, result->attempts,
                         result->requests, (unsigned long long)result->waited_ms,
                         (unsigned long long)result->duration_ms, result->conflicts);
}

PyObject *result_object(const os_result *result)
{
    static const char *const guards[] = {"auto", "record", "native", "both"};
    size_t guard = (size_t)result->guard;

    return Py_BuildValue("(NNNNNNNNNNNsNNK)", text_or_none(result->etag), text_or_none(result->version_id),
                         counts_object(result), PyBool_FromLong(result->took_over), PyBool_FromLong(result->fenced),
                         PyBool_FromLong(result->unchanged), text_or_none(result->found_etag),
                         text_or_none(result->found_version_id), PyLong_FromUnsignedLongLong(result->found_fencing),
                         text_object(result->rule), text_object(result->ticket),
                         guard < sizeof(guards) / sizeof(guards[0]) ? guards[guard] : "?", text_object(result->request),
                         PyBool_FromLong(result->final), (unsigned long long)result->ask_again_ms);
}

PyObject *meta_object(const os_object *object, const char *key)
{
    return Py_BuildValue("(NKLNNNKNN)", text_object(key), (unsigned long long)object->length,
                         (long long)object->last_modified_s, text_or_none(object->etag),
                         text_or_none(object->version_id), text_or_none(object->content_type),
                         (unsigned long long)object->fencing, PyBool_FromLong(object->is_latest),
                         PyBool_FromLong(object->is_delete_marker));
}
