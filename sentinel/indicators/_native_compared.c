/* The words of an answer compared with those of its evidence, in C: see Words.compared in word_sets.py. */
#include "_native_table.h"

/* So many words are noted on the stack; for more, memory is asked for. */
#define FEW 512

/* The lowest share of content words that are known, over sentences that have enough of them; -1 for none.
 * `kinds` says of each distinct word: 0 stop word, 1 known, 2 unknown; `last_seen`, all 0, is written over. */
static double
lowest_share(const Words *self, const unsigned char *kinds, uint32_t *last_seen, size_t fewest)
{
    uint32_t sentence = 1;
    size_t content = 0, unknown = 0;
    double lowest = -1.0;
    for (size_t i = 0; i <= self->ordered; i++) {
        const uint32_t place = i < self->ordered ? self->order[i] : SENTENCE_END;
        if (place != SENTENCE_END) {
            const int counts = kinds[place] != 0 && last_seen[place] != sentence;
            last_seen[place] = sentence;
            content += (size_t)counts;
            unknown += (size_t)(counts && kinds[place] == 2);
            continue;
        }
        if (content >= fewest) {
            const double share = 1.0 - (double)unknown / (double)content;
            lowest = lowest < 0.0 || share < lowest ? share : lowest;
        }
        content = unknown = 0;
        sentence++;
    }
    return lowest;
}

/* Whether one of the pieces of evidence holds a word. */
static int
known_word(PyObject *const *pieces, Py_ssize_t count, const char *text, const Word *word)
{
    for (Py_ssize_t p = 0; p < count; p++) {
        if (holds((Words *)pieces[p], text, word)) {
            return 1;
        }
    }
    return 0;
}

/* Whether one of them holds it with another ending. */
static int
known_stem(PyObject *const *pieces, Py_ssize_t count, const Word *word)
{
    const uint64_t stem = stem_of(word);
    const uint32_t hash = stem_hash(stem);
    for (Py_ssize_t p = 0; p < count; p++) {
        const Words *piece = (Words *)pieces[p];
        if (is_marked(piece->stem_marks, hash) && *stem_slot(piece, stem, hash) != 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether all of a list may be compared with; -1 with an error where not. */
static int
check_evidence(PyObject *evidence)
{
    for (Py_ssize_t p = 0; p < PyList_GET_SIZE(evidence); p++) {
        const Words *one = as_words(PyList_GET_ITEM(evidence, p));
        if (one == NULL) {
            return -1;
        }
        if (one->stems == NULL) {
            PyErr_SetString(PyExc_ValueError, "evidence keeps no order: it keeps stems");
            return -1;
        }
    }
    return 0;
}

/* Compare with evidence, with `kinds` and `last_seen` of as many zeros as there are distinct words. */
static PyObject *
compare(Words *self, PyObject *evidence, const Words *stop, size_t fewest, unsigned char *kinds, uint32_t *last_seen)
{
    /* Before the list is looked at: this may run the collector, and from there on the list must stay as it is. */
    PyObject *missing = PySet_New(NULL);
    if (missing == NULL || check_evidence(evidence) < 0) {
        Py_XDECREF(missing);
        return NULL;
    }
    PyObject *const *pieces = PySequence_Fast_ITEMS(evidence);
    const Py_ssize_t count = PyList_GET_SIZE(evidence);
    const char *text = text_of(self);
    size_t content = 0, unknown = 0;
    for (size_t i = 0; i < self->count; i++) {
        const Word *word = &self->words[i];
        if (holds(stop, text, word)) {
            continue;
        }
        content++;
        kinds[i] = 1;
        if (known_word(pieces, count, text, word)) {
            continue;
        }
        if (add_word(missing, self, word) < 0) {
            Py_DECREF(missing);
            return NULL;
        }
        if (!known_stem(pieces, count, word)) {
            kinds[i] = 2;
            unknown++;
        }
    }
    const double lowest = lowest_share(self, kinds, last_seen, fewest);
    PyObject *share = lowest < 0.0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(lowest);
    if (share == NULL) {
        Py_DECREF(missing);
        return NULL;
    }
    return Py_BuildValue("nNnN", (Py_ssize_t)content, missing, (Py_ssize_t)unknown, share);
}

PyObject *
words_compared(Words *self, PyObject *const *args, Py_ssize_t given)
{
    if (given != 3 || !PyList_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "a list of Words, stop words and the fewest words of a sentence wanted");
        return NULL;
    }
    const Words *stop = as_words(args[1]);
    const Py_ssize_t fewest = stop == NULL ? -1 : PyNumber_AsSsize_t(args[2], PyExc_OverflowError);
    if (fewest == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (self->order == NULL || fewest < 1) {
        PyErr_SetString(PyExc_ValueError, "words are compared that keep their order, in sentences of one word or more");
        return NULL;
    }
    unsigned char few_kinds[FEW] = {0};
    uint32_t few_seen[FEW];
    if (self->count <= FEW) {
        memset(few_seen, 0, self->count * sizeof *few_seen);
        return compare(self, args[0], stop, (size_t)fewest, few_kinds, few_seen);
    }
    unsigned char *kinds = PyMem_Calloc(self->count, sizeof *kinds);
    uint32_t *last_seen = PyMem_Calloc(self->count, sizeof *last_seen);
    PyObject *result = NULL;
    if (kinds == NULL || last_seen == NULL) {
        PyErr_NoMemory();
    } else {
        result = compare(self, args[0], stop, (size_t)fewest, kinds, last_seen);
    }
    PyMem_Free(kinds);
    PyMem_Free(last_seen);
    return result;
}
