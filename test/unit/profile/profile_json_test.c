/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as JSON: every field comes back, and nothing that is not understood is taken for something else. */
#include "profile/profile_json.h"
#include "support/data_file.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK_CODE(got, wanted, error)        \
    do {                                      \
        if ((got) != (wanted))                \
            fail_msg("%s", (error)->message); \
    } while (0)

#define HEAD "\"format\":1,\"name\":\"n\",\"measured_on\":\"2026-11-22\",\"source\":\"probe\""

static struct profile full(void)
{
    struct profile profile;
    memset(&profile, 0, sizeof(profile));
    strcpy(profile.name, "A store");
    strcpy(profile.version, "1.2.3");
    strcpy(profile.measured_on, "2026-11-22");
    strcpy(profile.source, "probe");
    for (int request = 0; request < PROFILE_REQUESTS; request++) {
        struct profile_rule *rule = &profile.rules[request];
        rule->absent = request == PROFILE_DELETE ? PROFILE_UNKNOWN : PROFILE_ENFORCED;
        rule->absent_atomic = request != PROFILE_DELETE;
        rule->absent_rounds = 20U + (uint32_t)request;
        rule->match = (enum profile_condition)request;
        rule->match_atomic = rule->match == PROFILE_ENFORCED;
        rule->match_rounds = 7;
        rule->status_unmet = 412;
        rule->status_missing = 404;
        rule->answer_409 = (enum profile_409)(request % 3);
    }
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++) {
        profile.vendors[vendor].put = (enum profile_condition)vendor;
        profile.vendors[vendor].put_atomic = profile.vendors[vendor].put == PROFILE_ENFORCED;
        profile.vendors[vendor].copy = PROFILE_ENFORCED;
        profile.vendors[vendor].copy_atomic = true;
        profile.vendors[vendor].put_rounds = 60U + (uint32_t)vendor;
        profile.vendors[vendor].copy_rounds = 70U + (uint32_t)vendor;
    }
    profile.copy_source_match = PROFILE_IGNORED;
    profile.expiry = PROFILE_EXPIRY_END;
    profile.rename_object = PROFILE_YES;
    profile.answer_mark = PROFILE_MARK_GOOGLE;
    profile.date_on_all = PROFILE_NO;
    profile.metadata_survives = PROFILE_YES;
    profile.etag_is_md5 = PROFILE_NO;
    profile.versioned = PROFILE_YES;
    profile.uploads = PROFILE_NO;
    profile.complete_s = 300;
    profile.checksums = UINT32_C(1) << 2 | UINT32_C(1) << 5;
    return profile;
}

static void check_round_trip(const struct profile *profile)
{
    struct profile read;
    os_error error = {0};
    memset(&read, 0xff, sizeof(read));
    char *text = profile_write(profile);
    assert_non_null(text);
    CHECK_CODE(profile_parse(text, strlen(text), "test", &read, &error), OS_OK, &error);
    assert_memory_equal(&read, profile, sizeof(read));
    free(text);
}

TEST(every_field_comes_back)
{
    struct profile profile = full();
    check_round_trip(&profile);
    memset(&profile.rules, 0, sizeof(profile.rules));
    memset(&profile.vendors, 0, sizeof(profile.vendors));
    profile.checksums = 0;
    profile.expiry = PROFILE_EXPIRY_UNKNOWN;
    check_round_trip(&profile);
}

TEST(what_is_left_out_is_unknown)
{
    static const char text[] =
        "{" HEAD ",\"remarks\":[\"for people\"],\"requests\":{\"put\":{\"absent\":\"enforced\"}}}";
    struct profile profile;
    os_error error = {0};
    CHECK_CODE(profile_parse(text, strlen(text), "test", &profile, &error), OS_OK, &error);
    assert_int_equal(profile.rules[PROFILE_PUT].absent, PROFILE_ENFORCED);
    assert_int_equal(profile.rules[PROFILE_PUT].match, PROFILE_UNKNOWN);
    assert_false(profile_proves(&profile, PROFILE_PUT, true));
    assert_int_equal(profile.expiry, PROFILE_EXPIRY_UNKNOWN);
    assert_int_equal(profile.checksums, 0);
}

struct refusal {
    const char *text;
    const char *sentence; /* a part of it */
};

static void check_refusal(const struct refusal *refusal)
{
    struct profile profile = full();
    const struct profile before = profile;
    os_error error = {0};
    os_code code = profile_parse(refusal->text, strlen(refusal->text), "FILE", &profile, &error);
    if (code != OS_ERR_CONFIG || strstr(error.message, refusal->sentence) == NULL)
        fail_msg("%s\n gave: %s\n wanted: %s", refusal->text, error.message, refusal->sentence);
    assert_non_null(strstr(error.message, "FILE"));
    assert_memory_equal(&profile, &before, sizeof(profile));
}

