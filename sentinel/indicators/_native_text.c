/* Runs of capitalised words in a text of ASCII letters, in C: see word_sets.py for what it promises. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* The bytes of an ASCII string; NULL with an error where it is none. */
static const unsigned char *
ascii_bytes(PyObject *text, Py_ssize_t *length)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) {
        PyErr_SetString(PyExc_ValueError, "a string of ASCII letters wanted");
        return NULL;
    }
    *length = PyUnicode_GET_LENGTH(text);
    return PyUnicode_1BYTE_DATA(text);
}

static inline int
is_letter(unsigned char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static inline int
is_capital(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

/* Words to be found, and for each first letter the lengths that they have: most others need no look-up. */
typedef struct {
    PyObject *words;
    uint32_t lengths[26];
} Wanted;

static inline uint32_t
length_bit(Py_ssize_t length)
{
    return (uint32_t)1 << (length < 31 ? length : 31);
}

static int
note_lengths(Wanted *wanted)
{
    PyObject *item, *items = PyObject_GetIter(wanted->words);
    if (items == NULL) {
        return -1;
    }
    while ((item = PyIter_Next(items)) != NULL) {
        if (PyBytes_Check(item) && PyBytes_GET_SIZE(item) > 0) {
            const unsigned char first = (unsigned char)PyBytes_AS_STRING(item)[0];
            if (first >= 'a' && first <= 'z') {
                wanted->lengths[first - 'a'] |= length_bit(PyBytes_GET_SIZE(item));
            }
        }
        Py_DECREF(item);
    }
    Py_DECREF(items);
    return PyErr_Occurred() ? -1 : 0;
}

/* Whether these letters, in lower case, are one of the words; -1 with an error. */
static int
is_wanted(const Wanted *wanted, const unsigned char *letters, Py_ssize_t length)
{
    if (!(wanted->lengths[(letters[0] | 0x20) - 'a'] & length_bit(length))) {
        return 0;
    }
    /* Made empty, then filled: from a text of one byte comes the one object that all of Python shares. */
    PyObject *word = PyBytes_FromStringAndSize(NULL, length);
    if (word == NULL) {
        return -1;
    }
    for (Py_ssize_t k = 0; k < length; k++) {
        PyBytes_AS_STRING(word)[k] = (char)(letters[k] | 0x20);
    }
    const int found = PySet_Contains(wanted->words, word);
    Py_DECREF(word);
    return found;
}

/* Where the word ends that may stand between the capitalised ones of a name, with the space after it; the
 * same place where there is none. */
static Py_ssize_t
after_small_word(const unsigned char *bytes, Py_ssize_t length, Py_ssize_t place)
{
    static const char *const words[] = {"of ", "the ", "de ", "van ", "von ", "der ", "la ", "del ", "di ", "al "};
    if (place == length || !is_letter(bytes[place]) || is_capital(bytes[place])) {
        return place;
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (bytes[place] != (unsigned char)words[i][0]) {
            continue;
        }
        const Py_ssize_t size = (Py_ssize_t)strlen(words[i]);
        if (size <= length - place && memcmp(bytes + place, words[i], (size_t)size) == 0) {
            return place + size;
        }
    }
    return place;
}

/* Where the run of capitalised words ends that begins here. */
static Py_ssize_t
run_end(const unsigned char *bytes, Py_ssize_t length, Py_ssize_t place)
{
    for (;;) {
        while (place < length && (is_letter(bytes[place]) || (bytes[place] >= '0' && bytes[place] <= '9')
                                  || bytes[place] == '_' || bytes[place] == '\'' || bytes[place] == '-')) {
            place++;
        }
        if (place == length || bytes[place] != ' ') {
            return place;
        }
        Py_ssize_t next = after_small_word(bytes, length, place + 1);
        next = after_small_word(bytes, length, next);
        if (next == length || !is_capital(bytes[next])) {
            return place;
        }
        place = next;
    }
}

/* Look for the words in a run: 0 where it holds none, 1 and where one is capitalised 3; -1 with an error. */
static int
look_into(const Wanted *wanted, const unsigned char *bytes, Py_ssize_t start, Py_ssize_t end)
{
    int held = 0;
    for (Py_ssize_t i = start; i < end && held != 3; i++) {
        if (!is_letter(bytes[i])) {
            continue;
        }
        const Py_ssize_t first = i;
        Py_ssize_t capital = end;
        for (; i < end && is_letter(bytes[i]); i++) {
            capital = capital == end && is_capital(bytes[i]) ? i : capital;
        }
        const int whole = is_wanted(wanted, bytes + first, i - first);
        int part = whole;
        if (capital != first) {
            part = capital < i ? is_wanted(wanted, bytes + capital, i - capital) : 0;
        }
        if (whole < 0 || part < 0) {
            return -1;
        }
        held |= (whole ? 1 : 0) | (part && i - capital > 1 ? 2 : 0);
    }
    return held;
}

static int
append_place(PyObject *places, Py_ssize_t place)
{
    PyObject *number = PyLong_FromSsize_t(place);
    const int outcome = number == NULL ? -1 : PyList_Append(places, number);
    Py_XDECREF(number);
    return outcome;
}

static PyObject *
capitalised_runs(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text;
    Wanted wanted = {0};
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "OO!", &text, &PySet_Type, &wanted.words)) {
        return NULL;
    }
    const unsigned char *bytes = ascii_bytes(text, &length);
    if (bytes == NULL || note_lengths(&wanted) < 0) {
        return NULL;
    }
    PyObject *places = PyList_New(0);
    int is_capitalised = 0;
    for (Py_ssize_t i = 0; places != NULL && i < length; i++) {
        if (!is_capital(bytes[i])) {
            continue;
        }
        const Py_ssize_t start = i;
        i = run_end(bytes, length, i);
        const int held = look_into(&wanted, bytes, start, i);
        is_capitalised |= held == -1 ? 0 : held & 2;
        if (held < 0 || ((held & 1) && (append_place(places, start) < 0 || append_place(places, i) < 0))) {
            Py_CLEAR(places);
        }
    }
    if (places != NULL && !is_capitalised && PyList_SetSlice(places, 0, PyList_GET_SIZE(places), NULL) < 0) {
        Py_CLEAR(places);
    }
    return places;
}

static PyMethodDef functions[] = {
    {"capitalised_runs", capitalised_runs, METH_VARARGS,
     "Return the runs of capitalised words in an ASCII text that hold one of the words."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_text",
    .m_doc = "Runs of capitalised words in a text of ASCII letters, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_text(void)
{
    return PyModule_Create(&module);
}
