/* The words of a folded text, in C: see word_sets.py for what each method promises.
 *
 * The text is the bytes that words.folded returns: words between ASCII white space, a line end where a
 * sentence ends. Words are told apart by their bytes; the hash that finds them, and their stems, is Python's
 * own keyed one, so that nobody can choose words that collide.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#ifndef SOURCES
#define SOURCES ""
#endif

#define STEM_BYTES 6
#define SENTENCE_END UINT32_MAX
#define NOWHERE UINT32_MAX

typedef struct {
    Py_hash_t hash;
    uint32_t start;
    uint32_t length;
} Word;

typedef struct {
    PyObject_HEAD
    PyObject *folded;      /* bytes: the words are kept as places in it */
    Word *words;           /* distinct, in the order in which they come first */
    uint32_t *slots;       /* open addressing over words; NOWHERE is free */
    uint64_t *stems;       /* open addressing over packed stems; 0 is free */
    uint32_t *order;       /* every word in order, SENTENCE_END between; NULL where it is not kept */
    size_t count, mask, ordered;
} Words;

static PyTypeObject *words_type;
static Py_hash_t (*hash_bytes)(const void *, Py_ssize_t);

static inline const char *
text_of(const Words *self)
{
    return PyBytes_AS_STRING(self->folded);
}

static inline int
is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* A stem as one number: its bytes, and its length plus one on top, so that none is 0. */
static inline uint64_t
packed_stem(const char *word, size_t length)
{
    uint64_t packed = 0;
    if (length > STEM_BYTES) {
        length = STEM_BYTES;
    }
    while (length > 0 && word[length - 1] == 's') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        packed = packed << 8 | (unsigned char)word[i];
    }
    return packed | (uint64_t)(length + 1) << 56;
}

/* Keyed like the words: stems are the first letters of words that anybody may have chosen. */
static inline size_t
stem_hash(uint64_t stem)
{
    return (size_t)hash_bytes(&stem, sizeof stem);
}

/* The slot of a word, or the free one where it would stand. */
static inline size_t
slot_of(const Words *self, const char *word, uint32_t length, Py_hash_t hash)
{
    const char *text = text_of(self);
    size_t slot = (size_t)hash & self->mask;
    for (;; slot = (slot + 1) & self->mask) {
        uint32_t place = self->slots[slot];
        if (place == NOWHERE) {
            return slot;
        }
        const Word *known = &self->words[place];
        if (known->hash == hash && known->length == length
            && memcmp(text + known->start, word, length) == 0) {
            return slot;
        }
    }
}

static inline int
holds(const Words *self, const char *word, uint32_t length, Py_hash_t hash)
{
    return self->slots[slot_of(self, word, length, hash)] != NOWHERE;
}

static inline int
holds_stem(const Words *self, uint64_t stem, size_t hash)
{
    for (size_t slot = hash & self->mask;; slot = (slot + 1) & self->mask) {
        if (self->stems[slot] == stem) {
            return 1;
        }
        if (self->stems[slot] == 0) {
            return 0;
        }
    }
}

static void
add_stem(Words *self, uint64_t stem)
{
    size_t slot = stem_hash(stem) & self->mask;
    while (self->stems[slot] != 0 && self->stems[slot] != stem) {
        slot = (slot + 1) & self->mask;
    }
    self->stems[slot] = stem;
}

/* How many words and sentence ends a text has, to size the tables by. */
static size_t
tokens_in(const char *text, size_t size)
{
    size_t tokens = 0;
    int inside = 0;
    for (size_t i = 0; i < size; i++) {
        int space = is_space((unsigned char)text[i]);
        tokens += (size_t)((!space && !inside) + (text[i] == '\n'));
        inside = !space;
    }
    return tokens;
}

