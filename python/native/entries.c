/* SPDX-License-Identifier: Apache-2.0 */
/* What a list gives, kept until its operation has completed. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

static bool make_room(struct operation *operation)
{
    if (operation->entry_count < operation->entry_capacity)
        return true;
    size_t capacity = operation->entry_capacity == 0 ? 64 : 2 * operation->entry_capacity;
    struct entry *entries = realloc(operation->entries, capacity * sizeof(*entries));
    if (entries == NULL)
        return false;
    operation->entries = entries;
    operation->entry_capacity = capacity;
    return true;
}

static void entry_clear(struct entry *entry)
{
    free(entry->key);
    free(entry->name);
}

struct entry *entries_add(struct operation *operation, const char *key, const char *name)
{
    if (!make_room(operation))
        return NULL;
    struct entry *entry = &operation->entries[operation->entry_count];
    *entry = (struct entry){.key = strdup(key == NULL ? "" : key), .name = name == NULL ? NULL : strdup(name)};
    if (entry->key == NULL || (name != NULL && entry->name == NULL)) {
        entry_clear(entry);
        return NULL;
    }
    operation->entry_count++;
    return entry;
}

PyObject *operation_entries(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct operation *operation = (struct operation *)self;
    size_t count = operation->in_flight ? 0 : operation->entry_count;
    PyObject *list = PyList_New(0);

    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *made = operation->entry_object(&operation->entries[i]);
        if (made == NULL || PyList_Append(list, made) != 0)
            Py_CLEAR(list);
        Py_XDECREF(made);
    }
    return list;
}

void entries_free(struct operation *operation)
{
    for (size_t i = 0; i < operation->entry_count; i++)
        entry_clear(&operation->entries[i]);
    free(operation->entries);
}
