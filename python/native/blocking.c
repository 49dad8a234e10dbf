/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the library that block: their thread runs no Python meanwhile, and the close of the client waits for them. */
#include "native.h"

bool blockings_init(struct blockings *blockings)
{
    pthread_mutex_init(&blockings->lock, NULL);
    pthread_cond_init(&blockings->ended, NULL);
    if (os_cancel_new(&blockings->cancel) == OS_OK)
        return true;
    PyErr_NoMemory();
    return false;
}

void blockings_destroy(struct blockings *blockings)
{
    if (blockings->cancel != NULL)
        os_cancel_free(blockings->cancel);
    pthread_cond_destroy(&blockings->ended);
    pthread_mutex_destroy(&blockings->lock);
}

bool blockings_have_thread(const struct blockings *blockings)
{
    for (const struct blocking *each = blockings->first; each != NULL; each = each->next)
        if (pthread_equal(each->thread, pthread_self()))
            return true;
    return false;
}

void blockings_wait(struct blockings *blockings)
{
    pthread_mutex_lock(&blockings->lock);
    while (blockings->first != NULL)
        pthread_cond_wait(&blockings->ended, &blockings->lock);
    pthread_mutex_unlock(&blockings->lock);
}

bool blocking_begin(struct blocking *blocking, struct client *client, uint64_t deadline_ms)
{
    if (client->handle == NULL) {
        PyErr_SetString(PyExc_ValueError, "The client is closed.");
        return false;
    }
    *blocking = (struct blocking){.client = client, .thread = pthread_self(), .call = OS_CALL_INIT};
    blocking->call.deadline_ms = deadline_ms;
    blocking->call.cancel = client->blockings.cancel;
    pthread_mutex_lock(&client->blockings.lock);
    blocking->next = client->blockings.first;
    client->blockings.first = blocking;
    pthread_mutex_unlock(&client->blockings.lock);
    return true;
}

void blocking_end(struct blocking *blocking)
{
    struct blockings *blockings = &blocking->client->blockings;

    pthread_mutex_lock(&blockings->lock);
    struct blocking **at = &blockings->first;
    while (*at != blocking)
        at = &(*at)->next;
    *at = blocking->next;
    pthread_cond_broadcast(&blockings->ended);
    pthread_mutex_unlock(&blockings->lock);
}

void blocking_let_go(struct blocking *blocking)
{
    blocking->state = PyEval_SaveThread();
}

void blocking_take_back(struct blocking *blocking)
{
    PyEval_RestoreThread(blocking->state);
}