TEST(each_fault_is_named)
{
    static const struct refusal refusals[] = {
        {"", "is empty"},
        {"{", "is not JSON: line 1"},
        {"[]", "must be an object"},
        {"{\"format\":1,\"format\":1}", "is not JSON"},
        {"{}", "format must be a number"},
        {"{\"format\":2}", "format is not 1"},
        {"{\"format\":1}", "name must be a text that is not empty"},
        {"{\"format\":1,\"name\":\"\"}", "name must be a text that is not empty"},
        {"{\"format\":1,\"name\":\"a\\nb\"}", "name has a control character"},
        {"{\"format\":1,\"name\":\"a\x7f\"}", "name has a control character"},
        {"{\"format\":\"1\",\"other\":1,\"another\":2}", "format must be a number"},
        {"{\"format\":1,\"name\":\"n\",\"measured_on\":\"2026/11/22\",\"source\":\"s\"}", "measured_on must be a date"},
        {"{\"format\":1,\"name\":\"n\",\"measured_on\":\"2026-1:-22\",\"source\":\"s\"}", "measured_on must be a date"},
        {"{\"format\":1,\"name\":\"n\",\"measured_on\":\"2026-1/-22\",\"source\":\"s\"}", "measured_on must be a date"},
        {"{" HEAD ",\"expiry\":\"start\\u0000\"}", "is not JSON"},
        {"{" HEAD ",\"expiry\":3}", "expiry must be"},
        {"{\"format\":1,\"name\":\"n\",\"version\":7}", "version must be a text"},
        {"{\"format\":1,\"name\":\"n\",\"measured_on\":\"yesterday\",\"source\":\"s\"}", "measured_on must be a date"},
        {"{\"format\":1,\"name\":\"n\",\"measured_on\":\"2026-11-2\",\"source\":\"s\"}", "measured_on must be a date"},
        {"{\"format\":1,\"name\":\"0123456789012345678901234567890123456789012345678901234567890123\"}",
         "name is too long"},
        {"{" HEAD ",\"expirey\":\"start\"}", "expirey is not a field"},
        {"{" HEAD ",\"expiry\":\"soon\"}", "expiry must be \"unknown\", \"none\", \"start\" or \"end\""},
        {"{" HEAD ",\"complete_s\":86401}", "complete_s must be a whole number from 0 to 86400"},
        {"{" HEAD ",\"complete_s\":\"5\"}", "complete_s must be a whole number"},
        {"{" HEAD ",\"versioned\":true}", "versioned must be \"unknown\", \"yes\" or \"no\""},
        {"{" HEAD ",\"requests\":[]}", "requests must be an object"},
        {"{" HEAD ",\"requests\":{\"post\":{}}}", "requests.post is not a field"},
        {"{" HEAD ",\"requests\":{\"put\":1}}", "requests.put must be an object"},
        {"{" HEAD ",\"requests\":{\"put\":{\"if\":1}}}", "requests.put.if is not a field"},
        {"{" HEAD ",\"requests\":{\"put\":{\"absent\":\"Enforced\"}}}", "requests.put.absent must be"},
        {"{" HEAD ",\"requests\":{\"put\":{\"absent_atomic\":1}}}", "requests.put.absent_atomic must be true or false"},
        {"{" HEAD ",\"requests\":{\"put\":{\"absent_rounds\":-1}}}", "must be a whole number from 0 to 1000000"},
        {"{" HEAD ",\"requests\":{\"put\":{\"absent_rounds\":1.5}}}", "must be a whole number"},
        {"{" HEAD ",\"requests\":{\"put\":{\"status_unmet\":600}}}", "must be a whole number from 0 to 599"},
        {"{" HEAD ",\"requests\":{\"put\":{\"status_unmet\":99}}}", "must be an HTTP status"},
        {"{" HEAD ",\"requests\":{\"delete\":{\"absent\":\"ignored\"}}}", "delete.absent must be \"unknown\""},
        {"{" HEAD ",\"requests\":{\"copy\":{\"absent\":\"ignored\",\"absent_atomic\":true,\"absent_rounds\":9}}}",
         "requests.copy.absent_atomic is true, but the condition is not enforced"},
        {"{" HEAD ",\"requests\":{\"copy\":{\"match\":\"enforced\",\"match_atomic\":true}}}",
         "requests.copy.match_atomic is true, but no round"},
        {"{" HEAD ",\"vendors\":{\"google\":{\"put_atomic\":true}}}", "vendors.google.put_atomic is true, but"},
        {"{" HEAD ",\"vendors\":{\"google\":{\"copy_rounds\":\"many\"}}}", "must be a whole number"},
        {"{" HEAD ",\"vendors\":{\"microsoft\":{}}}", "vendors.microsoft is not a field"},
        {"{" HEAD ",\"checksums\":\"CRC32\"}", "checksums must be an array"},
        {"{" HEAD ",\"checksums\":[\"MD5\"]}", "checksums may have"},
        {"{" HEAD ",\"checksums\":[3]}", "checksums may have"},
    };
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        check_refusal(&refusals[i]);
}

