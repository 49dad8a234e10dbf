# SPDX-License-Identifier: Apache-2.0
# Shows the comments of the public header to Doxygen: the page of conventions as the file's, a comment on lines of its own
# as what follows, and one behind a member as that member's. Headings (/* -----) and the licence are for readers of the file.
1d
2s|^/\*$|/** @file oscommit.h|
/^\/\* -----/b
s|^\( *\)/\* |\1/** |
s|\([;,{]\) */\* |\1 /**< |
