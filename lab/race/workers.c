/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lanes of a race: each has a process at a time, and one that was killed is followed by the next, which goes on
 * where it was and settles what it has left. The end of a process's stdin tells it that the parent is gone.
 */
#include "race/clock.h"
#include "race/race.h"
#include "race/work.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_US = 30 * 1000 * 1000 }; /* between two lines of progress, where there is no terminal */

enum lane_stage { LANE_STARTING, LANE_READY, LANE_WORKING, LANE_DONE, LANE_LOST };

struct lane {
    struct race_process process;
    struct race_reader reader;
    enum lane_stage stage;
    uint64_t life;
    uint64_t serial;
};

struct crew {
    struct race *race;
    struct lane *lane;
    struct pollfd *fds; /* one for each lane, and the interrupt */
    int front_fd;
    struct race_front *front;
    uint64_t until_us;
    bool begun;
    bool settling; /* the work is over: processes only settle what is left */
    bool trouble_reported;
    bool remark_reported;
    uint64_t next_line_us;
};

/* ------------------------------------------------------------------------------------------------ starting */

static int start_lane(struct crew *crew, unsigned index)
{
    struct lane *lane = &crew->lane[index];
    int failure = race_spawn(crew->race, crew->front_fd, index, &lane->process);

    lane->stage = failure == 0 ? LANE_STARTING : LANE_LOST;
    lane->reader.len = 0;
    crew->race->progress.lives += failure == 0 ? 1 : 0;
    return failure;
}

static bool send_message(const struct lane *lane, const struct race_message *message)
{
    char line[RACE_LINE_MAX];
    size_t len = race_line_format(message, line);
    size_t said = 0;

    while (said < len) {
        ssize_t more = write(lane->process.task, line + said, len - said);
        if (more < 0 && errno != EINTR)
            return false; /* its end will be heard */
        said += more > 0 ? (size_t)more : 0;
    }
    return len > 0;
}

static struct race_task task_of(const struct crew *crew, unsigned index)
{
    const struct race *race = crew->race;
    struct lane *lane = &crew->lane[index];
    uint64_t seed = race->seed + index * 0x10001U + lane->life * 0x100000001U;
    struct race_task task = {
        .lane = index, .life = lane->life, .seed = seed, .serial = lane->serial, .etags_are_md5 = race->etags_are_md5};

    if (!crew->settling) {
        task.until_us = crew->until_us;
        memcpy(task.count, race->count, sizeof(task.count));
        memcpy(task.done, race->progress.done[index], sizeof(task.done));
    }
    return task;
}

/* The task, what is to be settled, and off it goes. Only now may faults meet it: one that is hit while it starts shows
 * nothing. */
static void begin_lane(struct crew *crew, unsigned index)
{
    struct race *race = crew->race;
    struct lane *lane = &crew->lane[index];
    struct race_message message = {.kind = RACE_MESSAGE_TASK, .task = task_of(crew, index)};
    struct race_message begin = {.kind = RACE_MESSAGE_BEGIN};
    const struct race_entry *entry;
    size_t cursor = 0;
    uint64_t now = race_now_us();
    bool good = send_message(lane, &message);

    lane->life++;
    while (good && (entry = race_record_next_ticket(&race->record, index, &cursor)) != NULL) {
        struct race_message ticket = {.kind = RACE_MESSAGE_TICKET, .call = entry->call.id, .ticket = entry->ticket};
        good = send_message(lane, &ticket);
    }
    lane->stage = LANE_WORKING;
    race_record_event(&race->record, HISTORY_START, index, now, now, "");
    if (good && send_message(lane, &begin))
        race_faults_lane(&race->faults, index, lane->process.pid);
    else
        (void)kill(lane->process.pid, SIGTERM); /* it would wait for the rest of its task */
}