static int
fill(Words *self, int keeps_order)
{
    const char *text = text_of(self);
    const size_t size = (size_t)PyBytes_GET_SIZE(self->folded);
    const size_t tokens = tokens_in(text, size);
    size_t slots = 8;
    while (slots < 2 * tokens) {
        slots *= 2;
    }
    self->mask = slots - 1;
    self->words = PyMem_Malloc((tokens ? tokens : 1) * sizeof *self->words);
    self->slots = PyMem_Malloc(slots * sizeof *self->slots);
    self->stems = keeps_order ? NULL : PyMem_Calloc(slots, sizeof *self->stems);
    self->order = keeps_order ? PyMem_Malloc((tokens ? tokens : 1) * sizeof *self->order) : NULL;
    if (self->words == NULL || self->slots == NULL || (keeps_order ? self->order == NULL : self->stems == NULL)) {
        PyErr_NoMemory();
        return -1;
    }
    memset(self->slots, 0xff, slots * sizeof *self->slots);
    for (size_t i = 0; i < size;) {
        if (is_space((unsigned char)text[i])) {
            if (keeps_order && text[i] == '\n') {
                self->order[self->ordered++] = SENTENCE_END;
            }
            i++;
            continue;
        }
        size_t start = i;
        while (i < size && !is_space((unsigned char)text[i])) {
            i++;
        }
        const uint32_t length = (uint32_t)(i - start);
        const Py_hash_t hash = hash_bytes(text + start, (Py_ssize_t)length);
        const size_t slot = slot_of(self, text + start, length, hash);
        if (self->slots[slot] == NOWHERE) {
            self->slots[slot] = (uint32_t)self->count;
            self->words[self->count++] = (Word){hash, (uint32_t)start, length};
            if (!keeps_order) {
                add_stem(self, packed_stem(text + start, length));
            }
        }
        if (keeps_order) {
            self->order[self->ordered++] = self->slots[slot];
        }
    }
    return 0;
}

