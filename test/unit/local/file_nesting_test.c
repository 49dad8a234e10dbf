/* SPDX-License-Identifier: Apache-2.0 */
/* No store inside a store, however it is tried, and none on a file system with two names for one file. */
#include "file_state.h"

#include "local/file_upload.h"

#include <ctype.h>

static const char nonce[] = "0123456789abcdef0123456789abcdef";

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

/* -------------------------------------------------------------------------------------------------------- keys */

TEST_WITH(state, the_stores_own_name_is_no_segment_of_a_key)
{
    static const char *const refused[] = {
        ".oscommit",       ".oscommit/ledger.db",     "a/.oscommit",     "a/.oscommit/ledger.db",
        "a/b/.oscommit/x", "a/.OSCOMMIT/ledger.db",   ".Oscommit/tmp/x", "a/.oscommiT",
        ".oscommit/a/b/c", "a/.oscommit/.oscommit/b",
    };
    static const char *const taken[] = {".oscommit2", "a.oscommit", "oscommit/b", "a/.oscommi/t",
                                        ".oscommit-probe-1/k"};
    struct file_object object;
    char id[FILE_ID_SIZE];
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const char *key = refused[i];
        CHECK_IS(file_store_check_key(key, &error), OS_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, ".oscommit"));
        CHECK_IS(put_telling(state->store, key, nonce, &error), OS_ERR_ARGUMENT);
        CHECK_IS(file_store_head(state->store, key, &object, &error), OS_ERR_ARGUMENT);
        CHECK_IS(file_store_delete(state->store, key, &error), OS_ERR_ARGUMENT);
        CHECK_IS(file_store_copy(state->store,
                                 &(struct file_copy_request){.source_key = "a", .key = key, .nonce = nonce}, &object,
                                 &error),
                 OS_ERR_ARGUMENT);
        CHECK_IS(file_store_copy(state->store,
                                 &(struct file_copy_request){.source_key = key, .key = "a", .nonce = nonce}, &object,
                                 &error),
                 OS_ERR_ARGUMENT);
        CHECK_IS(file_upload_create(state->store, key, NULL, id, &error), OS_ERR_ARGUMENT);
    }
    assert_false(exists(below(state->root, "a")));
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        CHECK_OK(file_store_check_key(taken[i], &error));
}

static bool note_key(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    (void)is_prefix;
    (void)object;
    strcat(context, key);
    strcat(context, " ");
    return true;
}

static void check_list(struct state *state, const char *prefix, const char *delimiter, const char *wanted)
{
    char seen[512] = "";
    CHECK_OK(file_store_list(state->store, &(struct file_list_range){.prefix = prefix, .delimiter = delimiter},
                             note_key, seen, &error));
    assert_string_equal(seen, wanted);
}

/* What an earlier release let somebody put there, or a person did. */
TEST_WITH(state, what_stands_under_that_name_is_not_listed)
{
    CHECK_OK(put_telling(state->store, "a/k", nonce, &error));
    make_folder(below(state->root, "a/.oscommit"));
    write_plain(below(state->root, "a/.oscommit/ledger.db"), "x");
    make_folder(below(state->root, "b"));
    write_plain(below(state->root, "b/.oscommit"), "x");
    check_list(state, "", "", "a/k ");
    check_list(state, "a/.oscommit/", "", "");
    check_list(state, "a/", "/", "a/k ");
    CHECK_OK(put_telling(state->store, "a/k", nonce, &error));
    assert_string_equal(telling_check(state->store, "a/k", &error), "");
}

/* ------------------------------------------------------------------------------------------------- making stores */

TEST_WITH(state, no_store_is_made_below_a_store)
{
    static const char *const places[] = {"new", "folder", "folder/new", ".oscommit", ".oscommit/tmp", "link/new"};
    make_folder(below(state->root, "folder"));
    assert_int_equal(symlink("folder", below(state->root, "link")), 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        bool was_there = exists(below(state->root, places[i]));
        CHECK_IS(file_store_init(below(state->root, places[i]), &error), OS_ERR_CONFIG);
        assert_non_null(strstr(error.message, state->root));
        assert_int_equal(exists(below(state->root, places[i])), was_there);
    }
    assert_int_equal(entries_of(below(state->root, "folder")), 0);
    CHECK_OK(file_store_init(state->root, &error));
}

