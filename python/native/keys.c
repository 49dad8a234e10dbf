/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access keys on their way from a function of Python's to the library.
 *
 * A thread of Python's calls the function ahead of time, and gives the keys. The library's threads take what is there. They
 * wait only where there is nothing to take: before the first keys, and when the store has refused those that were taken.
 */
#include "native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WAIT_MOST_S = 30,    /* for the function: all of the client waits meanwhile */
    ENDS_SOON_S = 5 * 60 /* as the library asks again so long before the end */
};

struct texts {
    char *access_key_id, *secret_access_key, *session_token;
};

/* Of the store, or of the ledger. The strings that it has taken stay until it asks again. */
struct taker {
    struct keys *keys;
    struct texts lent;
    unsigned long long generation; /* of what it took last */
};

struct keys {
    PyObject_HEAD pthread_mutex_t lock;
    pthread_cond_t changed;
    struct texts texts;
    int64_t expires_s;             /* 0: never */
    unsigned long long generation; /* 0: there are none yet */
    unsigned long long answers;    /* keys, or that there are none */
    bool wanted, stopped;
    struct taker store, ledger;
};

static void wipe(char *text)
{
    if (text != NULL)
        explicit_bzero(text, strlen(text));
    free(text);
}

static void texts_clear(struct texts *texts)
{
    wipe(texts->access_key_id);
    wipe(texts->secret_access_key);
    wipe(texts->session_token);
    *texts = (struct texts){0};
}

static bool copy_text(const char *text, char **ret)
{
    *ret = text == NULL ? NULL : strdup(text);
    return text == NULL || *ret != NULL;
}

static bool texts_copy(const struct texts *from, struct texts *ret)
{
    bool copied = copy_text(from->access_key_id, &ret->access_key_id);
    copied = copy_text(from->secret_access_key, &ret->secret_access_key) && copied;
    copied = copy_text(from->session_token, &ret->session_token) && copied;
    if (!copied)
        texts_clear(ret);
    return copied;
}

/* ------------------------------------------------------------------------------------ on the library's threads */

/* Keys that were taken before are asked for again when they end soon; else the store has refused them. */
static bool must_wait(const struct keys *keys, const struct taker *taker)
{
    int64_t left_s = keys->expires_s - (int64_t)time(NULL);

    if (keys->generation == 0)
        return true;
    if (keys->generation != taker->generation)
        return false;
    return keys->expires_s == 0 || left_s > ENDS_SOON_S || left_s <= 0;
}

static void wait_for_answer(struct keys *keys)
{
    unsigned long long before = keys->answers;
    struct timespec until;
    int failed = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += WAIT_MOST_S;
    while (keys->answers == before && !keys->stopped && failed != ETIMEDOUT)
        failed = pthread_cond_timedwait(&keys->changed, &keys->lock, &until);
}

/* True where there are others than those that were taken before, or those end soon, and are good until then. */
static bool ask(struct keys *keys, const struct taker *taker)
{
    bool waits = must_wait(keys, taker);

    if (waits || keys->generation == taker->generation) {
        keys->wanted = true;
        pthread_cond_broadcast(&keys->changed);
    }
    if (!waits)
        return true;
    wait_for_answer(keys);
    return keys->generation != taker->generation;
}

int keys_take(void *context, os_credentials *ret)
{
    struct taker *taker = context;
    struct keys *keys = taker->keys;

    pthread_mutex_lock(&keys->lock);
    bool taken = !keys->stopped && ask(keys, taker);
    if (taken) {
        texts_clear(&taker->lent);
        taken = texts_copy(&keys->texts, &taker->lent);
    }
    if (taken) {
        taker->generation = keys->generation;
        ret->access_key_id = taker->lent.access_key_id;
        ret->secret_access_key = taker->lent.secret_access_key;
        ret->session_token = taker->lent.session_token;
        ret->expires_s = keys->expires_s;
    }
    pthread_mutex_unlock(&keys->lock);
    return taken ? 0 : 1;
}

void *keys_taker(PyObject *self, bool of_ledger)
{
    struct keys *keys = (struct keys *)self;
    return of_ledger ? &keys->ledger : &keys->store;
}

