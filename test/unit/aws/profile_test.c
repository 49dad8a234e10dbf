/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/profile.h"

#include "surroundings.h"

#include <errno.h>
#include <unistd.h>

static struct profile_files load(void)
{
    struct profile_files files;
    os_error err;
    assert_int_equal(profile_load(&files, &err), OS_OK);
    return files;
}

struct setting {
    const char *profile;
    const char *service; /* NULL: of the profile itself */
    const char *name;    /* NULL behind the last one */
    const char *value;
};
#define SETTING(of_profile, named, wanted)                    \
    {                                                         \
        .profile = of_profile, .name = named, .value = wanted \
    }
#define SERVICE_SETTING(of_profile, of_service, named, wanted)                       \
    {                                                                                \
        .profile = of_profile, .service = of_service, .name = named, .value = wanted \
    }

static void expect(const struct profile_files *files, const struct setting *setting)
{
    struct text found = setting->service != NULL
                            ? profile_service_setting(files, setting->profile, setting->service, setting->name)
                            : profile_setting(files, setting->profile, setting->name);
    if (!text_is(found, setting->value))
        fail_msg("%s%s%s of %s: wanted \"%s\", got \"%.*s\"", setting->service ? setting->service : "",
                 setting->service ? "." : "", setting->name, setting->profile ? setting->profile : "no profile",
                 setting->value, (int)found.len, found.p);
}

#define EXPECT(of_profile, named, wanted) expect(&files, &(struct setting)SETTING(of_profile, named, wanted))

static const struct {
    const char *name;
    const char *credentials; /* the files; NULL: none */
    const char *config;
    struct setting settings[12];
} readings[] = {
    {.name = "a profile is a bare section in one file and a named one in the other",
     .credentials = "[default]\nkey = a\n[me.at.work-1]\nkey = b\n[profile me]\nkey = wrong\n",
     .config = "[default]\nregion = r0\n[profile me.at.work-1]\nregion = r1\n[me]\nregion = wrong\n",
     .settings = {SETTING("default", "key", "a"), SETTING("me.at.work-1", "key", "b"),
                  SETTING("default", "region", "r0"), SETTING("me.at.work-1", "region", "r1"), SETTING("me", "key", ""),
                  SETTING("me", "region", ""), SETTING("me.at.work", "region", "")}},
    {.name = "the credentials file goes before the config file",
     .credentials = "[p]\nregion = first\n",
     .config = "[profile p]\nregion = second\noutput = json\n",
     .settings = {SETTING("p", "region", "first"), SETTING("p", "output", "json")}},
    {.name = "profile default goes before default",
     .config = "[default]\nregion = b\noutput = o\n[profile default]\nregion = a\n",
     .settings = {SETTING(NULL, "region", "a"), SETTING(NULL, "output", "o")}},
    {.name = "blanks comments and line ends of every kind are taken",
     .config = "\xef\xbb\xbf# first\r\n[ profile \t p ]  # why\r\n; comment\r\n  \r\n\r\n"
               "a=1\r\nb   =\t2 # two\r\nc = x#y;z\r\nd = # none\r\nE = five ; 5\r\nno setting\r\n"
               "[profile \"two words\"]\na = quoted\n[profile 'q']\nlast = without line end",
     .settings = {SETTING("p", "a", "1"), SETTING("p", "b", "2"), SETTING("p", "c", "x#y;z"), SETTING("p", "d", ""),
                  SETTING("p", "e", "five"), SETTING("p", "A", "1"), SETTING("two words", "a", "quoted"),
                  SETTING("q", "last", "without line end")}},
    {.name = "a value may hold the signs of the format",
     .credentials = "[p]\nsecret = a/b+c==\nurl = http://h:1/\nodd = [x]\nname:with = colon\n",
     .settings = {SETTING("p", "secret", "a/b+c=="), SETTING("p", "url", "http://h:1/"), SETTING("p", "odd", "[x]"),
                  SETTING("p", "name:with", "colon")}},
    {.name = "of two settings of one name the later counts",
     .config = "[profile p]\na = 1\na = 2\n[profile q]\na = 3\n[profile p]\na = 4\nb =\n",
     .settings = {SETTING("p", "a", "4"), SETTING("q", "a", "3")}},
    {.name = "a services section is found by the name in the profile",
     .config = "[profile p]\nservices = local\n[profile q]\n[profile r]\nservices = nowhere\n"
               "[services other]\ns3 =\n  endpoint_url = http://wrong\n"
               "[services local]\ns3 =\n  endpoint_url = http://s3:9000\n  region = x\n"
               "dynamodb =\n  endpoint_url = http://db:8000\n",
     .settings = {SERVICE_SETTING("p", "s3", "endpoint_url", "http://s3:9000"),
                  SERVICE_SETTING("p", "dynamodb", "endpoint_url", "http://db:8000"),
                  SERVICE_SETTING("p", "sqs", "endpoint_url", ""), SERVICE_SETTING("q", "s3", "endpoint_url", ""),
                  SERVICE_SETTING("r", "s3", "endpoint_url", "")}},
    {.name = "sections that are nearly the wanted one are others",
     .config = "[profile]\nregion = none\n[profiles p]\nregion = other\n[profile p\nregion = open\n"
               "[profile\t'p']\nregion = ;all comment\nkey = \"half\nother = 'whole'\n",
     .settings = {SETTING("p", "region", ""), SETTING("p", "key", "\"half"),
                  SERVICE_SETTING("p", "s3", "endpoint_url", "")}},
};

