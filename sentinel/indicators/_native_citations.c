/* The citations of an answer that are written as most are. See plain_citations.py for what it promises. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static inline int
is_space(unsigned char c)
{
    /* What a pattern takes for white space. */
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

/* Where a number in brackets begins a key or an index behind one of these: `press the [2]`. */
static int
names_a_key(const unsigned char *text, Py_ssize_t end)
{
    static const char *const words[] = {"press", "dial",    "hit",       "push", "type", "key",    "keys",
                                        "index", "indices", "subscript", "the",  "number", "either", "on"};
    char word[16];
    Py_ssize_t start = end;
    while (start > 0 && (text[start - 1] | 0x20) >= 'a' && (text[start - 1] | 0x20) <= 'z') {
        start--;
        if (end - start > 9) {
            return 0; /* longer than any of these */
        }
        word[9 - (end - start)] = (char)(text[start] | 0x20);
    }
    const size_t length = (size_t)(end - start);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i]) == length && memcmp(words[i], word + 9 - length, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether what stands between two numbers makes a range of them: `[1] - [3]`, `[1]..[3]`, `[1] to [3]`. */
static int
makes_a_range(const unsigned char *between, Py_ssize_t length)
{
    static const char *const signs[] = {"-", "~", "..", "...", "to", "through", "bis"};
    if (length && is_space(between[0])) {
        between++;
        length--;
    }
    if (length && is_space(between[length - 1])) {
        length--;
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strlen(signs[i]) == (size_t)length && memcmp(signs[i], between, (size_t)length) == 0) {
            return 1;
        }
    }
    return 0;
}

#define MOST_DIGITS 3
/* Numbers of one, two and three digits are told apart: `01` is written otherwise than `1`. */
#define DIFFERENT (10 + 100 + 1000)

/* The length of the plain citation that begins at the bracket `start`; 0 where it is another thing.
 * `last` is where the one before ended, or -1. */
static Py_ssize_t
plain_length(const unsigned char *text, Py_ssize_t start, Py_ssize_t length, Py_ssize_t last)
{
    Py_ssize_t end = start + 1;
    while (end < length && end - start <= MOST_DIGITS && text[end] >= '0' && text[end] <= '9') {
        end++;
    }
    if (end == start + 1 || end >= length || text[end] != ']') {
        return 0;
    }
    end++;
    if (end < length && (text[end] == ']' || text[end] == '(' || text[end] == ':')) {
        return 0;
    }
    if (start == last) {
        return end - start;
    }
    if (start < 2) {
        return 0;
    }
    const unsigned char before = text[start - 1];
    if (before == ' ') {
        if (text[start - 2] == ':' || text[start - 2] == '=' || names_a_key(text, start - 1)) {
            return 0;
        }
    } else if (before != '.' && before != ',' && before != ';' && before != '!' && before != '?') {
        return 0;
    }
    if (last >= 0 && start - last < 10 && makes_a_range(text + last, start - last)) {
        return 0;
    }
    return end - start;
}

static PyObject *
plain_citations(PyObject *Py_UNUSED(module), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a string wanted");
        return NULL;
    }
    if (!PyUnicode_IS_ASCII(text)) {
        Py_RETURN_NONE;
    }
    const unsigned char *bytes = PyUnicode_1BYTE_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    unsigned char seen[DIFFERENT] = {0};
    Py_ssize_t last = -1, kept = 0, written = 0, count = 0;
    char *prose = NULL;
    PyObject *numbers = PyList_New(0), *result = NULL;
    if (numbers == NULL) {
        return NULL;
    }
    for (;;) {
        const Py_ssize_t from = last < 0 ? 0 : last;
        const unsigned char *found = memchr(bytes + from, '[', (size_t)(length - from));
        if (found == NULL) {
            break;
        }
        const Py_ssize_t start = found - bytes;
        const Py_ssize_t size = plain_length(bytes, start, length, last);
        if (size == 0) {
            result = Py_NewRef(Py_None);
            goto done;
        }
        if (prose == NULL && (prose = PyMem_Malloc((size_t)length)) == NULL) {
            PyErr_NoMemory();
            goto done;
        }
        memcpy(prose + written, bytes + kept, (size_t)(start - kept));
        written += start - kept;
        kept = last = start + size;
        count++;
        const Py_ssize_t digits = size - 2;
        int number = 0;
        for (Py_ssize_t i = 0; i < digits; i++) {
            number = 10 * number + (bytes[start + 1 + i] - '0');
        }
        unsigned char *one = seen + number + (digits == 1 ? 0 : digits == 2 ? 10 : 110);
        if (!*one) {
            *one = 1;
            PyObject *content = PyUnicode_FromStringAndSize((const char *)bytes + start + 1, digits);
            if (content == NULL || PyList_Append(numbers, content) < 0) {
                Py_XDECREF(content);
                goto done;
            }
            Py_DECREF(content);
        }
    }
    PyObject *rest;
    if (prose == NULL) {
        rest = Py_NewRef(text);
    } else {
        memcpy(prose + written, bytes + kept, (size_t)(length - kept));
        written += length - kept;
        rest = PyUnicode_New(written, 127);
        if (rest != NULL) {
            memcpy(PyUnicode_1BYTE_DATA(rest), prose, (size_t)written);
        }
    }
    PyObject *markers = PyLong_FromSsize_t(count);
    if (rest != NULL && markers != NULL) {
        result = PyTuple_Pack(3, numbers, markers, rest);
    }
    Py_XDECREF(rest);
    Py_XDECREF(markers);
done:
    PyMem_Free(prose);
    Py_DECREF(numbers);
    return result;
}

static PyMethodDef functions[] = {
    {"plain_citations", plain_citations, METH_O,
     "Return the plain citations of a text, how many there are, and the text without them."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_citations",
    .m_doc = "Citations that are written as most are, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_citations(void)
{
    return PyModule_Create(&module);
}
