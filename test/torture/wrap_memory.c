/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: the library's own calls by the linker's --wrap, those of the libraries below it by the hooks that they offer.
 * So it works under the sanitizers and valgrind, whose allocators stay in their place. */
#include "inject.h"

#include <curl/curl.h>
#include <expat.h>
#include <jansson.h>
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *from);
char *__real_strndup(const char *from, size_t length);
CURLcode __real_curl_global_init(long flags);
XML_Parser __real_XML_ParserCreate(const XML_Char *encoding);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *from);
char *__wrap_strndup(const char *from, size_t length);
CURLcode __wrap_curl_global_init(long flags);
XML_Parser __wrap_XML_ParserCreate(const XML_Char *encoding);

static bool refused(const char *call)
{
    return inject_hits(INJECT_MEMORY, call);
}

void *__wrap_malloc(size_t size)
{
    return refused("malloc") ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refused("calloc") ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return refused("realloc") ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *from)
{
    return refused("strdup") ? NULL : __real_strdup(from);
}

char *__wrap_strndup(const char *from, size_t length)
{
    return refused("strndup") ? NULL : __real_strndup(from, length);
}

/* -------------------------------------------------------------------------------------------------- libcurl */

static void *curl_malloc(size_t size)
{
    return refused("malloc in libcurl") ? NULL : __real_malloc(size);
}

static void *curl_calloc(size_t count, size_t size)
{
    return refused("calloc in libcurl") ? NULL : __real_calloc(count, size);
}

static void *curl_realloc(void *old, size_t size)
{
    return refused("realloc in libcurl") ? NULL : __real_realloc(old, size);
}

static char *curl_strdup(const char *from)
{
    return refused("strdup in libcurl") ? NULL : __real_strdup(from);
}

CURLcode __wrap_curl_global_init(long flags)
{
    if (inject_hits(INJECT_CURL, "curl_global_init"))
        return CURLE_FAILED_INIT;
    return curl_global_init_mem(flags, curl_malloc, free, curl_realloc, curl_strdup, curl_calloc);
}

/* ---------------------------------------------------------------------------------------------------- expat */

static void *expat_malloc(size_t size)
{
    return refused("malloc in expat") ? NULL : __real_malloc(size);
}

static void *expat_realloc(void *old, size_t size)
{
    return refused("realloc in expat") ? NULL : __real_realloc(old, size);
}

XML_Parser __wrap_XML_ParserCreate(const XML_Char *encoding)
{
    static const XML_Memory_Handling_Suite suite = {expat_malloc, expat_realloc, free};
    return XML_ParserCreate_MM(encoding, &suite, NULL);
}

/* ------------------------------------------------------------------------------------- jansson, OpenSSL, SQLite */

static void *jansson_malloc(size_t size)
{
    return refused("malloc in jansson") ? NULL : __real_malloc(size);
}

static void *openssl_malloc(size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return refused("malloc in OpenSSL") ? NULL : __real_malloc(size);
}

static void *openssl_realloc(void *old, size_t size, const char *file, int line)
{
    (void)file;
    (void)line;
    return refused("realloc in OpenSSL") ? NULL : __real_realloc(old, size);
}

static void openssl_free(void *block, const char *file, int line)
{
    (void)file;
    (void)line;
    free(block);
}

/* SQLite asks for the size of a block, which stands in front of it. */
enum { SIZE_ROOM = 16 };

static void *sized(char *block, int size)
{
    if (block == NULL)
        return NULL;
    memcpy(block, &size, sizeof(size));
    return block + SIZE_ROOM;
}

static int sqlite_size(void *block)
{
    int size = 0;
    if (block != NULL)
        memcpy(&size, (char *)block - SIZE_ROOM, sizeof(size));
    return size;
}

static void *sqlite_malloc(int size)
{
    return refused("malloc in SQLite") ? NULL : sized(__real_malloc((size_t)size + SIZE_ROOM), size);
}

static void *sqlite_realloc(void *old, int size)
{
    char *block = (char *)old - SIZE_ROOM;
    return refused("realloc in SQLite") ? NULL : sized(__real_realloc(block, (size_t)size + SIZE_ROOM), size);
}

static void sqlite_free(void *block)
{
    if (block != NULL)
        free((char *)block - SIZE_ROOM);
}

static int sqlite_roundup(int size)
{
    return (size + 7) & ~7;
}

static int sqlite_init(void *context)
{
    (void)context;
    return SQLITE_OK;
}

static void sqlite_shutdown(void *context)
{
    (void)context;
}

void wrap_memory_install(void)
{
    static const sqlite3_mem_methods methods = {sqlite_malloc,  sqlite_free, sqlite_realloc,  sqlite_size,
                                                sqlite_roundup, sqlite_init, sqlite_shutdown, NULL};
    if (CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) != 1 ||
        sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        abort(); /* nothing would be tortured */
    json_set_alloc_funcs(jansson_malloc, free);
}