/* --------------------------------------------------------------------------------------- on Python's threads */

static void wait_until_wanted(struct keys *keys, double timeout_s)
{
    struct timespec until;
    int failed = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)timeout_s;
    while (!keys->wanted && !keys->stopped && failed != ETIMEDOUT)
        failed = timeout_s < 0 ? pthread_cond_wait(&keys->changed, &keys->lock)
                               : pthread_cond_timedwait(&keys->changed, &keys->lock, &until);
}

/* Blocks until the library wants keys, or so many whole seconds have passed. False: it was stopped. */
static PyObject *keys_wait(PyObject *self, PyObject *args)
{
    struct keys *keys = (struct keys *)self;
    double timeout_s;
    bool goes_on;

    if (!PyArg_ParseTuple(args, "d:wait", &timeout_s))
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    pthread_mutex_lock(&keys->lock);
    wait_until_wanted(keys, timeout_s);
    keys->wanted = false;
    goes_on = !keys->stopped;
    pthread_mutex_unlock(&keys->lock);
    Py_END_ALLOW_THREADS;
    return PyBool_FromLong(goes_on);
}

static void answer(struct keys *keys, struct texts *given, int64_t expires_s)
{
    pthread_mutex_lock(&keys->lock);
    if (given != NULL) {
        texts_clear(&keys->texts);
        keys->texts = *given;
        keys->expires_s = expires_s;
        keys->generation++;
    }
    keys->answers++;
    pthread_cond_broadcast(&keys->changed);
    pthread_mutex_unlock(&keys->lock);
}

static PyObject *keys_give(PyObject *self, PyObject *args)
{
    const char *id, *secret, *token;
    long long expires_s;
    struct texts given = {0};

    if (!PyArg_ParseTuple(args, "sszL:give", &id, &secret, &token, &expires_s))
        return NULL;
    if (!copy_text(id, &given.access_key_id) || !copy_text(secret, &given.secret_access_key) ||
        !copy_text(token, &given.session_token)) {
        texts_clear(&given);
        return PyErr_NoMemory();
    }
    answer((struct keys *)self, &given, expires_s);
    Py_RETURN_NONE;
}

static PyObject *keys_refuse(PyObject *self, PyObject *Py_UNUSED(args))
{
    answer((struct keys *)self, NULL, 0);
    Py_RETURN_NONE;
}

static PyObject *keys_stop(PyObject *self, PyObject *Py_UNUSED(args))
{
    struct keys *keys = (struct keys *)self;

    pthread_mutex_lock(&keys->lock);
    keys->stopped = true;
    pthread_cond_broadcast(&keys->changed);
    pthread_mutex_unlock(&keys->lock);
    Py_RETURN_NONE;
}

static PyObject *keys_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(names))
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct keys *keys = (struct keys *)alloc(type, 0);
    pthread_condattr_t monotonic;

    if (keys == NULL)
        return NULL;
    pthread_mutex_init(&keys->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&keys->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    keys->store.keys = keys->ledger.keys = keys;
    return (PyObject *)keys;
}

static void keys_dealloc(PyObject *self)
{
    struct keys *keys = (struct keys *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    texts_clear(&keys->texts);
    texts_clear(&keys->store.lent);
    texts_clear(&keys->ledger.lent);
    pthread_cond_destroy(&keys->changed);
    pthread_mutex_destroy(&keys->lock);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    {"wait", keys_wait, METH_VARARGS, "(timeout_s; < 0: for ever): until keys are wanted. False: it was stopped."},
    {"give", keys_give, METH_VARARGS, "(access_key_id, secret_access_key, session_token | None, expires_s; 0: never)"},
    {"refuse", keys_refuse, METH_NOARGS, "There are none now."},
    {"stop", keys_stop, METH_NOARGS, "Nobody waits any more."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)keys_new},
    {Py_tp_dealloc, (void *)keys_dealloc},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec keys_spec = {
    .name = "oscommit._oscommit.Keys",
    .basicsize = sizeof(struct keys),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