TEST_WITH(state, no_store_is_made_above_a_store)
{
    char *above = scratch_make();
    char *outer = strdup(below(above, "outer"));
    make_folder(outer);
    make_folder(below(outer, "a"));
    make_folder(below(outer, "a/b"));
    CHECK_OK(file_store_init(below(outer, "a/b/store"), &error));
    CHECK_IS(file_store_init(outer, &error), OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "a/b/store"));
    assert_false(exists(below(outer, ".oscommit")));
    make_folder(below(above, "beside")); /* a link is not followed, and a store beside one is fine */
    assert_int_equal(symlink(state->root, below(above, "beside/link")), 0);
    CHECK_OK(file_store_init(below(above, "beside"), &error));
    free(outer);
    scratch_remove(above);
}

/* The root of a store that somebody makes wholly in the instant in which the next one's own folder is made: behind its
 * first look, before its second. */
static const char *meanwhile;
static os_code made_meanwhile;

int __real_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
    const char *root = meanwhile;
    if (root != NULL && strcmp(name, ".oscommit") == 0) {
        os_error own;
        meanwhile = NULL;
        made_meanwhile = file_store_init(root, &own);
    }
    return __real_mkdirat(folder, name, mode);
}

static void check_made_meanwhile(const char *first, const char *second)
{
    meanwhile = second;
    made_meanwhile = OS_ERR_CONFIG;
    CHECK_IS(file_store_init(first, &error), OS_ERR_CONFIG);
    assert_null(meanwhile);
    assert_int_equal(made_meanwhile, OS_OK);
    assert_false(exists(below(first, ".oscommit")));
    assert_true(exists(below(second, ".oscommit")));
}

TEST_WITH(state, what_is_made_meanwhile_is_seen_by_the_second_look)
{
    (void)state;
    for (int inner_first = 0; inner_first < 2; inner_first++) {
        char *outer = scratch_make();
        char *inner = strdup(below(outer, "inner"));
        make_folder(inner);
        check_made_meanwhile(inner_first ? inner : outer, inner_first ? outer : inner);
        free(inner);
        scratch_remove(outer);
    }
}

/* At the same time, each sees what the other makes. */
TEST_WITH(state, of_a_store_and_one_inside_it_at_most_one_is_made)
{
    char *above = scratch_make();
    file_store_close(state->store); /* a child would open none */
    state->store = NULL;
    for (int round = 0; round < 60; round++) {
        char *outer = NULL;
        int borrow[2];
        int made = 0;
        assert_true(asprintf(&outer, "%s/%d", above, round) > 0);
        make_folder(outer);
        make_folder(below(outer, "a"));
        assert_int_equal(pipe(borrow), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            os_error own;
            char byte;
            close(borrow[1]);
            (void)!read(borrow[0], &byte, 1); /* its end is the start */
            _exit(file_store_init(below(outer, "a"), &own) == OS_OK ? 1 : 0);
        }
        close(borrow[0]);
        close(borrow[1]);
        made += file_store_init(outer, &error) == OS_OK;
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        made += WEXITSTATUS(status);
        assert_in_range(made, 0, 1);
        assert_int_equal(exists(below(outer, ".oscommit")) + exists(below(outer, "a/.oscommit")), made);
        free(outer);
    }
    scratch_remove(above);
}

/* ------------------------------------------------------------------------------------------------ opening stores */

/* As an earlier release let one make it: a whole store inside the store. */
static char *make_nested(struct state *state, const char *name)
{
    char *apart = scratch_make();
    char *nested = strdup(below(state->root, name));
    CHECK_OK(file_store_init(below(apart, "store"), &error));
    assert_int_equal(rename(below(apart, "store"), nested), 0);
    scratch_remove(apart);
    return nested;
}

