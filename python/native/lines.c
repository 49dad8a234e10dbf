/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the library's log on their way to a thread of Python's, which gives them to a logger. */
#include "native.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 10000 };

struct line {
    struct line *next;
    int level;
    char text[];
};

struct lines {
    PyObject_HEAD pthread_mutex_t lock;
    pthread_cond_t came;
    struct line *first, *last;
    size_t count;
    unsigned long long dropped; /* since the last time that they were taken */
    bool stopped;
};

static struct line *line_new(os_log_level level, const char *text)
{
    size_t size = strlen(text) + 1;
    struct line *line = malloc(sizeof(*line) + size);

    if (line == NULL)
        return NULL;
    line->next = NULL;
    line->level = (int)level;
    memcpy(line->text, text, size);
    return line;
}

/* An os_log_fn. It waits for nobody: where Python does not keep up, lines are dropped and counted. */
void lines_add(void *context, os_log_level level, const char *text)
{
    struct lines *lines = context;
    struct line *line = line_new(level, text);

    pthread_mutex_lock(&lines->lock);
    if (line == NULL || lines->count == LINES_MOST || lines->stopped) {
        lines->dropped++;
        free(line);
    } else {
        if (lines->first == NULL)
            lines->first = line;
        else
            lines->last->next = line;
        lines->last = line;
        lines->count++;
    }
    pthread_cond_signal(&lines->came);
    pthread_mutex_unlock(&lines->lock);
}

/* False: it was stopped, and there are no more. */
static bool wait_for_lines(struct lines *lines, struct line **ret, unsigned long long *ret_dropped)
{
    pthread_mutex_lock(&lines->lock);
    while (lines->first == NULL && !lines->stopped)
        pthread_cond_wait(&lines->came, &lines->lock);
    *ret = lines->first;
    *ret_dropped = lines->dropped;
    lines->first = lines->last = NULL;
    lines->count = 0;
    lines->dropped = 0;
    pthread_mutex_unlock(&lines->lock);
    return *ret != NULL;
}

static PyObject *list_of(struct line *first)
{
    PyObject *list = PyList_New(0);

    for (struct line *line = first, *next; line != NULL; line = next) {
        next = line->next;
        PyObject *pair = list == NULL ? NULL : Py_BuildValue("(iN)", line->level, text_object(line->text));
        if (list != NULL && (pair == NULL || PyList_Append(list, pair) != 0))
            Py_CLEAR(list);
        Py_XDECREF(pair);
        free(line);
    }
    return list;
}

/* (lines, dropped), each line as (level, text); None at the end. */
static PyObject *lines_take(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct lines *lines = (struct lines *)self;
    struct line *first;
    unsigned long long dropped;
    bool there;

    Py_BEGIN_ALLOW_THREADS;
    there = wait_for_lines(lines, &first, &dropped);
    Py_END_ALLOW_THREADS;
    if (!there)
        Py_RETURN_NONE;
    return Py_BuildValue("(NK)", list_of(first), dropped);
}

static PyObject *lines_stop(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct lines *lines = (struct lines *)self;

    pthread_mutex_lock(&lines->lock);
    lines->stopped = true;
    pthread_cond_broadcast(&lines->came);
    pthread_mutex_unlock(&lines->lock);
    Py_RETURN_NONE;
}

static PyObject *lines_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct lines *lines = (struct lines *)alloc(type, 0);

    if (lines == NULL)
        return NULL;
    pthread_mutex_init(&lines->lock, NULL);
    pthread_cond_init(&lines->came, NULL);
    return (PyObject *)lines;
}

static void lines_dealloc(PyObject *self)
{
    struct lines *lines = (struct lines *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    for (struct line *line = lines->first, *next; line != NULL; line = next) {
        next = line->next;
        free(line);
    }
    pthread_cond_destroy(&lines->came);
    pthread_mutex_destroy(&lines->lock);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"take", lines_take, METH_NOARGS, "Blocks until there are some: ([(level, text)], dropped). None: it was stopped."},
    {"stop", lines_stop, METH_NOARGS, "What is there may still be taken."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)lines_new},
    {Py_tp_dealloc, (void *)lines_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec lines_spec = {
    .name = "oscommit._oscommit.Lines",
    .basicsize = sizeof(struct lines),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
