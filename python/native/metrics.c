/* SPDX-License-Identifier: Apache-2.0 */
/* What a client has counted: a row for each operation, which the client's threads write and Python reads. */
#include "native.h"

#include <string.h>

static struct metric_row *row_of(struct metrics *metrics, const os_metric *metric)
{
    for (size_t i = 0; i < metrics->count; i++) {
        struct metric_row *row = &metrics->rows[i];
        if (row->kind == metric->kind && strcmp(row->operation, metric->operation) == 0)
            return row;
    }
    if (metrics->count == METRIC_ROWS)
        return NULL;
    struct metric_row *row = &metrics->rows[metrics->count++];
    *row = (struct metric_row){.kind = metric->kind, .operation = metric->operation};
    return row;
}

/* A server can answer with any status, so there are at most so many; the others are only counted in the row. */
static void count_end(struct metric_row *row, int end)
{
    size_t i = 0;

    while (i < row->end_count && row->ends[i].value != end)
        i++;
    if (i == METRIC_ENDS)
        return;
    if (i == row->end_count)
        row->ends[row->end_count++] = (struct metric_end){.value = end};
    row->ends[i].count++;
}

void metrics_add(void *context, const os_metric *metric)
{
    struct metrics *metrics = context;

    pthread_mutex_lock(&metrics->lock);
    struct metric_row *row = row_of(metrics, metric);
    if (row != NULL) {
        row->count++;
        row->duration_us += metric->duration_us;
        row->guards += metric->guards;
        row->requests += metric->requests;
        count_end(row, metric->kind == OS_METRIC_GUARDED ? (int)metric->verdict : metric->http_status);
    }
    pthread_mutex_unlock(&metrics->lock);
}

static PyObject *ends_object(const struct metric_row *row)
{
    PyObject *ends = PyDict_New();

    for (size_t i = 0; ends != NULL && i < row->end_count; i++) {
        PyObject *value = row->kind == OS_METRIC_GUARDED ? text_object(os_verdict_name((os_verdict)row->ends[i].value))
                                                         : PyLong_FromLong(row->ends[i].value);
        PyObject *count = PyLong_FromUnsignedLongLong(row->ends[i].count);
        if (value == NULL || count == NULL || PyDict_SetItem(ends, value, count) != 0)
            Py_CLEAR(ends);
        Py_XDECREF(value);
        Py_XDECREF(count);
    }
    return ends;
}

static PyObject *row_object(const struct metric_row *row)
{
    return Py_BuildValue("(isKdKKN)", (int)row->kind, row->operation, (unsigned long long)row->count,
                         (double)row->duration_us / 1e6, (unsigned long long)row->guards,
                         (unsigned long long)row->requests, ends_object(row));
}

/* A copy, as the client's threads go on, and no Python object is made under the lock. */
PyObject *client_metrics(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct metrics *metrics = &((struct client *)self)->metrics;
    struct metric_row *rows = PyMem_Malloc(sizeof(metrics->rows));
    PyObject *list = PyList_New(0);

    if (rows == NULL || list == NULL) {
        PyMem_Free(rows);
        Py_XDECREF(list);
        return PyErr_NoMemory();
    }
    pthread_mutex_lock(&metrics->lock);
    size_t count = metrics->count;
    memcpy(rows, metrics->rows, sizeof(metrics->rows));
    pthread_mutex_unlock(&metrics->lock);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *row = row_object(&rows[i]);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    PyMem_Free(rows);
    return list;
}