/* All begin together, once nobody is still starting. */
static void begin_when_ready(struct crew *crew)
{
    unsigned writers = crew->race->writers;

    for (unsigned i = 0; i < writers; i++)
        if (crew->lane[i].stage == LANE_STARTING)
            return;
    crew->begun = true;
    if (crew->race->duration_us > 0)
        crew->until_us = race_now_us() + crew->race->duration_us;
    crew->next_line_us = race_now_us() + LINE_US;
    race_faults_start(&crew->race->faults);
    for (unsigned i = 0; i < writers; i++)
        if (crew->lane[i].stage == LANE_READY)
            begin_lane(crew, i);
}

/* ------------------------------------------------------------------------------------------------ ending */

static void lose_lane(struct crew *crew, struct lane *lane)
{
    if (lane->stage != LANE_LOST) {
        lane->stage = LANE_LOST;
        crew->race->progress.lost_writers += crew->settling ? 0 : 1;
    }
    if (lane->process.pid > 0)
        (void)kill(lane->process.pid, SIGTERM);
}

static void tell_gone(struct crew *crew, unsigned index, bool ended_well)
{
    const struct lane *lane = &crew->lane[index];

    if (crew->race->lease_count > 0 && lane->life > 0 && !ended_well)
        race_lease_killed(crew->race, index, lane->life - 1);
    race_record_gone(&crew->race->record, index);
}

/* The process has closed its stdout: collects it, and starts the next one where it was killed. */
static void end_lane(struct crew *crew, unsigned index)
{
    struct race *race = crew->race;
    struct lane *lane = &crew->lane[index];
    int status = 0;
    bool ended_well;
    bool killed;

    race_faults_lane(&race->faults, index, 0);
    killed = race_faults_take_killed(&race->faults, index);
    race->last_kill_us = killed ? race_now_us() : race->last_kill_us;
    (void)close(lane->process.report);
    (void)close(lane->process.task);
    lane->process.report = -1;
    while (lane->process.pid > 0 && waitpid(lane->process.pid, &status, 0) < 0 && errno == EINTR) {
    }
    lane->process.pid = 0;
    ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    tell_gone(crew, index, ended_well);
    if (lane->stage == LANE_DONE && (killed || ended_well))
        return;
    if (!killed || race->interrupted || start_lane(crew, index) != 0)
        lose_lane(crew, lane);
}

static void stop_all(struct crew *crew)
{
    race_faults_stop(&crew->race->faults);
    for (unsigned i = 0; i < crew->race->writers; i++)
        if (crew->lane[i].process.pid > 0)
            (void)kill(crew->lane[i].process.pid, SIGTERM);
}

/* ------------------------------------------------------------------------------------------------ listening */

static bool handle_progress(struct crew *crew, unsigned index, const struct race_message *message)
{
    struct race_progress *progress = &crew->race->progress;

    if (message->done != progress->done[index][message->item] + 1)
        return false;
    progress->done[index][message->item] = message->done;
    progress->given_up += message->given_up ? 1 : 0;
    return true;
}

/* One stands for all: they mostly have the same cause. */
static void message_once(struct crew *crew, bool *said, const char *text)
{
    if (!*said) {
        *said = true;
        output_message(&crew->race->session->output, text);
    }
}

static bool handle_message(struct crew *crew, unsigned index, char *line)
{
    struct race *race = crew->race;
    struct lane *lane = &crew->lane[index];
    struct race_message message;

    if (race->lease_count > 0 && race_lease_line_is(line))
        return lane->stage == LANE_WORKING && race_lease_line_take(race, index, lane->life - 1, line);
    if (race->account_count > 0 && race_transaction_line_is(line))
        return lane->stage == LANE_WORKING && race_transaction_line_take(race, index, line, &lane->serial);
    if (!race_line_parse(line, &message))
        return false;
    switch (message.kind) {
    case RACE_MESSAGE_READY:
        if (lane->stage != LANE_STARTING)
            return false;
        lane->stage = LANE_READY;
        if (crew->begun)
            begin_lane(crew, index);
        return true;
    case RACE_MESSAGE_DONE:
        race_faults_lane(&race->faults, index, 0);
        lane->stage = lane->stage == LANE_WORKING ? LANE_DONE : lane->stage;
        return lane->stage == LANE_DONE;
    case RACE_MESSAGE_TROUBLE: message_once(crew, &crew->trouble_reported, message.text); return true;
    case RACE_MESSAGE_REMARK: message_once(crew, &crew->remark_reported, message.text); return true;
    case RACE_MESSAGE_PROGRESS: return lane->stage == LANE_WORKING && handle_progress(crew, index, &message);
    case RACE_MESSAGE_CALL: lane->serial = message.call / RACE_WRITERS_MAX; break;
    default: break;
    }
    return lane->stage == LANE_WORKING && race_record_message(&race->record, index, &message);
}

