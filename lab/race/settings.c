/* SPDX-License-Identifier: Apache-2.0 */
#include "race/settings.h"

#include "cli/duration.h"
#include "race/faults.h"

#include <string.h>

enum { WRITERS_DEFAULT = 8, KEYS_DEFAULT = 50 };
enum { TABLE_S = 30, ACCOUNTS_DEFAULT = 50, ACCOUNTS_MAX = 100 /* what one transaction reads */ };
enum { LEASES_DEFAULT = 2, LEASES_MAX = 1000, LEASE_TTL_S = 3, LEASE_TTL_MOST_S = 24 * 3600 };
enum { LENGTH_S = 5, ALLOWANCE_S = 5, MARGIN_S = 2 }; /* docs/rules.md, F1 */

static uint64_t number_or(const struct options *options, enum option_id id, uint64_t otherwise)
{
    uint64_t number = options_number(options, id);

    return number == 0 ? otherwise : number;
}

bool race_duration_parse(const char *text, uint64_t *ret_us, struct usage *usage)
{
    uint64_t seconds;

    if (duration_parse(text, "smh", 7 * 24 * 3600, &seconds)) {
        *ret_us = seconds * 1000000;
        return true;
    }
    return usage_refuse(usage, "--duration must be a time such as 90s, 10m or 1h, at most a week, not \"%.60s\".",
                        text);
}

static bool take_duration(const struct options *options, struct race_settings *ret, struct usage *usage)
{
    static const enum option_id counts[] = {OPTION_KEYS, OPTION_UPDATES, OPTION_COPIES, OPTION_DELETES};
    const char *duration = options_text(options, OPTION_DURATION);

    if (duration == NULL)
        return true;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        if (options_text(options, counts[i]) != NULL) {
            return usage_refuse(usage, "--duration and --%s exclude each other: a race ends by time or by counts.",
                                option_table[counts[i]].name);
        }
        ret->count[i] = 1;
    }
    return race_duration_parse(duration, &ret->duration_us, usage);
}

static bool take_faults(const struct options *options, bool embedded, struct race_settings *ret, struct usage *usage)
{
    const char *faults = options_text(options, OPTION_FAULTS);
    bool all;

    if (faults == NULL)
        return true;
    if (!race_faults_parse(faults, &ret->faults, usage))
        return false;
    all = ret->faults == RACE_FAULT_ALL;
    if (embedded && all)
        ret->faults = RACE_FAULT_LOCAL;
    if (embedded && (ret->faults & ~RACE_FAULT_LOCAL) != 0) {
        return usage_refuse(usage,
                            "A %s has no network, so only the faults pause and kill are possible: give --faults "
                            "pause,kill.",
                            ret->leases > 0 || ret->accounts > 0 ? "table in a file" : "store in a folder");
    }
    return true;
}

bool race_settings_take(const struct options *options, bool embedded, struct race_settings *ret, struct usage *usage)
{
    memset(ret, 0, sizeof(*ret));
    ret->writers = (unsigned)number_or(options, OPTION_WRITERS, WRITERS_DEFAULT);
    ret->count[RACE_CREATE] = number_or(options, OPTION_KEYS, KEYS_DEFAULT);
    ret->count[RACE_UPDATE] = options_number(options, OPTION_UPDATES);
    ret->count[RACE_COPY] = options_number(options, OPTION_COPIES);
    ret->count[RACE_DELETE] = options_number(options, OPTION_DELETES);
    ret->seed = options_number(options, OPTION_SEED);
    return take_duration(options, ret, usage) && take_faults(options, embedded, ret, usage);
}

/* What a race in a table has no use for. `flag` is the one that asks for it. */
static bool refuse_of_objects(const struct options *options, const char *flag, struct usage *usage)
{
    static const enum option_id others[] = {OPTION_UPDATES, OPTION_COPIES, OPTION_DELETES, OPTION_REPORT};

    if (options->operand_count > 0) {
        return usage_refuse(usage, "%s takes no URL: it races in a table, which --ledger names, not \"%.60s\".", flag,
                            options->operand[0]);
    }
    if (options_on(options, OPTION_LOCK) && options_on(options, OPTION_TRANSACTIONS))
        return usage_refuse(usage, "--lock and --transactions exclude each other.");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (options_text(options, others[i]) != NULL)
            return usage_refuse(usage, "%s and --%s exclude each other.", flag, option_table[others[i]].name);
    return true;
}

/* What every race in a table has, after what is its own. */
static bool take_of_table(const struct options *options, bool network, const char *flag, struct race_settings *ret,
                          struct usage *usage)
{
    const char *duration = options_text(options, OPTION_DURATION);

    ret->writers = (unsigned)number_or(options, OPTION_WRITERS, WRITERS_DEFAULT);
    ret->seed = options_number(options, OPTION_SEED);
    ret->duration_us = TABLE_S * UINT64_C(1000000);
    ret->faults = RACE_FAULT_LOCAL;
    return refuse_of_objects(options, flag, usage) &&
           (duration == NULL || race_duration_parse(duration, &ret->duration_us, usage)) &&
           take_faults(options, !network, ret, usage);
}

static bool take_ttl(const struct options *options, struct race_settings *ret, struct usage *usage)
{
    const char *text = options_text(options, OPTION_TTL);

    ret->ttl_s = LEASE_TTL_S;
    if (text == NULL || (duration_parse(text, "smhd", LEASE_TTL_MOST_S, &ret->ttl_s) && ret->ttl_s >= 2))
        return true;
    return usage_refuse(usage, "--ttl wants a time from 2s to 1d, such as 3s, not \"%.60s\".", text);
}

bool race_settings_take_leases(const struct options *options, bool network, struct race_settings *ret,
                               struct usage *usage)
{
    uint64_t leases = number_or(options, OPTION_KEYS, LEASES_DEFAULT);

    memset(ret, 0, sizeof(*ret));
    if (leases > LEASES_MAX)
        return usage_refuse(usage, "With --lock, --keys is the number of leases: at most %d.", LEASES_MAX);
    ret->leases = (unsigned)leases;
    return take_of_table(options, network, "--lock", ret, usage) && take_ttl(options, ret, usage);
}

bool race_settings_take_transactions(const struct options *options, bool network, struct race_settings *ret,
                                     struct usage *usage)
{
    uint64_t accounts = number_or(options, OPTION_KEYS, ACCOUNTS_DEFAULT);

    memset(ret, 0, sizeof(*ret));
    if (accounts < 2 || accounts > ACCOUNTS_MAX)
        return usage_refuse(usage, "With --transactions, --keys is the number of accounts: 2 to %d.", ACCOUNTS_MAX);
    if (options_text(options, OPTION_TTL) != NULL)
        return usage_refuse(usage, "--ttl is of leases: it needs --lock.");
    ret->accounts = (unsigned)accounts;
    return take_of_table(options, network, "--transactions", ret, usage);
}

uint64_t race_attempt_us(const struct options *options)
{
    uint64_t length_s = options_number(options, OPTION_LENGTH_S);
    uint64_t allowance_s = options_number(options, OPTION_ALLOWANCE_S);
    uint64_t margin_s = options_number(options, OPTION_MARGIN_S);

    return ((length_s == 0 ? LENGTH_S : length_s) + (allowance_s == 0 ? ALLOWANCE_S : allowance_s) +
            (margin_s == 0 ? MARGIN_S : margin_s)) *
           1000000;
}
