/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit in C++17: the headers of C with owners, lambdas and coroutines. Header only; link the library as C does.
 *
 * CONVENTIONS, beside those of oscommit.h
 *
 * Verdicts. A guarded call gives an `outcome`: a verdict is a value, and never thrown. An `unknown` has a ticket.
 *
 * Failures. All else gives a `result<T>`: a value, or a code and a sentence. value() and * give the value; where there is
 *   none they throw oscommit::error, and end the program where exceptions are off (-fno-exceptions). `if (result)` asks.
 *   Want of memory in the library is OS_ERR_NO_MEMORY; in this header it is std::bad_alloc, as everywhere in C++.
 *
 * Ownership. client, outcome, lease, lock, operation and queue own what they name, and can be moved, not copied. What runs
 *   in a client is over before its destructor returns. A lease outlives its client safely; it is lost then, in time. So does
 *   a lock, which then ends when its time is over.
 *
 * Text is std::string_view, and is copied. A NUL inside is refused (OS_ERR_ARGUMENT) before anything is sent. The bytes of a
 *   body are borrowed, unless it was made of a std::string &&.
 *
 * Functions of yours. What those throw that run on the thread of a call (update, list, stream) comes out of the call. Those
 *   that run on the client's I/O thread (then, changed, log, metric, progress) must not throw: that ends the program.
 *
 * Without waiting. X_async gives a call that has not begun, `pending`. It begins by exactly one of
 *     .then(function)          the function has the outcome or result, on the I/O thread
 *     .into(queue, function)   the function has it where the queue is emptied
 *     co_await                 C++20: it is the value. The coroutine goes on on the I/O thread, where calls that block are
 *                              refused; .on(executor) lets it go on elsewhere
 *   A call.token may end it. A pending that is dropped sends nothing.
 *
 * Everything else of C can be had with get().
 */
#ifndef OSCOMMIT_HPP
#define OSCOMMIT_HPP

#include "oscommit/client.hpp"

#endif