TEST_ROWS_BETWEEN(surroundings_setup, surroundings_teardown, readings, what_is_read)
{
    if (row->credentials != NULL)
        write_profile("credentials", row->credentials);
    if (row->config != NULL)
        write_profile("config", row->config);
    struct profile_files files = load();
    for (const struct setting *setting = row->settings; setting->name != NULL; setting++)
        expect(&files, setting);
    profile_free(&files);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown,
             the_profile_is_the_given_one_then_the_environments_then_the_default_one)
{
    assert_string_equal(profile_name(NULL), "default");
    assert_string_equal(profile_name(""), "default");
    setenv("AWS_PROFILE", "env", 1);
    assert_string_equal(profile_name(NULL), "env");
    assert_string_equal(profile_name("given"), "given");
    setenv("AWS_PROFILE", "", 1);
    assert_string_equal(profile_name(NULL), "default");
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, nested_blocks_are_apart_from_the_settings_around_them)
{
    write_profile("config", "[profile p]\ns3 =\n  region = inner\n\n  # still inside\n\tother = 5\nregion = outer\n"
                            "  stray = 1\nmore = x\n  region = continuation\n");
    struct profile_files files = load();
    const struct profile_place place = {PROFILE_CONFIG, "profile", "p"};
    EXPECT("p", "region", "outer");
    EXPECT("p", "other", "");
    EXPECT("p", "stray", "");
    assert_true(text_is(profile_find(&files, &place, "s3", "region"), "inner"));
    assert_true(text_is(profile_find(&files, &place, "s3", "other"), "5"));
    assert_true(text_is(profile_find(&files, &place, "more", "region"), ""));
    assert_true(text_is(profile_find(&files, &place, "s3", "stray"), ""));
    profile_free(&files);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, files_that_are_not_there_are_empty)
{
    struct profile_files files = load();
    EXPECT("default", "region", "");
    assert_int_equal(files.failed[PROFILE_CONFIG], 0);
    profile_free(&files);
    unsetenv("HOME");
    files = load();
    EXPECT("default", "region", "");
    profile_free(&files);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, the_paths_can_be_set)
{
    char path[96];
    write_profile("other", "[p]\na = 1\n[profile p]\nb = 2\n");
    surroundings_path("other", path, sizeof(path));
    setenv("AWS_CONFIG_FILE", path, 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/other", 1);
    struct profile_files files = load();
    EXPECT("p", "a", "1");
    EXPECT("p", "b", "2");
    assert_string_equal(files.path[PROFILE_CREDENTIALS], path);
    profile_free(&files);
}

static void expect_damaged(const char *why)
{
    struct profile_files files;
    os_error err;
    assert_int_equal(profile_load(&files, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "/.aws/config"));
    assert_non_null(strstr(err.message, why));
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_damaged_file_is_an_error_that_names_it)
{
    write_profile("credentials", "[p]\nsecret = s\n");
    write_profile_bytes("config", "[p]\na\0b = 1\n", 12);
    expect_damaged("NUL");
    const size_t most = 1 << 20;
    char *large = malloc(most + 1);
    assert_non_null(large);
    memset(large, '\n', most + 1);
    memcpy(large, "[default]\na = 1", 15);
    write_profile_bytes("config", large, most + 1);
    expect_damaged("1 MiB");
    write_profile_bytes("config", large, most);
    struct profile_files files = load();
    EXPECT("default", "a", "1");
    profile_free(&files);
    free(large);
    setenv("AWS_CONFIG_FILE", "~/.aws", 1);
    struct profile_files none;
    os_error err;
    assert_int_equal(profile_load(&none, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, "folder"));
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, no_cut_of_a_file_reads_beyond_it)
{
    const char text[] = "[profile p]\ns3 =\n  a = 1 # c\nb = \"x\"\n[services \"q\"]\ns3=\n a=2";
    for (size_t len = 0; len <= strlen(text); len++) {
        write_profile_bytes("config", text, len);
        struct profile_files files = load();
        (void)profile_setting(&files, "p", "b");
        (void)profile_service_setting(&files, "p", "s3", "a");
        profile_free(&files);
    }
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_name_of_services_that_is_too_long_names_none)
{
    char text[2048];
    (void)snprintf(text, sizeof(text), "[profile p]\nservices = %01500d\n", 7);
    write_profile("config", text);
    struct profile_files files = load();
    assert_true(text_is(profile_service_setting(&files, "p", "s3", "endpoint_url"), ""));
    profile_free(&files);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_path_that_leads_nowhere_is_an_empty_file)
{
    char path[96];
    char wrong[2 * PROFILE_PATH_SIZE];
    write_profile("other", "[p]\na = 1\n");
    surroundings_path("other", path, sizeof(path));
    (void)snprintf(wrong, sizeof(wrong), "%s/below-a-file", path);
    setenv("AWS_SHARED_CREDENTIALS_FILE", wrong, 1);
    setenv("AWS_CONFIG_FILE", "~nobody/config", 1);
    struct profile_files files = load();
    assert_int_equal(files.failed[PROFILE_CREDENTIALS], 0);
    assert_string_equal(files.path[PROFILE_CONFIG], "~nobody/config");
    EXPECT("p", "a", "");
    profile_free(&files);
    memset(wrong, 'x', sizeof(wrong) - 1);
    wrong[sizeof(wrong) - 1] = '\0';
    setenv("AWS_CONFIG_FILE", wrong, 1);
    setenv("AWS_SHARED_CREDENTIALS_FILE", "", 1);
    files = load();
    assert_string_equal(files.path[PROFILE_CONFIG], "");
    profile_free(&files);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_file_that_cannot_be_opened_is_remembered)
{
    char path[96];
    surroundings_path("other", path, sizeof(path));
    assert_int_equal(symlink(path, path), 0); /* to itself */
    setenv("AWS_CONFIG_FILE", path, 1);
    struct profile_files files = load();
    assert_int_equal(files.failed[PROFILE_CONFIG], ELOOP);
    profile_free(&files);
    assert_int_equal(unlink(path), 0);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, a_fifo_is_an_error_that_names_it_and_is_not_waited_for)
{
    char path[96];
    struct profile_files files;
    os_error err = {.code = OS_OK};
    surroundings_path("other", path, sizeof(path));
    assert_int_equal(mkfifo(path, 0600), 0);
    setenv("AWS_SHARED_CREDENTIALS_FILE", path, 1);
    assert_int_equal(profile_load(&files, &err), OS_ERR_CONFIG);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "FIFO"));
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, the_null_device_is_an_empty_file)
{
    write_profile("config", "[p]\na = 1\n");
    setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null", 1);
    setenv("AWS_CONFIG_FILE", "/dev/null", 1);
    struct profile_files files = load();
    EXPECT("p", "a", "");
    profile_free(&files);
}
