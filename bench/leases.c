/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process takes that holds many leases: processor time and threads, while they are extended in the background.
 *
 *   bench_leases LEDGER_URL COUNT SECONDS     the rest comes from OSCOMMIT_... and AWS_...
 */
#include "oscommit_lease.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Beside the one of main. */
static int other_threads(void)
{
    char line[128];
    int threads = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (strncmp(line, "Threads:", 8) == 0)
            threads = atoi(line + 8);
    if (file != NULL)
        fclose(file);
    return threads - 1;
}

static void acquire_all(os_client *client, os_lease **leases, int count)
{
    os_error error;
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "lease-%d", i);
        if (os_lease_acquire(client, name, NULL, NULL, &leases[i], &error) != OS_OK) {
            fprintf(stderr, "bench_leases: %s\n", error.message);
            exit(1);
        }
    }
}

static void hold(os_lease **leases, int count, int seconds)
{
    double before_s = cpu_s();
    int held = 0;
    nanosleep(&(struct timespec){.tv_sec = seconds}, NULL);
    double taken_s = cpu_s() - before_s;
    for (int i = 0; i < count; i++)
        held += os_lease_state(leases[i]) == OS_LEASE_HELD;
    printf("{\"leases\": %d, \"held\": %d, \"seconds\": %d, \"cpu_percent\": %.2f, \"threads\": %d}\n", count, held,
           seconds, taken_s / seconds * 100, other_threads());
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    int count = argc == 4 ? atoi(argv[2]) : 0;
    os_lease **leases = calloc((size_t)count + 1, sizeof(os_lease *));
    if (argc != 4 || count < 1 || leases == NULL) {
        fprintf(stderr, "usage: bench_leases LEDGER_URL COUNT SECONDS\n");
        return 2;
    }
    options.ledger_url = argv[1];
    if (os_options_from_environment(&options, &error) != OS_OK || os_client_open(&options, &client, &error) != OS_OK) {
        fprintf(stderr, "bench_leases: %s\n", error.message);
        return 1;
    }
    acquire_all(client, leases, count);
    hold(leases, count, atoi(argv[3]));
    for (int i = 0; i < count; i++)
        (void)os_lease_release(leases[i], NULL, NULL);
    free(leases);
    os_client_close(client);
    return 0;
}
