/* SPDX-License-Identifier: Apache-2.0 */
/* oscommit.hpp on an embedded store. usage: PROGRAM NEW-FOLDER */
#include "check.hpp"

int main(int argc, char **argv)
{
    os_error why;
    CHECK(argc == 2);
    CHECK(os_init(argv[1], &why) == OS_OK);
    const std::string url = std::string("file://") + argv[1];
    test_calls(url);
    test_leases(url);
    test_locks(url);
    test_pending(url);
    test_coroutines(url);
    return 0;
}