static PyObject *
words_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"folded", "keeps_order", NULL};
    PyObject *folded;
    int keeps_order = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "S|$p", names, &folded, &keeps_order)) {
        return NULL;
    }
    if (PyBytes_GET_SIZE(folded) >= INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a folded text has 2 GiB at most");
        return NULL;
    }
    Words *self = (Words *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->folded = Py_NewRef(folded);
    if (fill(self, keeps_order) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void
words_dealloc(Words *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->folded);
    PyMem_Free(self->words);
    PyMem_Free(self->slots);
    PyMem_Free(self->stems);
    PyMem_Free(self->order);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyObject *
words_repr(Words *self)
{
    return PyUnicode_FromFormat("<Words of a text, %zu distinct>", self->count);
}

static Py_ssize_t
words_length(Words *self)
{
    return (Py_ssize_t)self->count;
}

static int
words_contains(Words *self, PyObject *word)
{
    if (!PyBytes_Check(word) || PyBytes_GET_SIZE(word) >= INT32_MAX) {
        return 0;
    }
    const char *text = PyBytes_AS_STRING(word);
    const Py_ssize_t length = PyBytes_GET_SIZE(word);
    return holds(self, text, (uint32_t)length, hash_bytes(text, length));
}

static int
add_word(PyObject *found, const Words *self, const Word *word)
{
    PyObject *bytes = PyBytes_FromStringAndSize(text_of(self) + word->start, (Py_ssize_t)word->length);
    if (bytes == NULL) {
        return -1;
    }
    const int outcome = PySet_Add(found, bytes);
    Py_DECREF(bytes);
    return outcome;
}

static Words *
as_words(PyObject *object)
{
    if (Py_TYPE(object) != words_type) {
        PyErr_Format(PyExc_TypeError, "Words wanted, not %.80s", Py_TYPE(object)->tp_name);
        return NULL;
    }
    return (Words *)object;
}

static PyObject *
words_among(Words *self, PyObject *argument)
{
    const Words *others = as_words(argument);
    if (others == NULL) {
        return NULL;
    }
    PyObject *found = PySet_New(NULL);
    for (size_t i = 0; found != NULL && i < self->count; i++) {
        const Word *word = &self->words[i];
        if (holds(others, text_of(self) + word->start, word->length, word->hash)
            && add_word(found, self, word) < 0) {
            Py_CLEAR(found);
        }
    }
    return found;
}

/* The lowest share of content words that are known, over sentences that have enough of them; -1 for none.
 * `kinds` says of each distinct word: 0 stop word, 1 known, 2 unknown. */
static int
lowest_share(const Words *self, const unsigned char *kinds, size_t fewest, double *lowest)
{
    uint32_t *last_seen = PyMem_Calloc(self->count ? self->count : 1, sizeof *last_seen);
    if (last_seen == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    uint32_t sentence = 1;
    size_t content = 0, unknown = 0;
    *lowest = -1.0;
    for (size_t i = 0; i <= self->ordered; i++) {
        const uint32_t place = i < self->ordered ? self->order[i] : SENTENCE_END;
        if (place != SENTENCE_END) {
            if (kinds[place] && last_seen[place] != sentence) {
                last_seen[place] = sentence;
                content++;
                unknown += kinds[place] == 2;
            }
            continue;
        }
        if (content >= fewest) {
            const double share = 1.0 - (double)unknown / (double)content;
            *lowest = *lowest < 0.0 || share < *lowest ? share : *lowest;
        }
        content = unknown = 0;
        sentence++;
    }
    PyMem_Free(last_seen);
    return 0;
}

static PyObject *
words_compared(Words *self, PyObject *args)
{
    PyObject *evidence, *stop_words, *missing = NULL, *result = NULL;
    Py_ssize_t fewest;
    if (!PyArg_ParseTuple(args, "O!On", &PyList_Type, &evidence, &stop_words, &fewest)) {
        return NULL;
    }
    const Words *stop = as_words(stop_words);
    if (stop == NULL) {
        return NULL;
    }
    if (self->order == NULL || fewest < 1) {
        PyErr_SetString(PyExc_ValueError, "words are compared that keep their order, in sentences of one word or more");
        return NULL;
    }
    size_t content = 0, unknown = 0;
    double lowest;
    unsigned char *kinds = PyMem_Calloc(self->count ? self->count : 1, 1);
    if (kinds == NULL) {
        return PyErr_NoMemory();
    }
    /* Before the list is looked at: this may run the collector, and from there on the list must stay as it is. */
    if ((missing = PySet_New(NULL)) == NULL) {
        goto done;
    }
    const Py_ssize_t pieces = PyList_GET_SIZE(evidence);
    for (Py_ssize_t p = 0; p < pieces; p++) {
        const Words *one = as_words(PyList_GET_ITEM(evidence, p));
        if (one == NULL) {
            goto done;
        }
        if (one->stems == NULL) {
            PyErr_SetString(PyExc_ValueError, "evidence keeps no order: it keeps stems");
            goto done;
        }
    }
    for (size_t i = 0; i < self->count; i++) {
        const Word *word = &self->words[i];
        const char *text = text_of(self) + word->start;
        if (holds(stop, text, word->length, word->hash)) {
            continue;
        }
        content++;
        kinds[i] = 1;
        int known = 0;
        for (Py_ssize_t p = 0; !known && p < pieces; p++) {
            known = holds((Words *)PyList_GET_ITEM(evidence, p), text, word->length, word->hash);
        }
        if (known) {
            continue;
        }
        if (add_word(missing, self, word) < 0) {
            goto done;
        }
        const uint64_t stem = packed_stem(text, word->length);
        const size_t hash = stem_hash(stem);
        for (Py_ssize_t p = 0; !known && p < pieces; p++) {
            known = holds_stem((Words *)PyList_GET_ITEM(evidence, p), stem, hash);
        }
        if (!known) {
            kinds[i] = 2;
            unknown++;
        }
    }
    if (lowest_share(self, kinds, (size_t)fewest, &lowest) == 0) {
        PyObject *share = lowest < 0.0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(lowest);
        if (share != NULL) {
            result = Py_BuildValue("nOnN", (Py_ssize_t)content, missing, (Py_ssize_t)unknown, share);
        }
    }
done:
    PyMem_Free(kinds);
    Py_XDECREF(missing);
    return result;
}

static PyObject *
words_sizeof(Words *self, PyObject *Py_UNUSED(ignored))
{
    const size_t slots = self->mask + 1;
    size_t size = sizeof *self + self->count * sizeof *self->words + slots * sizeof *self->slots;
    size += sizeof(PyBytesObject) + (size_t)PyBytes_GET_SIZE(self->folded);
    size += self->stems != NULL ? slots * sizeof *self->stems : self->ordered * sizeof *self->order;
    return PyLong_FromSize_t(size);
}

static PyMethodDef words_methods[] = {
    {"among", (PyCFunction)words_among, METH_O, "Return those of the words that are among others."},
    {"compared", (PyCFunction)words_compared, METH_VARARGS, "Compare with evidence, a list of Words."},
    {"__sizeof__", (PyCFunction)words_sizeof, METH_NOARGS, "Return the bytes it takes, with its text."},
    {NULL},
};

static PyType_Slot words_slots[] = {
    {Py_tp_new, words_new},
    {Py_tp_dealloc, words_dealloc},
    {Py_tp_repr, words_repr},
    {Py_tp_methods, words_methods},
    {Py_tp_doc, "The distinct words of a folded text."},
    {Py_sq_length, words_length},
    {Py_sq_contains, words_contains},
    {0, NULL},
};

static PyType_Spec words_spec = {
    .name = "sentinel.indicators._native_words.Words",
    .basicsize = sizeof(Words),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = words_slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_words",
    .m_doc = "The words of a folded text, in C.",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit__native_words(void)
{
    hash_bytes = PyHash_GetFuncDef()->hash;
    PyObject *self = PyModule_Create(&module);
    if (self == NULL) {
        return NULL;
    }
    words_type = (PyTypeObject *)PyType_FromSpec(&words_spec);
    if (words_type == NULL || PyModule_AddObjectRef(self, "Words", (PyObject *)words_type) < 0
        || PyModule_AddStringConstant(self, "SOURCES", SOURCES) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}