static void check_not_opened(const char *root, const char *words)
{
    struct file_store *store = NULL;
    CHECK_IS(file_store_open(root, &store, &error), OS_ERR_CONFIG);
    assert_null(store);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

TEST_WITH(state, a_store_inside_a_store_is_not_opened)
{
    make_folder(below(state->root, "deep"));
    char *nested = make_nested(state, "deep/inner");
    char *outermost = NULL;
    assert_true(asprintf(&outermost, "the embedded store %s:", state->root) > 0);
    check_not_opened(nested, outermost);
    check_not_opened(below(state->root, "deep"), outermost); /* which is no store, either */
    make_folder(below(nested, "folder"));
    check_not_opened(below(nested, "folder"), outermost);
    free(outermost);
    CHECK_IS(file_store_init(nested, &error), OS_ERR_CONFIG);
    free(nested);
}

TEST_WITH(state, a_link_leads_to_no_store_inside_a_store)
{
    char *apart = scratch_make();
    char *nested = make_nested(state, "inner");
    assert_int_equal(symlink(nested, below(apart, "link")), 0);
    check_not_opened(below(apart, "link"), state->root);
    struct file_store *store = NULL;
    assert_int_equal(symlink(state->root, below(apart, "outermost")), 0);
    CHECK_OK(file_store_open(below(apart, "outermost"), &store, &error));
    file_store_close(store);
    free(nested);
    scratch_remove(apart);
}

/* Anybody may make a folder in /tmp, and must not thereby take over the stores of others there. */
TEST_WITH(state, the_mark_of_a_stranger_does_not_count_for_opening)
{
    enum { STRANGER = 54321 };
    struct file_store *store = NULL;
    char *shared = scratch_make();
    (void)state;
    make_folder(below(shared, "own"));
    CHECK_OK(file_store_init(below(shared, "own/store"), &error));
    make_folder(below(shared, ".oscommit"));
    if (chown(below(shared, ".oscommit"), STRANGER, STRANGER) != 0) {
        print_message("SKIPPED: folders cannot be given away here (%s)\n", strerror(errno));
        scratch_remove(shared);
        return;
    }
    CHECK_OK(file_store_open(below(shared, "own/store"), &store, &error));
    file_store_close(store);
    CHECK_IS(file_store_init(below(shared, "own/other"), &error), OS_ERR_CONFIG);
    assert_int_equal(chown(shared, STRANGER, STRANGER), 0); /* whose folder it is made in: so everything is theirs */
    check_not_opened(below(shared, "own/store"), shared);
    scratch_remove(shared);
}

/* --------------------------------------------------------------------------------------------------------- names */

/* A file system with two names for one: NULL is an exact one. The last part of the path, as that keeps it. */
static void (*fold)(char *name);

static void fold_case(char *name)
{
    for (char *c = name; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
}

static void fold_forms(char *name)
{
    char *decomposed = strstr(name, "A\xcc\x88");
    if (decomposed != NULL)
        memcpy(decomposed, "\xc3\x84", 3);
}

static void fold_end(char *name)
{
    size_t len = strlen(name);
    while (len > 1 && name[len - 1] == '.')
        name[--len] = '\0';
}

int __real_faccessat(int folder, const char *path, int mode, int flags);
int __wrap_faccessat(int folder, const char *path, int mode, int flags);
int __wrap_faccessat(int folder, const char *path, int mode, int flags)
{
    if (fold == NULL)
        return __real_faccessat(folder, path, mode, flags);
    int found = -1;
    char wanted[300];
    int copy = dup(folder);
    DIR *stream = fdopendir(copy);
    (void)snprintf(wanted, sizeof(wanted), "%s", path);
    fold(wanted);
    rewinddir(stream);
    for (struct dirent *entry = readdir(stream); entry != NULL && found != 0; entry = readdir(stream)) {
        char name[300];
        (void)snprintf(name, sizeof(name), "%s", entry->d_name);
        fold(name);
        found = strcmp(name, wanted) == 0 ? 0 : -1;
    }
    closedir(stream);
    errno = found == 0 ? 0 : ENOENT;
    return found;
}

static void check_names(struct state *state, void (*folding)(char *name))
{
    char *apart = scratch_make();
    fold = folding;
    os_code made = file_store_init(below(apart, "store"), &error);
    assert_int_equal(exists(below(apart, "store")), made == OS_OK);
    assert_true(made == OS_OK || error.message[0] != '\0');
    struct file_store *store = NULL;
    os_code opened = file_store_open(state->root, &store, &error);
    fold = NULL;
    file_store_close(opened == OS_OK ? store : NULL);
    scratch_remove(apart);
    assert_int_equal(made, folding == NULL ? OS_OK : OS_ERR_CONFIG);
    assert_int_equal(opened, made);
}

TEST_WITH(state, a_file_system_with_two_names_for_a_file_is_refused)
{
    check_names(state, fold_case);
    check_names(state, fold_forms);
    check_names(state, fold_end);
}

TEST_WITH(state, one_with_a_name_for_each_file_is_not)
{
    check_names(state, NULL);
    check_list(state, "", "", "");
    assert_int_equal(entries_of(below(state->root, ".oscommit/tmp")), 0);
}
