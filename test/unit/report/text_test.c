/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text.h"
#include "support/test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char written[4096];

static const char *written_by(void (*write)(FILE *out, const char *text, size_t max), const char *text, size_t max)
{
    char *buffer = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&buffer, &size);

    assert_non_null(out);
    write(out, text, max);
    assert_int_equal(fclose(out), 0);
    assert_true(size < sizeof(written));
    memcpy(written, buffer, size + 1);
    free(buffer);
    return written;
}

static const char *html(const char *text)
{
    return written_by(report_html, text, 1000);
}

static const char *json(const char *text)
{
    return written_by(report_json, text, 1000);
}

TEST(markup_in_a_text_is_no_markup)
{
    assert_string_equal(html("<img src='x' onerror=\"y\">&amp;"),
                        "&lt;img src=&#39;x&#39; onerror=&quot;y&quot;&gt;&amp;amp;");
}

TEST(a_string_of_json_cannot_end_its_script_element)
{
    assert_string_equal(json("</script><!--\"\\'&"), "\"\\u003C/script\\u003E\\u003C!--\\u0022\\u005C\\u0027\\u0026\"");
}

TEST(good_utf8_stands_as_it_is)
{
    static const char text[] = "gr\xC3\xBC\xC3\x9F \xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\x94\x91";

    assert_string_equal(html(text), text);
}

TEST(bytes_that_are_no_utf8_are_shown_as_numbers)
{
    assert_string_equal(html("a\xFF\x80z"), "a\\xFF\\x80z");
    assert_string_equal(html("\xC0\xAF"), "\\xC0\\xAF");                   /* an overlong slash */
    assert_string_equal(html("\xE0\x80\xAF"), "\\xE0\\x80\\xAF");          /* another one */
    assert_string_equal(html("\xED\xA0\x80"), "\\xED\\xA0\\x80");          /* half of a surrogate pair */
    assert_string_equal(html("\xF4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80"); /* beyond the last code point */
    assert_string_equal(html("\xE2\x82"), "\\xE2\\x82");                   /* cut off */
    assert_string_equal(json("\xFF"), "\"\\\\xFF\"");
}

TEST(what_a_reader_would_not_see_is_shown)
{
    assert_string_equal(html("a\nb\x7F"), "a\\x0Ab\\x7F");
    assert_string_equal(html("\xC2\x85"), "\\x85");
    assert_string_equal(html("\xE2\x80\xAE"
                             "gpj.exe"),
                        "\\u{202E}gpj.exe"); /* written from right to left */
    assert_string_equal(html("\xEF\xBB\xBF"), "\\u{FEFF}");
    assert_string_equal(json("\xE2\x80\xA8\t"), "\"\\\\u{2028}\\\\x09\"");
}

TEST(a_long_text_is_cut_between_two_characters)
{
    assert_string_equal(written_by(report_html, "abcdef", 6), "abcdef");
    assert_string_equal(written_by(report_html, "abcdefg", 6), "abcdef\xE2\x80\xA6");
    assert_string_equal(written_by(report_html, "ab\xC3\xBC", 3), "ab\xE2\x80\xA6");
}

TEST(counts_have_commas)
{
    char text[REPORT_TEXT_SIZE];

    assert_string_equal(report_count(0, text), "0");
    assert_string_equal(report_count(999, text), "999");
    assert_string_equal(report_count(1000, text), "1,000");
    assert_string_equal(report_count(UINT64_MAX, text), "18,446,744,073,709,551,615");
}

TEST(durations_have_three_digits_that_count)
{
    static const struct {
        uint64_t us;
        const char *text;
    } cases[] = {
        {0, "0 \xC2\xB5s"},         {999, "999 \xC2\xB5s"},      {1000, "1.00 ms"},        {9994, "9.99 ms"},
        {9995, "10.0 ms"},          {99949, "99.9 ms"},          {99950, "100 ms"},        {999499, "999 ms"},
        {999500, "1.00 s"},         {59949000, "59.9 s"},        {59950000, "1 min 00 s"}, {125000000, "2 min 05 s"},
        {3599999999, "1 h 00 min"}, {11220000000, "3 h 07 min"},
    };
    char text[REPORT_TEXT_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(report_duration(cases[i].us, text), cases[i].text);
    assert_non_null(report_duration(UINT64_MAX, text));
}
