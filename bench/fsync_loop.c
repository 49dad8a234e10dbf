/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the file system alone takes: each writer makes one new file after the other in one folder, so that it stays after
 * a power failure. That is: write it, fsync it, rename it, fsync the folder. It is the least that a store of files needs.
 *
 *   bench_fsync create --folder PATH [--in-flight WRITERS] [--bytes N] [--seconds S] [--warm S]
 *
 * Ready, go and what it measured are said as by bench_client.
 */
#include "measure.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITERS_MAX = 64, NAME_SIZE = 64 };

struct loop {
    const char *path;
    int folder;
    unsigned writers;
    size_t bytes;
    char *body;
    double seconds;
    double warm;
};

struct writer {
    const struct loop *loop;
    pthread_t thread;
    unsigned number;
    uint64_t serial;
    uint64_t until_us;
    struct samples samples;
    bool failed;
};

static bool write_new_file(const struct loop *loop, const char *name)
{
    int fd = openat(loop->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    bool written = write(fd, loop->body, loop->bytes) == (ssize_t)loop->bytes && fsync(fd) == 0;
    return close(fd) == 0 && written;
}

static bool write_one(struct writer *writer)
{
    const struct loop *loop = writer->loop;
    char temporary[NAME_SIZE];
    char name[NAME_SIZE];
    writer->serial++;
    snprintf(name, sizeof(name), "%u-%" PRIu64, writer->number, writer->serial);
    snprintf(temporary, sizeof(temporary), "%s.new", name);
    return write_new_file(loop, temporary) && renameat(loop->folder, temporary, loop->folder, name) == 0 &&
           fsync(loop->folder) == 0;
}

static void *work(void *context)
{
    struct writer *writer = context;
    for (uint64_t now_us = measure_now_us(); !writer->failed && now_us < writer->until_us;) {
        uint64_t begun_us = now_us;
        writer->failed = !write_one(writer);
        now_us = measure_now_us();
        if (!writer->failed)
            samples_add(&writer->samples, now_us - begun_us);
    }
    return NULL;
}

static bool run_phase(struct writer *writers, const struct loop *loop, double seconds)
{
    uint64_t until_us = measure_now_us() + (uint64_t)(seconds * 1e6);
    unsigned started = 0;
    for (unsigned i = 0; i < loop->writers; i++)
        writers[i].until_us = until_us;
    while (started < loop->writers && pthread_create(&writers[started].thread, NULL, work, &writers[started]) == 0)
        started++;
    for (unsigned i = 0; i < started; i++)
        pthread_join(writers[i].thread, NULL);
    return started == loop->writers;
}

static bool set_option(struct loop *loop, const char *name, const char *value)
{
    if (strcmp(name, "--folder") == 0)
        loop->path = value;
    else if (strcmp(name, "--in-flight") == 0)
        loop->writers = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--bytes") == 0)
        loop->bytes = strtoul(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
        loop->seconds = strtod(value, NULL);
    else if (strcmp(name, "--warm") == 0)
        loop->warm = strtod(value, NULL);
    else
        return strcmp(name, "--prefix") == 0;
    return true;
}

static bool parse(int argc, char **argv, struct loop *ret)
{
    *ret = (struct loop){.folder = -1, .writers = 1, .bytes = 1024, .seconds = 1, .warm = 0.3};
    for (int i = 2; i < argc; i += 2)
        if (i + 1 == argc || !set_option(ret, argv[i], argv[i + 1]))
            return false;
    bool sane = ret->writers > 0 && ret->writers <= WRITERS_MAX && ret->bytes > 0;
    return argc > 1 && strcmp(argv[1], "create") == 0 && ret->path != NULL && sane;
}

static int measure_all(const struct loop *loop)
{
    struct writer writers[WRITERS_MAX];
    struct samples all = {0};
    unsigned failed = 0;
    for (unsigned i = 0; i < loop->writers; i++)
        writers[i] = (struct writer){.loop = loop, .number = i};
    if (!run_phase(writers, loop, loop->warm))
        return 1;
    for (unsigned i = 0; i < loop->writers; i++)
        writers[i].samples.count = 0;
    measure_wait_for_go();
    struct measure measure = measure_begin();
    if (!run_phase(writers, loop, loop->seconds))
        return 1;
    measure_end(&measure);
    for (unsigned i = 0; i < loop->writers; i++) {
        samples_merge(&all, &writers[i].samples);
        failed += writers[i].failed;
    }
    measure_report(&measure, &all, failed, failed ? "a file could not be written" : "");
    free(all.us);
    return 0;
}

int main(int argc, char **argv)
{
    struct loop loop;
    if (!parse(argc, argv, &loop)) {
        fprintf(stderr, "usage: bench_fsync create --folder PATH [OPTION VALUE ...]\n");
        return 2;
    }
    loop.folder = open(loop.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    loop.body = calloc(1, loop.bytes);
    if (loop.folder < 0 || loop.body == NULL) {
        perror("bench_fsync");
        return 1;
    }
    int status = measure_all(&loop);
    free(loop.body);
    close(loop.folder);
    return status;
}
