/* SPDX-License-Identifier: Apache-2.0 */
/* The XML reader at its limits. */
#include "base/buf.h"
#include "support/test.h"
#include "syntax/xml.h"

#include <limits.h>
#include <string.h>

static bool add_leaf(void *context, const char *path, struct text text)
{
    return buf_add_f(context, "%s=%.*s;", path, (int)text.len, text.p);
}

static bool ignore(void *context, const char *path, struct text text)
{
    (void)context;
    (void)path;
    (void)text;
    return true;
}

static bool stop(void *context, const char *path, struct text text)
{
    (void)path;
    (void)text;
    ++*(int *)context;
    return false;
}

static enum xml_outcome outcome_of(const char *document)
{
    return xml_read(text_from(document), ignore, NULL);
}

static void check_leaves(const char *document, const char *expected)
{
    struct buf leaves;
    buf_init(&leaves, 65536);
    assert_int_equal(xml_read(text_from(document), add_leaf, &leaves), XML_OK);
    assert_string_equal(buf_str(&leaves), expected);
    buf_free(&leaves);
}

TEST(elements_are_given_with_their_paths)
{
    check_leaves("<a><b>1</b><c><d>2</d></c><e/></a>", "a/b=1;a/c/d=2;a/c=;a/e=;a=;");
    check_leaves("<a>x<b>y</b>z</a>", "a/b=y;a=z;");
    check_leaves("<a>1 &lt; 2 &amp; <![CDATA[<3>]]> &#65;&#xe4;</a>", "a=1 < 2 & <3> A\xc3\xa4;");
    check_leaves("<a><!-- no --><?pi no?><b>1</b></a>", "a/b=1;a=;");
}

TEST(namespaces_do_not_matter)
{
    check_leaves("<s:a xmlns:s=\"http://s3.amazonaws.com/doc/2006-03-01/\"><s:b x=\"y\">1</s:b></s:a>", "a/b=1;a=;");
    check_leaves("<a xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><b>1</b></a>", "a/b=1;a=;");
}

TEST(blanks_before_the_document_are_skipped)
{
    check_leaves(" \r\n\t  \n<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n   <a>1</a>  \n", "a=1;");
}

TEST(a_document_cut_at_any_byte_is_broken)
{
    static const char document[] = "<?xml version=\"1.0\"?>\n<a x='1'><b>t&amp;<![CDATA[c]]></b><c/></a>";
    for (size_t len = 0; len < sizeof(document) - 1; len++)
        assert_int_equal(xml_read(text_of(document, len), ignore, NULL), XML_BROKEN);
    assert_int_equal(xml_read(text_of(document, sizeof(document) - 1), ignore, NULL), XML_OK);
}

TEST(what_is_not_well_formed_is_broken)
{
    static const char *const documents[] = {
        "",
        " ",
        "text",
        "<a></b>",
        "<a/><b/>",
        "<a/>text",
        "<a b></a>",
        "<a>&nbsp;</a>",
        "<a>&#0;</a>",
        "<a>\x01</a>",
        "<a>\xff</a>",
        "<a b='1' b='2'/>",
        "<!-- only -->",
        "{\"a\":1}",
        "<html><br></html>",
        "<a>]]></a>",
        "<?xml version=\"1.0\" encoding=\"no-such\"?><a",
        "\xef\xbb\xbf",
    };
    for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
        assert_int_equal(outcome_of(documents[i]), XML_BROKEN);
    assert_int_equal(xml_read(text_of("<a>\0</a>", 8), ignore, NULL), XML_BROKEN);
}

TEST(a_document_type_is_refused)
{
    assert_int_equal(outcome_of("<!DOCTYPE a><a/>"), XML_BROKEN);
    assert_int_equal(outcome_of("<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>"), XML_BROKEN);
    assert_int_equal(outcome_of("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>"), XML_BROKEN);
    assert_int_equal(outcome_of("<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>"), XML_BROKEN);
    assert_int_equal(
        outcome_of("<!DOCTYPE a [<!ENTITY x \"1\"><!ENTITY y \"&x;&x;\"><!ENTITY z \"&y;&y;\">]><a>&z;</a>"),
        XML_BROKEN);
    assert_int_equal(outcome_of("<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1/\"> %p;]><a/>"), XML_BROKEN);
}

static char *nested(unsigned depth)
{
    struct buf text;
    buf_init(&text, 1 << 20);
    for (unsigned i = 0; i < depth; i++)
        buf_add_str(&text, "<a>");
    for (unsigned i = 0; i < depth; i++)
        buf_add_str(&text, "</a>");
    return buf_take(&text);
}

