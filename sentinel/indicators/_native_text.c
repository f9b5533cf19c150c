/* Two looks at a text of ASCII letters, in C: see word_sets.py for what they promise. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static inline int
is_space(unsigned char c)
{
    /* What str.split takes for white space. */
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

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

static PyObject *
spaced_words(PyObject *Py_UNUSED(module), PyObject *text)
{
    Py_ssize_t length, words = 0;
    const unsigned char *bytes = ascii_bytes(text, &length);
    if (bytes == NULL) {
        return NULL;
    }
    int inside = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        const int space = is_space(bytes[i]);
        words += !space && !inside;
        inside = !space;
    }
    return PyLong_FromSsize_t(words);
}

static inline int
is_letter(unsigned char c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

static PyObject *
holds_capitalised(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *text, *words;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(args, "OO!", &text, &PySet_Type, &words)) {
        return NULL;
    }
    const unsigned char *bytes = ascii_bytes(text, &length);
    if (bytes == NULL) {
        return NULL;
    }
    for (Py_ssize_t i = 0; i < length;) {
        if (bytes[i] < 'A' || bytes[i] > 'Z') {
            i++;
            continue;
        }
        const Py_ssize_t start = i;
        while (i < length && is_letter(bytes[i])) {
            i++;
        }
        if (i - start < 2) {
            continue;
        }
        PyObject *word = PyBytes_FromStringAndSize((const char *)bytes + start, i - start);
        if (word == NULL) {
            return NULL;
        }
        for (Py_ssize_t k = 0; k < i - start; k++) {
            PyBytes_AS_STRING(word)[k] |= 0x20;
        }
        const int found = PySet_Contains(words, word);
        Py_DECREF(word);
        if (found) {
            return found < 0 ? NULL : Py_NewRef(Py_True);
        }
    }
    Py_RETURN_FALSE;
}

static PyMethodDef functions[] = {
    {"spaced_words", spaced_words, METH_O, "Return how many words between spaces an ASCII text has."},
    {"holds_capitalised", holds_capitalised, METH_VARARGS,
     "Return whether one of the words is capitalised in an ASCII text."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_text",
    .m_doc = "Two looks at a text of ASCII letters, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_text(void)
{
    return PyModule_Create(&module);
}
