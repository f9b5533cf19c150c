/* One look over a text: which signs it holds and how many words. See signs.py for what it promises. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* The values are those of signs.py. */
enum {
    BACKTICK = 1 << 0,
    TILDE = 1 << 1,
    LESS = 1 << 2,
    BRACKET = 1 << 3,
    ROUND = 1 << 4,
    COLON = 1 << 5,
    NEWLINE = 1 << 6,
    CARET = 1 << 7,
    BACKSLASH = 1 << 8,
    DOLLAR = 1 << 9,
    QUOTE = 1 << 10,
    APOSTROPHE = 1 << 11,
    INDENTED = 1 << 12,
    OTHER = 1 << 13,
    /* Never handed out: of these the text's words are made. */
    SAYS = 1 << 14,
    TAB = 1 << 15,
};

static unsigned short signs_of[128];

static void
fill_signs(void)
{
    for (int c = 0; c < 128; c++) {
        const int letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        signs_of[c] = letter || (c >= '0' && c <= '9') ? SAYS : 0;
    }
    signs_of['`'] = BACKTICK;
    signs_of['~'] = TILDE;
    signs_of['<'] = LESS;
    signs_of['['] = BRACKET;
    signs_of['('] = ROUND;
    signs_of[':'] = COLON;
    signs_of['\n'] = NEWLINE;
    signs_of['^'] = CARET;
    signs_of['\\'] = BACKSLASH;
    signs_of['$'] = DOLLAR;
    signs_of['"'] = QUOTE;
    signs_of['\''] = APOSTROPHE;
    signs_of['\t'] = TAB;
}

static inline int
is_space(unsigned char c)
{
    /* What str.split takes for white space. */
    return (c == ' ') | ((unsigned char)(c - '\t') < 5) | ((unsigned char)(c - 0x1c) < 4);
}

/* So many bytes are counted at once, in lanes of one byte each. */
#define STRETCH 128

static Py_ssize_t
words_of_ascii(const unsigned char *bytes, Py_ssize_t length)
{
    if (length == 0) {
        return 0;
    }
    Py_ssize_t words = !is_space(bytes[0]);
    for (Py_ssize_t from = 1; from < length; from += STRETCH) {
        const Py_ssize_t to = length - from < STRETCH ? length : from + STRETCH;
        unsigned char begun = 0;
        for (Py_ssize_t i = from; i < to; i++) {
            begun += is_space(bytes[i - 1]) & !is_space(bytes[i]);
        }
        words += begun;
    }
    return words;
}

static unsigned int
signs_of_ascii(const unsigned char *bytes, Py_ssize_t length)
{
    unsigned int even = 0, odd = 0;
    Py_ssize_t i = 0;
    for (; i + 2 <= length; i += 2) {
        even |= signs_of[bytes[i]];
        odd |= signs_of[bytes[i + 1]];
    }
    if (i < length) {
        even |= signs_of[bytes[i]];
    }
    return even | odd;
}

/* Whether a line begins with a tab or four spaces. */
static int
is_indented(int kind, const void *data, Py_ssize_t length)
{
    for (Py_ssize_t line = 0; line < length;) {
        if (PyUnicode_READ(kind, data, line) == '\t') {
            return 1;
        }
        Py_ssize_t i = line;
        while (i < length && i - line < 4 && PyUnicode_READ(kind, data, i) == ' ') {
            i++;
        }
        if (i - line == 4) {
            return 1;
        }
        if (kind == PyUnicode_1BYTE_KIND) {
            const char *rest = (const char *)data + i;
            const char *found = memchr(rest, '\n', (size_t)(length - i));
            if (found == NULL) {
                return 0;
            }
            line = i + (found - rest) + 1;
        } else {
            while (i < length && PyUnicode_READ(kind, data, i) != '\n') {
                i++;
            }
            line = i + 1;
        }
    }
    return 0;
}

/* Kana, Han, Thai, Lao, Khmer, Burmese: words.UNSPACED. */
static inline int
is_unspaced(Py_UCS4 c)
{
    return c >= 0x0e00 && (c <= 0x0eff || (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17ff)
                           || (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff)
                           || (c >= 0xf900 && c <= 0xfaff));
}

/* Letters by Unicode's table that show nothing. */
static inline int
is_filler(Py_UCS4 c)
{
    return c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0;
}

static unsigned int
look_at_any(int kind, const void *data, Py_ssize_t length, Py_ssize_t *words)
{
    unsigned int signs = OTHER;
    int inside = 0;
    for (Py_ssize_t i = 0; i < length; i++) {
        const Py_UCS4 c = PyUnicode_READ(kind, data, i);
        int space;
        if (c < 128) {
            signs |= signs_of[c];
            space = is_space((unsigned char)c);
        } else {
            if (!(signs & SAYS) && Py_UNICODE_ISALNUM(c) && !is_filler(c)) {
                signs |= SAYS;
            }
            /* Where no spaces are put a sign is a word of its own. */
            const int unspaced = is_unspaced(c);
            *words += unspaced;
            space = unspaced || Py_UNICODE_ISSPACE(c);
        }
        *words += !space && !inside;
        inside = !space;
    }
    return signs;
}

static PyObject *
look_at(PyObject *Py_UNUSED(module), PyObject *text)
{
    if (!PyUnicode_Check(text)) {
        PyErr_SetString(PyExc_TypeError, "a string wanted");
        return NULL;
    }
    const int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    Py_ssize_t words = 0;
    unsigned int signs;
    if (PyUnicode_IS_ASCII(text)) {
        signs = signs_of_ascii(data, length);
        words = words_of_ascii(data, length);
    } else {
        signs = look_at_any(kind, data, length, &words);
    }
    const int may_be_indented = (signs & (TAB | NEWLINE)) || (length && PyUnicode_READ(kind, data, 0) == ' ');
    if (may_be_indented && is_indented(kind, data, length)) {
        signs |= INDENTED;
    }
    if (!(signs & SAYS)) {
        words = 0;
    }
    PyObject *both = PyTuple_New(2);
    if (both == NULL) {
        return NULL;
    }
    PyObject *bits = PyLong_FromUnsignedLong(signs & (SAYS - 1)), *number = PyLong_FromSsize_t(words);
    PyTuple_SET_ITEM(both, 0, bits);
    PyTuple_SET_ITEM(both, 1, number);
    if (bits == NULL || number == NULL) {
        Py_DECREF(both);
        return NULL;
    }
    return both;
}

static PyMethodDef functions[] = {
    {"look_at", look_at, METH_O, "Return the signs of a text and how many words it has."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_signs",
    .m_doc = "The signs and the words of a text, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_signs(void)
{
    fill_signs();
    return PyModule_Create(&module);
}