TEST(a_text_over_the_limit_is_refused)
{
    char *text = malloc(PROFILE_TEXT_MAX + 1);
    assert_non_null(text);
    memset(text, ' ', PROFILE_TEXT_MAX + 1);
    struct profile profile;
    os_error error = {0};
    assert_int_equal(profile_parse(text, PROFILE_TEXT_MAX + 1, "test", &profile, &error), OS_ERR_CONFIG);
    free(text);
}

TEST(what_the_documentation_says_needs_no_race)
{
    static const char text[] = "{\"format\":1,\"name\":\"n\",\"measured_on\":\"2026-11\",\"source\":\"documentation\","
                               "\"requests\":{\"put\":{\"absent\":\"enforced\",\"absent_atomic\":true}}}";
    struct profile profile;
    os_error error = {0};
    CHECK_CODE(profile_parse(text, strlen(text), "test", &profile, &error), OS_OK, &error);
    assert_true(profile_proves(&profile, PROFILE_PUT, true));
}

TEST(a_condition_is_proven_by_enough_rounds)
{
    struct profile profile;
    memset(&profile, 0, sizeof(profile));
    strcpy(profile.source, "probe: 32 writers at once, 49 rounds");
    profile.rules[PROFILE_PUT] = (struct profile_rule){.absent = PROFILE_ENFORCED,
                                                       .match = PROFILE_ENFORCED,
                                                       .absent_atomic = true,
                                                       .match_atomic = true,
                                                       .absent_rounds = OS_PROBE_PROOF_ROUNDS - 1,
                                                       .match_rounds = OS_PROBE_PROOF_ROUNDS};
    assert_false(profile_proves(&profile, PROFILE_PUT, true));
    assert_true(profile_proves(&profile, PROFILE_PUT, false));
    profile.rules[PROFILE_PUT].absent_rounds++;
    profile.rules[PROFILE_PUT].match_rounds--;
    assert_true(profile_proves(&profile, PROFILE_PUT, true));
    assert_false(profile_proves(&profile, PROFILE_PUT, false));
    profile.rules[PROFILE_PUT].absent_atomic = false;
    assert_false(profile_proves(&profile, PROFILE_PUT, true));
    strcpy(profile.source, PROFILE_SOURCE_DOCUMENTATION);
    assert_false(profile_proves(&profile, PROFILE_PUT, true));
    assert_true(profile_proves(&profile, PROFILE_PUT, false));
}

/* Whoever vouches for it: it must have been seen beside the nonce. */
TEST(a_vendors_header_is_proven_by_enough_rounds_alone)
{
    for (int documented = 0; documented < 2; documented++) {
        struct profile profile;
        memset(&profile, 0, sizeof(profile));
        strcpy(profile.source, documented ? PROFILE_SOURCE_DOCUMENTATION : "probe");
        struct profile_vendor *google = &profile.vendors[2];
        *google = (struct profile_vendor){.put = PROFILE_ENFORCED,
                                          .copy = PROFILE_ENFORCED,
                                          .put_atomic = true,
                                          .copy_atomic = true,
                                          .put_rounds = OS_PROBE_PROOF_ROUNDS - 1,
                                          .copy_rounds = OS_PROBE_PROOF_ROUNDS};
        assert_int_equal(profile_vendor_for(&profile, PROFILE_PUT), 0);
        assert_int_equal(profile_vendor_for(&profile, PROFILE_COPY), 2);
        google->put_rounds++;
        google->copy_rounds--;
        assert_int_equal(profile_vendor_for(&profile, PROFILE_PUT), 2);
        assert_int_equal(profile_vendor_for(&profile, PROFILE_COPY), 0);
        google->put = PROFILE_REFUSED;
        assert_int_equal(profile_vendor_for(&profile, PROFILE_PUT), 0);
    }
}

TEST(every_shipped_profile_can_be_found_and_read)
{
    size_t count = 0;
    for (const char *name; (name = profile_shipped_name(count)) != NULL; count++) {
        struct profile profile;
        os_error error = {0};
        CHECK_CODE(profile_shipped_find(name, &profile, &error), OS_OK, &error);
        check_round_trip(&profile);
        assert_true(strncmp(profile.measured_on, "2026-", 5) == 0);
    }
    assert_true(count >= 9);
    struct profile aws;
    assert_int_equal(profile_shipped_find("aws", &aws, NULL), OS_OK);
    assert_string_equal(aws.source, PROFILE_SOURCE_DOCUMENTATION);
}

