/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECE_LEAST = 16 << 10, PIECE_MOST = 1 << 20 };

/* The large ones go back to the system when they are freed; malloc would keep them, in the middle of its heap. */
static struct piece *new_piece(size_t size)
{
    if (size < PIECE_MOST)
        return malloc(size);
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mapped == MAP_FAILED ? NULL : mapped;
}

static void free_piece(struct piece *piece)
{
    size_t size = sizeof(*piece) + piece->capacity;
    if (size < PIECE_MOST)
        free(piece);
    else
        (void)munmap(piece, size);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* As large as all that is there, within bounds. */
static struct piece *more_room(struct operation *operation)
{
    size_t size = operation->length < PIECE_LEAST ? PIECE_LEAST : smaller(operation->length, PIECE_MOST);
    struct piece *piece = new_piece(size);

    if (piece == NULL)
        return NULL;
    *piece = (struct piece){.capacity = size - sizeof(*piece)};
    if (operation->last_piece == NULL)
        operation->first_piece = piece;
    else
        operation->last_piece->next = piece;
    operation->last_piece = piece;
    return piece;
}

int pieces_add(void *context, const void *data, size_t length)
{
    struct operation *operation = context;
    const char *from = data;

    while (length > 0) {
        struct piece *piece = operation->last_piece;
        if (piece == NULL || piece->length == piece->capacity)
            piece = more_room(operation);
        if (piece == NULL)
            return 1;
        size_t fits = smaller(length, piece->capacity - piece->length);
        memcpy(piece->bytes + piece->length, from, fits);
        piece->length += fits;
        operation->length += fits;
        from += fits;
        length -= fits;
    }
    return 0;
}

PyObject *pieces_take(struct operation *operation)
{
    if (!operation->reads)
        Py_RETURN_NONE;
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)operation->length);
    char *to = data == NULL ? NULL : PyBytes_AsString(data);
    for (struct piece *piece = operation->first_piece, *next; to != NULL && piece != NULL; piece = next) {
        next = piece->next;
        memcpy(to, piece->bytes, piece->length);
        to += piece->length;
        free_piece(piece);
        operation->first_piece = next;
    }
    operation->length = 0;
    return data;
}

void pieces_free(struct operation *operation)
{
    for (struct piece *piece = operation->first_piece, *next; piece != NULL; piece = next) {
        next = piece->next;
        free_piece(piece);
    }
}