static void read_lane(struct crew *crew, unsigned index)
{
    struct lane *lane = &crew->lane[index];
    char data[16384];
    char line[RACE_LINE_MAX];
    const char *next = data;
    size_t len;
    bool too_long = false;
    ssize_t got = read(lane->process.report, data, sizeof(data));

    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        end_lane(crew, index);
        return;
    }
    len = (size_t)got;
    while (race_reader_take(&lane->reader, &next, &len, line, &too_long)) {
        if (!handle_message(crew, index, line)) {
            too_long = true;
            break;
        }
    }
    if (too_long) {
        output_message(&crew->race->session->output,
                       crew->race->record.no_memory
                           ? "There is not enough memory for the history of the race."
                           : "A racing process sent something that is not a message of a race.");
        lose_lane(crew, lane);
        end_lane(crew, index);
    }
}

/* ------------------------------------------------------------------------------------------------ the loop */

static uint64_t count_faults(struct race *race)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < RACE_FAULTS; i++)
        count += race_record_met(&race->record, race_fault_event((enum race_fault)i));
    return count;
}

/* On a terminal it is one line that changes; else a line now and then, for a race of hours that is watched in a log. */
static void show_count(struct crew *crew, uint64_t done, uint64_t wanted, const char *what)
{
    struct output *output = &crew->race->session->output;
    uint64_t now = race_now_us();
    char unit[96];
    bool for_leases = crew->race->lease_count > 0;
    size_t count = for_leases ? history_lease_count(crew->race->record.history) : crew->race->record.count;

    (void)snprintf(unit, sizeof(unit), "%s, %zu %s, %" PRIu64 " faults", what, count,
                   for_leases                      ? "words on leases"
                   : crew->race->account_count > 0 ? "transactions"
                                                   : "calls",
                   count_faults(crew->race));
    progress_report(&output->progress, unit, done, wanted);
    if (!output->progress.on && !output->json && !output->quiet && now >= crew->next_line_us) {
        char line[192];
        crew->next_line_us = now + LINE_US;
        (void)snprintf(line, sizeof(line), "race: %" PRIu64 " of %" PRIu64 " %s", done, wanted, unit);
        output_message(output, line);
    }
}

static void show_progress(struct crew *crew)
{
    const struct race *race = crew->race;
    uint64_t done = 0;
    uint64_t wanted = 0;

    if (crew->settling || !crew->begun)
        return;
    if (race->duration_us > 0) {
        uint64_t now = race_now_us();
        uint64_t begun = crew->until_us - race->duration_us;
        uint64_t gone = now > begun ? now - begun : 0;
        show_count(crew, (gone < race->duration_us ? gone : race->duration_us) / 1000000, race->duration_us / 1000000,
                   "s");
        return;
    }
    for (unsigned i = 0; i < race->writers; i++) {
        for (unsigned kind = 0; kind < RACE_KINDS; kind++) {
            done += race->progress.done[i][kind];
            wanted += race->count[kind];
        }
    }
    show_count(crew, done, wanted, "items");
}

/* When the time is over no fault is met any more, so that the last calls come to their end. */
static int tick_faults(struct crew *crew)
{
    struct race_faults *faults = &crew->race->faults;

    if (faults->running && crew->until_us != 0 && race_now_us() >= crew->until_us)
        race_faults_stop(faults);
    return faults->running ? race_faults_tick(faults) : -1;
}

