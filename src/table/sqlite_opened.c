/* SPDX-License-Identifier: Apache-2.0 */
#include "table/sqlite_opened.h"

bool sqlite_opened_init(struct sqlite_opened *opened)
{
    return pthread_mutex_init(&opened->mutex, NULL) == 0;
}

void sqlite_opened_free(struct sqlite_opened *opened)
{
    if (opened->it != NULL)
        opened->close_file(opened->it);
    pthread_mutex_destroy(&opened->mutex);
}

/* The one that is open, which becomes `made` if there is none; what is then too much is closed. */
static void *settle_on(struct sqlite_opened *opened, void *made)
{
    pthread_mutex_lock(&opened->mutex);
    if (opened->it == NULL) {
        opened->it = made;
        made = NULL;
    }
    void *it = opened->it;
    pthread_mutex_unlock(&opened->mutex);
    if (made != NULL)
        opened->close_file(made);
    return it;
}

/* Not opened under the mutex: one who waits for a busy file would make others wait beyond their deadlines. */
void *sqlite_opened_get(struct sqlite_opened *opened, struct sqlite_patience patience, os_error *err)
{
    void *made = NULL;
    void *it = settle_on(opened, NULL);
    if (it != NULL)
        return it;
    return opened->open_file(opened->file, &patience, &made, err) == OS_OK ? settle_on(opened, made) : NULL;
}
