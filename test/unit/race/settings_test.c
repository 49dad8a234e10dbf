/* SPDX-License-Identifier: Apache-2.0 */
#include "race/faults.h"
#include "race/settings.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

TEST(a_duration_has_a_unit)
{
    static const struct {
        const char *text;
        uint64_t seconds;
    } good[] = {{"90", 90}, {"90s", 90}, {"10m", 600}, {"1h", 3600}, {"168h", 7 * 24 * 3600}};
    struct usage usage = {0};
    uint64_t got;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(race_duration_parse(good[i].text, &got, &usage));
        assert_int_equal(got, good[i].seconds * 1000000);
    }
}

TEST(what_is_no_duration_is_refused)
{
    static const char *const bad[] = {"",   "s", "0", "-1", "1.5m", "10 m", "10d", "169h", "99999999999999999999s",
                                      "1hh"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct usage usage = {0};
        uint64_t got = 7;
        assert_false(race_duration_parse(bad[i], &got, &usage));
        assert_int_equal(got, 7);
        assert_non_null(strstr(usage.message, "--duration"));
    }
}

TEST(faults_are_named_with_commas)
{
    struct usage usage = {0};
    unsigned mask = 0;

    assert_true(race_faults_parse("pause,lost-reply,5xx", &mask, &usage));
    assert_int_equal(mask, RACE_FAULT_BIT(RACE_FAULT_PAUSE) | RACE_FAULT_BIT(RACE_FAULT_LOST_REPLY) |
                               RACE_FAULT_BIT(RACE_FAULT_5XX));
    assert_true(race_faults_parse("all", &mask, &usage));
    assert_int_equal(mask, RACE_FAULT_ALL);
}

TEST(a_fault_that_is_none_is_refused)
{
    static const char *const bad[] = {"", "paus", "pauses", "pause,", ",pause", "pause kill", "pause,,kill", "ALL"};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct usage usage = {0};
        unsigned mask = 0;
        assert_false(race_faults_parse(bad[i], &mask, &usage));
        assert_non_null(strstr(usage.message, "lost-reply"));
    }
}

TEST(without_anything_it_is_eight_writers_and_fifty_keys)
{
    struct options options = {0};
    struct race_settings settings;
    struct usage usage = {0};

    assert_true(race_settings_take(&options, false, &settings, &usage));
    assert_int_equal(settings.writers, 8);
    assert_int_equal(settings.count[RACE_CREATE], 50);
    assert_int_equal(settings.count[RACE_UPDATE] + settings.count[RACE_COPY] + settings.count[RACE_DELETE], 0);
    assert_int_equal(settings.duration_us, 0);
    assert_int_equal(settings.faults, 0);
}

TEST(time_and_counts_do_not_go_together)
{
    struct options options = {.value = {[OPTION_DURATION] = "10s", [OPTION_COPIES] = "5"}};
    struct race_settings settings;
    struct usage usage = {0};

    assert_false(race_settings_take(&options, false, &settings, &usage));
    assert_non_null(strstr(usage.message, "--copies"));
}

TEST(a_folder_knows_no_fault_of_the_network)
{
    struct options options = {.value = {[OPTION_FAULTS] = "pause,late"}};
    struct race_settings settings;
    struct usage usage = {0};

    assert_false(race_settings_take(&options, true, &settings, &usage));
    assert_non_null(strstr(usage.message, "pause,kill"));
    options.value[OPTION_FAULTS] = "all"; /* all that there can be */
    assert_true(race_settings_take(&options, true, &settings, &(struct usage){0}));
    assert_int_equal(settings.faults, RACE_FAULT_LOCAL);
}

TEST(a_race_for_leases_has_settings_of_its_own)
{
    struct options options = {0};
    struct race_settings settings;
    struct usage usage = {0};

    assert_true(race_settings_take_leases(&options, true, &settings, &usage));
    assert_int_equal(settings.writers, 8);
    assert_int_equal(settings.leases, 2);
    assert_int_equal(settings.ttl_s, 3);
    assert_int_equal(settings.duration_us, 30 * 1000000);
    assert_int_equal(settings.faults, RACE_FAULT_LOCAL);
    options.value[OPTION_TTL] = "1m";
    options.value[OPTION_FAULTS] = "all";
    options.value[OPTION_DURATION] = "1h";
    assert_true(race_settings_take_leases(&options, true, &settings, &usage));
    assert_int_equal(settings.ttl_s, 60);
    assert_int_equal(settings.faults, RACE_FAULT_ALL);
    assert_int_equal(settings.duration_us, UINT64_C(3600000000));
    assert_true(race_settings_take_leases(&options, false, &settings, &usage));
    assert_int_equal(settings.faults, RACE_FAULT_LOCAL);
}

TEST(what_a_race_for_leases_cannot_have_is_refused)
{
    static const struct {
        enum option_id id;
        const char *value;
        const char *said;
    } bad[] = {{OPTION_TTL, "1s", "--ttl"},          {OPTION_TTL, "soon", "--ttl"},
               {OPTION_KEYS, "1001", "1000"},        {OPTION_COPIES, "1", "--copies"},
               {OPTION_REPORT, "x", "--report"},     {OPTION_FAULTS, "5xx", "network"},
               {OPTION_DURATION, "8d", "--duration"}};

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct options options = {0};
        struct race_settings settings;
        struct usage usage = {0};
        options.value[bad[i].id] = bad[i].value;
        assert_false(race_settings_take_leases(&options, false, &settings, &usage));
        assert_non_null(strstr(usage.message, bad[i].said));
    }
}

TEST(a_race_with_transactions_has_accounts)
{
    struct options options = {0};
    struct race_settings settings;
    struct usage usage = {0};

    assert_true(race_settings_take_transactions(&options, true, &settings, &usage));
    assert_int_equal(settings.writers, 8);
    assert_int_equal(settings.accounts, 50);
    assert_int_equal(settings.leases, 0);
    assert_int_equal(settings.duration_us, 30 * 1000000);
    assert_int_equal(settings.faults, RACE_FAULT_LOCAL);
    options.value[OPTION_TTL] = "3s";
    assert_false(race_settings_take_transactions(&options, true, &settings, &usage));
    assert_non_null(strstr(usage.message, "--lock"));
    options.value[OPTION_TTL] = NULL;
    options.value[OPTION_UPDATES] = "3";
    usage = (struct usage){0};
    assert_false(race_settings_take_transactions(&options, true, &settings, &usage));
    assert_non_null(strstr(usage.message, "--transactions and --updates"));
}
