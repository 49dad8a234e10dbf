/* SPDX-License-Identifier: Apache-2.0 */
#include "support/event.h"

#include <dirent.h>
#include <poll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_S = 90 };

void event_set(struct event *event)
{
    pthread_mutex_lock(&event->mutex);
    event->set++;
    pthread_cond_broadcast(&event->cond);
    pthread_mutex_unlock(&event->mutex);
}

void event_wait(struct event *event)
{
    pthread_mutex_lock(&event->mutex);
    while (event->set == 0)
        pthread_cond_wait(&event->cond, &event->mutex);
    event->set--;
    pthread_mutex_unlock(&event->mutex);
}

bool event_reaches(struct event *event, unsigned times)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&event->mutex);
    int rc = 0;
    while (event->set < times && rc == 0)
        rc = pthread_cond_timedwait(&event->cond, &event->mutex, &end);
    bool reached = event->set >= times;
    pthread_mutex_unlock(&event->mutex);
    return reached;
}

unsigned event_count(struct event *event)
{
    pthread_mutex_lock(&event->mutex);
    unsigned count = event->set;
    pthread_mutex_unlock(&event->mutex);
    return count;
}

bool folder_has_a_file(const char *path)
{
    bool found = false;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        found = found || entry->d_name[0] != '.';
    if (folder != NULL)
        closedir(folder);
    return found;
}

bool folder_gets_a_file(const char *path)
{
    char events[4096];
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool found = fd >= 0 && inotify_add_watch(fd, path, IN_CREATE | IN_MOVED_TO) >= 0 && folder_has_a_file(path);
    struct pollfd change = {.fd = fd, .events = POLLIN};
    while (fd >= 0 && !found && poll(&change, 1, PATIENCE_S * 1000) > 0) {
        (void)!read(fd, events, sizeof(events));
        found = folder_has_a_file(path);
    }
    if (fd >= 0)
        close(fd);
    return found;
}

uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
