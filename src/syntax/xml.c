/* SPDX-License-Identifier: Apache-2.0 */
#include "syntax/xml.h"

#include <expat.h>
#include <limits.h>
#include <string.h>

struct xml_reader {
    XML_Parser parser;
    xml_element_fn each;
    void *context;
    enum xml_outcome outcome;
    unsigned depth;
    unsigned elements;
    char path[XML_PATH_MAX];
    size_t path_len;
    struct buf text; /* of the innermost open element */
    size_t text_len; /* of it, also where `text` has failed */
};

static void xml_stop(struct xml_reader *reader, enum xml_outcome outcome)
{
    if (reader->outcome == XML_OK)
        reader->outcome = outcome;
    XML_StopParser(reader->parser, XML_FALSE);
}

static void reset_text(struct xml_reader *reader)
{
    buf_reset(&reader->text);
    reader->text_len = 0;
}

static const char *without_namespace(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void on_start(void *user_data, const XML_Char *full_name, const XML_Char **attributes)
{
    (void)attributes;
    struct xml_reader *reader = user_data;
    const char *name = without_namespace(full_name);
    size_t len = strlen(name);
    bool room = reader->path_len + len + 2 <= XML_PATH_MAX;
    if (reader->depth == XML_DEPTH_MAX || ++reader->elements > XML_ELEMENTS_MAX || !room) {
        xml_stop(reader, XML_BROKEN);
        return;
    }
    if (reader->depth++ > 0)
        reader->path[reader->path_len++] = '/';
    memcpy(reader->path + reader->path_len, name, len + 1);
    reader->path_len += len;
    reset_text(reader);
}

static void on_end(void *user_data, const XML_Char *full_name)
{
    struct xml_reader *reader = user_data;
    if (reader->outcome != XML_OK)
        return;
    if (!buf_ok(&reader->text)) {
        xml_stop(reader, reader->text_len > XML_TEXT_MAX ? XML_BROKEN : XML_NO_MEMORY);
        return;
    }
    struct text text = text_of(buf_str(&reader->text), reader->text.len);
    if (!reader->each(reader->context, reader->path, text)) {
        xml_stop(reader, XML_STOPPED);
        return;
    }
    reader->path_len -= strlen(without_namespace(full_name));
    if (--reader->depth > 0)
        reader->path_len--;
    reader->path[reader->path_len] = '\0';
    reset_text(reader);
}

static void on_text(void *user_data, const XML_Char *data, int len)
{
    struct xml_reader *reader = user_data;
    reader->text_len += (size_t)len;
    (void)buf_add(&reader->text, data, (size_t)len); /* a failure shows at the end of the element */
}

static void on_doctype(void *user_data, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                       int internal)
{
    (void)name;
    (void)system;
    (void)public;
    (void)internal;
    xml_stop(user_data, XML_BROKEN);
}

static struct text skip_blanks(struct text document)
{
    while (document.len > 0 &&
           (document.p[0] == ' ' || document.p[0] == '\t' || document.p[0] == '\r' || document.p[0] == '\n'))
        document = text_of(document.p + 1, document.len - 1);
    return document;
}

enum xml_outcome xml_read(struct text document, xml_element_fn each, void *context)
{
    struct xml_reader reader;
    memset(&reader, 0, sizeof(reader));
    reader.each = each;
    reader.context = context;
    reader.outcome = XML_OK;
    document = skip_blanks(document);
    if (document.len > INT_MAX)
        return XML_BROKEN;
    reader.parser = XML_ParserCreate("UTF-8");
    if (reader.parser == NULL)
        return XML_NO_MEMORY;
    buf_init(&reader.text, XML_TEXT_MAX);
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, on_start, on_end);
    XML_SetCharacterDataHandler(reader.parser, on_text);
    XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);
    enum XML_Status status = XML_Parse(reader.parser, document.p, (int)document.len, XML_TRUE);
    if (status != XML_STATUS_OK && reader.outcome == XML_OK)
        reader.outcome = XML_GetErrorCode(reader.parser) == XML_ERROR_NO_MEMORY ? XML_NO_MEMORY : XML_BROKEN;
    XML_ParserFree(reader.parser);
    buf_free(&reader.text);
    return reader.outcome;
}

/* ------------------------------------------------------------------------------------------------ written */

bool xml_can_carry(struct text text)
{
    if (!text_is_utf8(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
            return false;
        if (c == 0xef && (memcmp(text.p + i, "\xef\xbf\xbe", 3) == 0 || memcmp(text.p + i, "\xef\xbf\xbf", 3) == 0))
            return false;
    }
    return true;
}

/* NULL for a character that stands for itself. The three blanks too: a reader makes others of them. */
static const char *escaped(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&apos;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default: return NULL;
    }
}

bool xml_escape(struct buf *out, struct text text)
{
    size_t plain = 0; /* where what stands for itself began */
    for (size_t i = 0; i < text.len; i++) {
        const char *name = escaped(text.p[i]);
        if (name == NULL)
            continue;
        (void)buf_add(out, text.p + plain, i - plain);
        (void)buf_add_str(out, name);
        plain = i + 1;
    }
    (void)buf_add(out, text.p + plain, text.len - plain);
    return buf_ok(out);
}

#define SPELLED_(number) #number
#define SPELLED(number)  SPELLED_(number)

struct library_version xml_library_version(void)
{
    return (struct library_version){
        "expat_" SPELLED(XML_MAJOR_VERSION) "." SPELLED(XML_MINOR_VERSION) "." SPELLED(XML_MICRO_VERSION),
        XML_ExpatVersion()};
}