/* Until every lane is at its end. */
static void run_lanes(struct crew *crew)
{
    struct race *race = crew->race;
    const struct interrupt *interrupt = &race->session->interrupt;

    while (true) {
        unsigned alive = 0;
        if (!crew->begun)
            begin_when_ready(crew);
        for (unsigned i = 0; i < race->writers; i++) {
            crew->fds[i] = (struct pollfd){.fd = crew->lane[i].process.report, .events = POLLIN};
            alive += crew->lane[i].process.report >= 0 ? 1 : 0;
        }
        crew->fds[race->writers] = (struct pollfd){.fd = race->interrupted ? -1 : interrupt->seen, .events = POLLIN};
        if (alive == 0)
            return;
        if (poll(crew->fds, race->writers + 1, tick_faults(crew)) < 0)
            continue; /* EINTR; nothing else can happen to these */
        if (crew->fds[race->writers].revents != 0) {
            race->interrupted = true;
            stop_all(crew);
        }
        for (unsigned i = 0; i < race->writers; i++)
            if (crew->fds[i].revents != 0)
                read_lane(crew, i);
        show_progress(crew);
    }
}

/* A process that works settles its own unknown calls, and those of the one before. What the last one of a lane has left
 * is for a further one, which is met by no fault. */
static void settle_rest(struct crew *crew)
{
    struct race *race = crew->race;

    race_faults_stop(&race->faults);
    crew->settling = true;
    for (unsigned i = 0; i < race->writers && !race->interrupted; i++) {
        size_t cursor = 0;
        if (race_record_next_ticket(&race->record, i, &cursor) != NULL)
            (void)start_lane(crew, i);
    }
    run_lanes(crew);
}

static int make_front(struct crew *crew)
{
    unsigned writers = crew->race->writers;
    void *page;

    crew->front_fd = memfd_create("oscommit-race", MFD_CLOEXEC);
    if (crew->front_fd < 0 || ftruncate(crew->front_fd, sizeof(struct race_front)) != 0)
        return errno;
    page = mmap(NULL, sizeof(struct race_front), PROT_READ | PROT_WRITE, MAP_SHARED, crew->front_fd, 0);
    if (page == MAP_FAILED)
        return errno;
    crew->front = page;
    /* Two or three writers for each open name: enough to collide, and whoever has to wait for a dead one does not make
     * all wait. */
    crew->front->slots = writers / 2 > RACE_SLOTS_MAX ? RACE_SLOTS_MAX : (writers < 2 ? 1 : writers / 2);
    return 0;
}

static int run_crew(struct crew *crew)
{
    int failure = make_front(crew);

    for (unsigned i = 0; i < crew->race->writers && failure == 0; i++)
        failure = start_lane(crew, i);
    if (failure != 0) {
        crew->begun = true; /* and nobody will be told to begin */
        stop_all(crew);
    }
    run_lanes(crew);
    if (failure == 0)
        settle_rest(crew);
    return failure;
}

bool race_run_workers(struct race *race)
{
    struct crew crew = {.race = race, .front_fd = -1};
    int failure = ENOMEM;

    crew.lane = calloc(race->writers, sizeof(crew.lane[0]));
    crew.fds = calloc(race->writers + 1, sizeof(crew.fds[0]));
    if (crew.lane != NULL && crew.fds != NULL) {
        for (unsigned i = 0; i < race->writers; i++) {
            crew.lane[i].process.report = -1;
            crew.lane[i].serial = RACE_FIRST_SERIAL;
        }
        failure = run_crew(&crew);
    }
    if (crew.front != NULL)
        (void)munmap(crew.front, sizeof(struct race_front));
    if (crew.front_fd >= 0)
        (void)close(crew.front_fd);
    free(crew.lane);
    free(crew.fds);
    if (failure != 0) {
        (void)session_fail(race->session, race->at->url, OS_ERR_IO,
                           "The %u processes of the race could not be started: %s.", race->writers, strerror(failure));
    }
    return failure == 0;
}
