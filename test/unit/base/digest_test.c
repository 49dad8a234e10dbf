/* SPDX-License-Identifier: Apache-2.0 */
#include "base/digest.h"
#include "support/test.h"

/* FIPS 180-4 and RFC 1321 name the digests of "" and of "abc". */
TEST(the_digests_of_the_standards_come_out)
{
    char hex[65];
    assert_true(sha256_hex("", 0, hex));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_true(sha256_hex("abc", 3, hex));
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(md5_hex("", 0, hex));
    assert_string_equal(hex, "d41d8cd98f00b204e9800998ecf8427e");
    assert_true(md5_hex("abc", 3, hex));
    assert_string_equal(hex, "900150983cd24fb0d6963f7d28e17f72");
}

TEST(the_etag_of_pieces_is_the_md5_of_all_in_quotes)
{
    struct digest_stream stream;
    char etag[MD5_ETAG_SIZE];
    assert_true(digest_stream_begin(&stream, "MD5"));
    digest_stream_add(&stream, "a", 1);
    digest_stream_add(&stream, NULL, 0);
    digest_stream_add(&stream, "bc", 2);
    assert_true(digest_stream_etag(&stream, etag));
    assert_string_equal(etag, "\"900150983cd24fb0d6963f7d28e17f72\"");
    digest_stream_free(&stream);
    assert_true(digest_stream_begin(&stream, "SHA256"));
    assert_false(digest_stream_etag(&stream, etag));
    digest_stream_free(&stream);
}

TEST(no_data_is_the_empty_text)
{
    char hex[65];
    assert_true(sha256_hex(NULL, 0, hex));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(the_raw_digest_is_the_bytes_of_the_hex_one)
{
    unsigned char raw[SHA256_SIZE];
    unsigned char md5[MD5_SIZE];
    assert_true(sha256_digest("abc", 3, raw));
    assert_int_equal(raw[0], 0xba);
    assert_int_equal(raw[31], 0xad);
    assert_true(md5_digest("abc", 3, md5));
    assert_int_equal(md5[0], 0x90);
    assert_int_equal(md5[15], 0x72);
}
