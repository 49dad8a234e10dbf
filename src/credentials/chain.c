/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/chain.h"

#include "base/error.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum chain_place {
    CHAIN_UNNAMED, /* only where no profile was asked for by name, as with the AWS tools */
    CHAIN_FIRST,   /* before those of the profile; a profile that another one names has a way of its own for it */
    CHAIN_PROFILE,
    CHAIN_LAST
};

static const struct chain_source {
    const char *name;
    chain_source_fn find;
    enum chain_place place;
} sources[] = {
    {"environment", source_environment, CHAIN_UNNAMED},
    {"assume-role", source_assume_role, CHAIN_FIRST},
    {"web-identity", source_web_identity, CHAIN_PROFILE},
    {"sso", source_sso, CHAIN_PROFILE},
    {"credentials-file", source_credentials_file, CHAIN_PROFILE},
    {"login", source_login, CHAIN_PROFILE},
    {"process", source_process, CHAIN_PROFILE},
    {"config-file", source_config_file, CHAIN_PROFILE},
    {"container", source_container, CHAIN_LAST},
    {"instance", source_instance, CHAIN_LAST},
};
enum { CHAIN_SOURCES = sizeof(sources) / sizeof(sources[0]) };

const char *chain_source_name(size_t index)
{
    return index < CHAIN_SOURCES ? sources[index].name : NULL;
}

static void chain_note(const struct chain *chain, const char *source, const char *why)
{
    if (chain->note != NULL)
        chain->note(chain->note_context, source, why);
}

/* True: the search is over, by keys or by an error. */
static bool ask_source(struct chain *chain, const struct chain_source *source, const char *profile, struct keys *ret,
                       os_code *ret_code, os_error *err)
{
    chain->pass = false;
    *ret_code = source->find(chain, profile, ret, err);
    assert(*ret_code != OS_OK || chain->pass != keys_are_there(ret));
    return *ret_code != OS_OK || !chain->pass;
}

static os_code find_in_profile(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < CHAIN_SOURCES; i++)
        if (sources[i].place == CHAIN_PROFILE && ask_source(chain, &sources[i], profile, ret, &code, err))
            return code;
    return error_set(err, OS_ERR_CREDENTIALS,
                     "The profile \"%.100s\" has no credentials, and another profile names it as its source_profile: "
                     "give it keys, or a way to them.",
                     profile);
}

/* ------------------------------------------------------------------------------------------------ the search */

/* What is with a file, for a person: "/home/x/.aws/config", or that and why it was not read. */
static void describe_file(const struct profile_files *files, enum profile_file file, char *ret, size_t ret_size)
{
    const char *path = files->path[file][0] != '\0' ? files->path[file] : "(HOME is not set)";
    if (files->failed[file] != 0)
        snprintf(ret, ret_size, "%.200s (not read: %.60s)", path, strerror(files->failed[file]));
    else
        snprintf(ret, ret_size, "%.200s%s", path, files->data[file] == NULL ? " (not there)" : "");
}

enum { FILES_SIZE = 640 };

static void describe_files(const struct profile_files *files, char ret[FILES_SIZE])
{
    char credentials_file[320];
    char config_file[320];
    describe_file(files, PROFILE_CREDENTIALS, credentials_file, sizeof(credentials_file));
    describe_file(files, PROFILE_CONFIG, config_file, sizeof(config_file));
    snprintf(ret, FILES_SIZE, "%.310s or %.310s", credentials_file, config_file);
}

/* The last reason is that of the instance, which is the one that nobody knows without asking. */
static os_code nothing_found(const struct chain *chain, const char *profile, os_error *err)
{
    char files[FILES_SIZE];
    describe_files(&chain->files, files);
    return error_set(
        err, OS_ERR_CREDENTIALS,
        "There are no credentials: none in the options, %sand none for the profile \"%.100s\" in %s; no "
        "container's service is named, and of the machine's own %.200s. Set AWS_ACCESS_KEY_ID and "
        "AWS_SECRET_ACCESS_KEY, or name a profile that has keys; `oscommit credentials` looks at each source.",
        chain->profile != NULL ? "" : "none in the environment, ", profile, files, chain->why);
}

/* Other keys than those that were meant may belong to another account. */
static os_code refuse_profile(const struct chain *chain, const char *profile, os_error *err)
{
    char files[FILES_SIZE];
    describe_files(&chain->files, files);
    return error_set(err, OS_ERR_CREDENTIALS,
                     "There is no profile \"%.100s\" in %s, and no other keys are taken for it. Is it misspelt?",
                     profile, files);
}

static bool is_missing(const struct chain *chain, const char *profile)
{
    return strcmp(profile, "default") != 0 && !profile_is_there(&chain->files, profile);
}

static bool is_asked(const struct chain *chain, const struct chain_source *source)
{
    return source->place != CHAIN_UNNAMED || chain->profile == NULL;
}

static os_code ask_all(struct chain *chain, os_error *err)
{
    const char *profile = profile_name(chain->profile);
    bool no_profile = is_missing(chain, profile);
    os_code code = OS_OK;
    for (size_t i = 0; i < CHAIN_SOURCES; i++) {
        if (chain->source != NULL) {
            chain_note(chain, sources[i].name, "not asked: it comes after the one that is used");
            continue;
        }
        if (!is_asked(chain, &sources[i])) {
            chain_note(chain, sources[i].name, "a profile was asked for by name, which goes before it");
            continue;
        }
        if (sources[i].place != CHAIN_UNNAMED && no_profile) {
            chain_note(chain, sources[i].name, "not asked: the profile that was named is not there");
            continue;
        }
        if (!ask_source(chain, &sources[i], profile, &chain->found, &code, err)) {
            chain_note(chain, sources[i].name, chain->why);
            continue;
        }
        if (code != OS_OK) {
            chain_note(chain, sources[i].name, "set up, but it gave no keys; the error says why");
            return code;
        }
        chain->source = sources[i].name;
        chain_note(chain, chain->source, NULL);
    }
    if (chain->source != NULL)
        return OS_OK;
    return no_profile ? refuse_profile(chain, profile, err) : nothing_found(chain, profile, err);
}

static void forget_files(struct chain *chain)
{
    if (chain->has_files)
        profile_free(&chain->files);
    chain->has_files = false;
}

os_code chain_find(struct chain *chain, os_error *err)
{
    os_code code = chain->has_files ? OS_OK : profile_load(&chain->files, err);
    if (code != OS_OK)
        return code;
    chain->has_files = true;
    chain->source = NULL;
    chain->would_block = false;
    chain->visited_count = 0;
    chain->find_in_profile = find_in_profile;
    code = ask_all(chain, err);
    if (!chain->would_block)
        forget_files(chain);
    return code;
}

void chain_free(struct chain *chain)
{
    forget_files(chain);
    keys_free(&chain->found);
}