TEST(depth_is_bounded)
{
    static const unsigned depths[] = {1, XML_DEPTH_MAX, XML_DEPTH_MAX + 1, 10000};
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        char *document = nested(depths[i]);
        assert_int_equal(outcome_of(document), depths[i] <= XML_DEPTH_MAX ? XML_OK : XML_BROKEN);
        free(document);
    }
}

TEST(the_number_of_elements_is_bounded)
{
    for (unsigned more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, 1 << 20);
        buf_add_str(&text, "<a>");
        for (unsigned i = 1; i < XML_ELEMENTS_MAX + more; i++)
            buf_add_str(&text, "<b/>");
        buf_add_str(&text, "</a>");
        assert_int_equal(outcome_of(buf_str(&text)), more ? XML_BROKEN : XML_OK);
        buf_free(&text);
    }
}

TEST(the_length_of_a_text_is_bounded)
{
    for (size_t more = 0; more < 2; more++) {
        struct buf text;
        buf_init(&text, 1 << 20);
        buf_add_str(&text, "<a>");
        for (size_t i = 0; i < XML_TEXT_MAX + more; i++)
            buf_add_char(&text, 'x');
        buf_add_str(&text, "</a>");
        assert_int_equal(outcome_of(buf_str(&text)), more ? XML_BROKEN : XML_OK);
        buf_free(&text);
    }
}

TEST(the_length_of_a_path_is_bounded)
{
    for (size_t len = XML_PATH_MAX - 4; len <= XML_PATH_MAX + 4; len++) {
        struct buf text;
        buf_init(&text, 4096);
        buf_add_char(&text, '<');
        for (size_t i = 0; i < len; i++)
            buf_add_char(&text, 'n');
        buf_add_str(&text, "/>");
        assert_int_equal(outcome_of(buf_str(&text)), len <= XML_PATH_MAX - 2 ? XML_OK : XML_BROKEN);
        buf_free(&text);
    }
}

TEST(a_reader_that_has_enough_is_not_called_again)
{
    int calls = 0;
    assert_int_equal(xml_read(text_from("<a><b/><c/><d>1</d></a>"), stop, &calls), XML_STOPPED);
    assert_int_equal(calls, 1);
}

TEST(a_document_that_its_reader_could_not_count_is_broken)
{
    assert_int_equal(xml_read(text_of("<a>", (size_t)INT_MAX + 1), ignore, NULL), XML_BROKEN);
}

/* ------------------------------------------------------------------------------------------------ written */

static bool keep(void *context, const char *path, struct text text)
{
    assert_string_equal(path, "a");
    return buf_add(context, text.p, text.len);
}

TEST(every_character_that_xml_has_is_written_so_that_it_is_read_again)
{
    char text[128 + 16];
    size_t len = 0;
    for (char c = '\t'; c < 0x7f; c = (char)(c + 1))
        if (c >= ' ' || c == '\t' || c == '\n' || c == '\r')
            text[len++] = c;
    memcpy(text + len, "\x7f\xc3\xbc\xe2\x82\xac\xef\xbf\xbd\xf0\x9f\x98\x80&", 14);
    len += 14;
    struct buf written;
    struct buf again;
    buf_init(&written, 4096);
    buf_init(&again, 4096);
    assert_true(xml_can_carry(text_of(text, len)));
    buf_add_str(&written, "<a>");
    assert_true(xml_escape(&written, text_of(text, len)));
    buf_add_str(&written, "</a>");
    assert_int_equal(xml_read(text_of(buf_str(&written), written.len), keep, &again), XML_OK);
    assert_int_equal(again.len, len);
    assert_memory_equal(again.data, text, len);
    buf_free(&written);
    buf_free(&again);
}

TEST(each_escape_is_the_name_of_its_character)
{
    struct buf written;
    buf_init(&written, 4096);
    assert_true(xml_escape(&written, text_from("")));
    assert_true(xml_escape(&written, text_from("a&<>\"'\t\n\rb")));
    assert_string_equal(buf_str(&written), "a&amp;&lt;&gt;&quot;&apos;&#9;&#10;&#13;b");
    buf_free(&written);
    buf_init(&written, 4);
    assert_false(xml_escape(&written, text_from("&")));
    buf_free(&written);
}

TEST(characters_that_xml_has_not_are_named)
{
    static const char *const texts[] = {"\x01",         "a\x1f",         "\x08",        "\xff",
                                        "\xed\xa0\x80", "a\xef\xbf\xbe", "\xef\xbf\xbf"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(xml_can_carry(text_from(texts[i])));
    assert_false(xml_can_carry(text_of("a\0b", 3)));
    assert_true(xml_can_carry(text_from("")));
    assert_true(xml_can_carry(text_from("\xef\xbf\xbd\xef\xbe\xbf")));
}
