/* The words of a folded text, in C: see word_sets.py for what each method promises.
 *
 * The text is the bytes that words.folded returns: words between ASCII white space, a line end where a
 * sentence ends.
 */
#include "_native_table.h"

#ifndef SOURCES
#define SOURCES ""
#endif

/* For a text of so many bytes, room is made at once; a longer one may repeat itself. */
#define MUCH 65536

Hashing hashing;
static PyTypeObject *words_type;

static inline int
is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The length of the word at the start of some text, with its first eight bytes. */
static inline size_t
read_word(const char *text, size_t size, uint64_t *first)
{
    size_t length = 0;
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (size >= 8) {
        uint64_t eight;
        memcpy(&eight, text, 8);
        /* The lowest bit that is set belongs to the first byte below 0x21: a space, or rarely another. */
        const uint64_t low = (eight - 0x2121212121212121u) & ~eight & 0x8080808080808080u;
        length = low ? (size_t)__builtin_ctzll(low) / 8 : 8;
        if (low && is_space((unsigned char)text[length])) {
            *first = length ? eight & (UINT64_MAX >> (64 - 8 * length)) : 0;
            return length;
        }
    }
#endif
    while (length < size && !is_space((unsigned char)text[length])) {
        length++;
    }
    *first = packed(text, length < 8 ? length : 8);
    return length;
}

/* Lay the words out over slots anew; a table that keeps stems gets them with `with_stems`. */
static int
lay_out(Words *self, size_t slots, int with_stems)
{
    Slot *wider = PyMem_Malloc(slots * sizeof *wider);
    uint64_t *stems = with_stems ? PyMem_Calloc(slots, sizeof *stems) : NULL;
    if (wider == NULL || (with_stems && stems == NULL)) {
        PyMem_Free(wider);
        PyMem_Free(stems);
        PyErr_NoMemory();
        return -1;
    }
    PyMem_Free(self->slots);
    memset(wider, 0xff, slots * sizeof *wider);
    self->slots = wider;
    self->stems = stems;
    self->mask = slots - 1;
    for (size_t i = 0; i < self->count; i++) {
        const Word *word = &self->words[i];
        size_t slot = word->hash & self->mask;
        while (wider[slot].place != NOWHERE) {
            slot = (slot + 1) & self->mask;
        }
        wider[slot] = (Slot){word->hash, (uint32_t)i};
        if (with_stems) {
            const uint64_t stem = stem_of(word);
            const uint32_t hash = stem_hash(stem);
            *stem_slot(self, stem, hash) = stem;
            mark(self->stem_marks, hash);
        }
    }
    return 0;
}

