/* A table of distinct words, and of their stems: what _native_words.c fills and looks words up in.
 *
 * Words are told apart by their bytes: the first eight stand in the table as one number, the rest is
 * compared in the text. Their hash is multilinear (Lemire and Kaser, "Strongly universal string hashing is
 * fast"): its keys come from Python's own secret, so that nobody can choose words that collide. What is
 * longer than sixteen bytes is hashed by Python's function besides.
 */
#ifndef SENTINEL_NATIVE_TABLE_H
#define SENTINEL_NATIVE_TABLE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define STEM_BYTES 6
#define NOWHERE UINT32_MAX
#define SENTENCE_END UINT32_MAX
#define KEYS 9
/* In numbers of 64 bits: enough for a passage, of little use for a book. */
#define MARKS 8

typedef struct {
    uint64_t first;        /* its first eight bytes, the first of them lowest */
    uint32_t hash;
    uint32_t start;
    uint32_t length;
} Word;

typedef struct {
    uint32_t hash;
    uint32_t place;        /* in words; NOWHERE is free */
} Slot;

typedef struct {
    PyObject_HEAD
    PyObject *folded;      /* bytes: the words are kept as places in it */
    Word *words;           /* distinct, in the order in which they come first */
    Slot *slots;           /* open addressing over words, half of it free at least */
    uint64_t *stems;       /* open addressing over packed stems, as many slots; 0 is free; NULL in an answer */
    uint32_t *order;       /* every word in order, SENTENCE_END between; NULL where it is not kept */
    /* A bit for each hash of a word, and of a stem: most words that are not there need no look further. */
    uint64_t word_marks[MARKS], stem_marks[MARKS];
    size_t count, mask, ordered;
    size_t words_room, order_room;
} Words;

/* Set once, when the module is imported. */
typedef struct {
    Py_hash_t (*bytes)(const void *, Py_ssize_t);
    uint64_t keys[KEYS];
} Hashing;

extern Hashing hashing;

static inline const char *
text_of(const Words *self)
{
    return PyBytes_AS_STRING(self->folded);
}

/* Up to eight bytes as one number, the first of them lowest. */
static inline uint64_t
packed(const char *bytes, size_t length)
{
    uint64_t number = 0;
    for (size_t i = 0; i < length; i++) {
        number |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    }
    return number;
}

static inline uint64_t
keyed(uint64_t number, int key)
{
    return hashing.keys[key] * (number & UINT32_MAX) + hashing.keys[key + 1] * (number >> 32);
}

/* The hash of a word whose first eight bytes are `first`. */
static inline uint32_t
word_hash(const char *word, uint32_t length, uint64_t first)
{
    uint64_t sum = hashing.keys[0] + hashing.keys[1] * length + keyed(first, 2);
    if (length > 8) {
        sum += keyed(packed(word + 8, length < 16 ? length - 8 : 8), 4);
        if (length > 16) {
            sum += keyed((uint64_t)hashing.bytes(word, (Py_ssize_t)length), 6);
        }
    }
    return (uint32_t)(sum >> 32);
}

static inline int
same_word(const Words *self, const Word *known, const char *word, uint32_t length, uint64_t first)
{
    return known->first == first && known->length == length
           && (length <= 8 || memcmp(text_of(self) + known->start + 8, word + 8, length - 8) == 0);
}

/* The slot of a word, or the free one where it would stand. */
static inline Slot *
slot_of(const Words *self, const char *word, uint32_t length, uint64_t first, uint32_t hash)
{
    for (size_t slot = hash & self->mask;; slot = (slot + 1) & self->mask) {
        Slot *found = &self->slots[slot];
        if (found->place == NOWHERE
            || (found->hash == hash && same_word(self, &self->words[found->place], word, length, first))) {
            return found;
        }
    }
}

/* The top bits of a hash: the slots are by the lowest. */
static inline void
mark(uint64_t *marks, uint32_t hash)
{
    marks[hash >> 29] |= (uint64_t)1 << (hash >> 23 & 63);
}

static inline int
is_marked(const uint64_t *marks, uint32_t hash)
{
    return (int)(marks[hash >> 29] >> (hash >> 23 & 63) & 1);
}

/* Whether a table holds a word of another one, whose text is `text`. */
static inline int
holds(const Words *self, const char *text, const Word *word)
{
    return is_marked(self->word_marks, word->hash)
           && slot_of(self, text + word->start, word->length, word->first, word->hash)->place != NOWHERE;
}

/* A stem as one number: its bytes, and its length plus one on top, so that none is 0. */
static inline uint64_t
stem_of(const Word *word)
{
    size_t length = word->length < STEM_BYTES ? word->length : STEM_BYTES;
    while (length > 0 && (unsigned char)(word->first >> (8 * (length - 1))) == 's') {
        length--;
    }
    const uint64_t bytes = word->first & (((uint64_t)1 << (8 * length)) - 1);
    return bytes | (uint64_t)(length + 1) << 56;
}

static inline uint32_t
stem_hash(uint64_t stem)
{
    return (uint32_t)((hashing.keys[8] + keyed(stem, 2)) >> 32);
}

/* The slot of a stem, or the free one where it would stand. */
static inline uint64_t *
stem_slot(const Words *self, uint64_t stem, uint32_t hash)
{
    size_t slot = hash & self->mask;
    while (self->stems[slot] != 0 && self->stems[slot] != stem) {
        slot = (slot + 1) & self->mask;
    }
    return &self->stems[slot];
}

/* Of _native_words.c: the object as Words, NULL with an error where it is none; a word added to a set. */
Words *as_words(PyObject *object);
int add_word(PyObject *found, const Words *self, const Word *word);

/* Of _native_compared.c. */
PyObject *words_compared(Words *self, PyObject *const *args, Py_ssize_t given);

#endif