/* Of a server that only tests run: a file of test/data, and no part of the library. */
static struct profile profile_of_mock(const char *file)
{
    char name[64];
    char path[DATA_PATH_SIZE];
    struct profile profile;
    os_error error = {0};
    snprintf(name, sizeof(name), "profiles/%s", file);
    data_path(name, path);
    CHECK_CODE(profile_open(path, &profile, &error), OS_OK, &error);
    return profile;
}

TEST(the_profiles_of_mocks_can_be_read_and_are_not_shipped)
{
    char **files = data_names("profiles");
    size_t count = 0;
    for (; files[count]; count++) {
        struct profile profile = profile_of_mock(files[count]);
        check_round_trip(&profile);
        assert_true(strncmp(profile.measured_on, "2026-", 5) == 0);
        char name[64] = {0};
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(files[count], "."), files[count]);
        assert_int_equal(profile_shipped_find(name, &profile, NULL), OS_ERR_CONFIG);
    }
    assert_true(count >= 7);
    data_names_free(files);
}

/* The measured table is in the profiles: a few of its corners, one of each kind. */
TEST(the_profiles_say_what_was_measured)
{
    struct profile profile;
    assert_int_equal(profile_shipped_find("minio", &profile, NULL), OS_OK);
    assert_true(profile_proves(&profile, PROFILE_PUT, true));
    assert_true(profile_proves(&profile, PROFILE_PUT, false));
    assert_false(profile_proves(&profile, PROFILE_COPY, true));
    assert_false(profile_proves(&profile, PROFILE_DELETE, false));
    assert_int_equal(profile_shipped_find("versitygw", &profile, NULL), OS_OK);
    assert_false(profile_proves(&profile, PROFILE_DELETE, false));
    assert_int_equal(profile_shipped_find("ceph-16", &profile, NULL), OS_OK);
    assert_int_equal(profile.rules[PROFILE_PUT].match, PROFILE_UNMEETABLE);
    assert_false(profile_condition_harmless(&profile, PROFILE_PUT, false));
    profile = profile_of_mock("s3s-fs.json");
    assert_int_equal(profile.rules[PROFILE_PUT].absent, PROFILE_ENFORCED);
    assert_false(profile_proves(&profile, PROFILE_PUT, true));
    profile = profile_of_mock("gofakes3.json");
    assert_int_equal(profile.expiry, PROFILE_EXPIRY_NONE);
    assert_int_equal(profile_shipped_find("swift", &profile, NULL), OS_OK);
    assert_int_equal(profile.rules[PROFILE_PUT].absent, PROFILE_REFUSED);
}

TEST(another_name_is_refused_with_the_list)
{
    struct profile profile;
    os_error error = {0};
    assert_int_equal(profile_shipped_find("s3.example.com", &profile, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "minio"));
    assert_non_null(strstr(error.message, "s3.example.com"));
}

TEST(a_path_is_a_file_and_anything_else_a_name)
{
    struct profile profile;
    const struct profile expected = full();
    os_error error = {0};
    char path[] = "/tmp/oscommit-profile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    char *text = profile_write(&expected);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    CHECK_CODE(profile_open(path, &profile, &error), OS_OK, &error);
    assert_memory_equal(&profile, &expected, sizeof(profile));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(profile_open(path, &profile, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "No such file"));
    assert_int_equal(profile_open("minio.json", &profile, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "cannot be read"));
    assert_int_equal(profile_open("minio", &profile, &error), OS_OK);
    assert_int_equal(profile_open("/tmp", &profile, &error), OS_ERR_CONFIG);
    assert_int_equal(ftruncate(fd, PROFILE_TEXT_MAX + 1), 0);
    free(text);
    close(fd);
}

TEST(a_file_over_the_limit_is_refused)
{
    struct profile profile;
    os_error error = {0};
    char path[] = "/tmp/oscommit-profile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, PROFILE_TEXT_MAX + 1), 0);
    assert_int_equal(profile_read_file(path, &profile, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "File too large"));
    assert_int_equal(unlink(path) + close(fd), 0);
}

TEST(a_fifo_is_refused_and_not_waited_for)
{
    struct profile profile;
    os_error error = {0};
    char path[] = "/tmp/oscommit-profile-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(unlink(path) + close(fd) + mkfifo(path, 0600), 0);
    assert_int_equal(profile_open(path, &profile, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "FIFO"));
    assert_int_equal(unlink(path), 0);
}