/* Make room for so many items of `size` bytes each, twice what was there. */
static int
widen(void **items, size_t *room, size_t size)
{
    void *wider = PyMem_Realloc(*items, 2 * *room * size);
    if (wider == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    *items = wider;
    *room *= 2;
    return 0;
}

static int
add_in_order(Words *self, uint32_t place)
{
    if (self->ordered == self->order_room
        && widen((void **)&self->order, &self->order_room, sizeof *self->order) < 0) {
        return -1;
    }
    self->order[self->ordered++] = place;
    return 0;
}

/* The place of a word, where it is new the next one; NOWHERE with an error where there is no memory. */
static inline uint32_t
place_of(Words *self, const char *text, size_t start, size_t length, uint64_t first)
{
    const uint32_t hash = word_hash(text + start, (uint32_t)length, first);
    Slot *slot = slot_of(self, text + start, (uint32_t)length, first, hash);
    if (slot->place != NOWHERE) {
        return slot->place;
    }
    if (self->count == self->words_room
        && widen((void **)&self->words, &self->words_room, sizeof *self->words) < 0) {
        return NOWHERE;
    }
    const uint32_t place = (uint32_t)self->count;
    self->words[self->count++] = (Word){first, hash, (uint32_t)start, (uint32_t)length};
    *slot = (Slot){hash, place};
    mark(self->word_marks, hash);
    if (2 * self->count > self->mask && lay_out(self, 2 * (self->mask + 1), 0) < 0) {
        return NOWHERE;
    }
    return place;
}

static int
fill(Words *self, int keeps_order)
{
    const char *text = text_of(self);
    const size_t size = (size_t)PyBytes_GET_SIZE(self->folded);
    /* Most texts have fewer distinct words than a tenth of their bytes, and fewer words than a fifth. */
    self->words_room = (size < MUCH ? size : MUCH) / 10 + 8;
    self->order_room = (size < MUCH ? size : MUCH) / 5 + 8;
    size_t slots = 16;
    while (slots < 2 * self->words_room) {
        slots *= 2;
    }
    self->words = PyMem_Malloc(self->words_room * sizeof *self->words);
    self->order = keeps_order ? PyMem_Malloc(self->order_room * sizeof *self->order) : NULL;
    if (self->words == NULL || (keeps_order && self->order == NULL)) {
        PyErr_NoMemory();
        return -1;
    }
    if (lay_out(self, slots, 0) < 0) {
        return -1;
    }
    for (size_t i = 0; i < size;) {
        if (is_space((unsigned char)text[i])) {
            if (keeps_order && text[i] == '\n' && add_in_order(self, SENTENCE_END) < 0) {
                return -1;
            }
            i++;
            continue;
        }
        uint64_t first;
        const size_t length = read_word(text + i, size - i, &first);
        const uint32_t place = place_of(self, text, i, length, first);
        if (place == NOWHERE || (keeps_order && add_in_order(self, place) < 0)) {
            return -1;
        }
        i += length;
    }
    if (keeps_order) {
        return 0;
    }
    /* Evidence is kept, and takes no more than it needs. */
    slots = 16;
    while (slots < 2 * self->count) {
        slots *= 2;
    }
    Word *narrower = PyMem_Realloc(self->words, (self->count ? self->count : 1) * sizeof *narrower);
    if (narrower != NULL) {
        self->words = narrower;
        self->words_room = self->count ? self->count : 1;
    }
    return lay_out(self, slots, 1);
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
    const uint64_t first = packed(text, length < 8 ? (size_t)length : 8);
    const uint32_t hash = word_hash(text, (uint32_t)length, first);
    return slot_of(self, text, (uint32_t)length, first, hash)->place != NOWHERE;
}

int
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

Words *
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
        if (holds(others, text_of(self), word) && add_word(found, self, word) < 0) {
            Py_CLEAR(found);
        }
    }
    return found;
}

static PyObject *
words_sizeof(Words *self, PyObject *Py_UNUSED(ignored))
{
    const size_t slots = self->mask + 1;
    size_t size = sizeof *self + self->words_room * sizeof *self->words + slots * sizeof *self->slots;
    size += sizeof(PyBytesObject) + (size_t)PyBytes_GET_SIZE(self->folded);
    size += self->stems != NULL ? slots * sizeof *self->stems : self->order_room * sizeof *self->order;
    return PyLong_FromSize_t(size);
}

static PyMethodDef words_methods[] = {
    {"among", (PyCFunction)words_among, METH_O, "Return those of the words that are among others."},
    {"compared", (PyCFunction)(void (*)(void))words_compared, METH_FASTCALL, "Compare with evidence, a list of Words."},
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
    hashing.bytes = PyHash_GetFuncDef()->hash;
    for (uint32_t i = 0; i < KEYS; i++) {
        /* Two hashes a key: where they have 32 bits each, it has 64 all the same. */
        const uint32_t names[2] = {2 * i, 2 * i + 1};
        hashing.keys[i] = (uint64_t)hashing.bytes(&names[0], sizeof names[0])
                          ^ (uint64_t)hashing.bytes(&names[1], sizeof names[1]) << 32;
    }
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
