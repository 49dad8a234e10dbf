/* SPDX-License-Identifier: Apache-2.0 */
#include "client/gate.h"

bool gate_init(struct gate *gate)
{
    gate->inside = false;
    atomic_init(&gate->cancelled, 0);
    if (pthread_mutex_init(&gate->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&gate->left, NULL) == 0)
        return true;
    pthread_mutex_destroy(&gate->mutex);
    return false;
}

void gate_destroy(struct gate *gate)
{
    pthread_cond_destroy(&gate->left);
    pthread_mutex_destroy(&gate->mutex);
}

bool gate_enter(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->inside = !gate_cancelled(gate);
    bool inside = gate->inside;
    pthread_mutex_unlock(&gate->mutex);
    return inside;
}

void gate_leave(struct gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    gate->inside = false;
    pthread_cond_signal(&gate->left);
    pthread_mutex_unlock(&gate->mutex);
}

void gate_cancel(struct gate *gate)
{
    atomic_store(&gate->cancelled, 1);
    pthread_mutex_lock(&gate->mutex);
    while (gate->inside)
        pthread_cond_wait(&gate->left, &gate->mutex);
    pthread_mutex_unlock(&gate->mutex);
}

bool gate_cancelled(const struct gate *gate)
{
    return atomic_load(&gate->cancelled) != 0;
}
