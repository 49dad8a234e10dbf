/* SPDX-License-Identifier: Apache-2.0 */
/* Linked only into a program of tests that has no main. */
#include "support/test.h"

int main(int argc, char **argv)
{
    return test_main(argc, argv);
}
