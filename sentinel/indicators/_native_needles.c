/* Groups of short texts looked for in one pass over an ASCII text. See needles.py for what it promises. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Needles are found by their first two signs, of which five bits each are looked at: case makes no difference. */
#define KEYS 1024
#define MOST_NEEDLES 4000

struct needle {
    const unsigned char *text; /* in lower case, of a string that `groups` holds */
    Py_ssize_t length;
    Py_ssize_t group;
    uint16_t next; /* the next needle of this key, counted from 1; 0 after the last */
};

typedef struct {
    PyObject_HEAD
    PyObject *groups;
    Py_ssize_t group_count;
    Py_ssize_t needle_count;
    struct needle *needles;
    unsigned char *always; /* a group without needles */
    uint16_t first[KEYS];
} Groups;

static inline unsigned
key_of(unsigned char a, unsigned char b)
{
    return (a & 31u) << 5 | (b & 31u);
}

static inline unsigned char
lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

static int
add_needle(Groups *self, PyObject *needle, Py_ssize_t group)
{
    if (!PyUnicode_Check(needle)) {
        PyErr_SetString(PyExc_TypeError, "a needle must be a string");
        return -1;
    }
    if (!PyUnicode_IS_ASCII(needle)) {
        return 0; /* in no ASCII text */
    }
    if (PyUnicode_GET_LENGTH(needle) < 2) {
        PyErr_SetString(PyExc_ValueError, "a needle must be of two letters or more");
        return -1;
    }
    const unsigned char *text = PyUnicode_1BYTE_DATA(needle);
    struct needle *one = &self->needles[self->needle_count++];
    const unsigned key = key_of(text[0], text[1]);
    *one = (struct needle){text, PyUnicode_GET_LENGTH(needle), group, self->first[key]};
    self->first[key] = (uint16_t)self->needle_count;
    return 0;
}

static PyObject *
groups_new(PyTypeObject *type, PyObject *args, PyObject *Py_UNUSED(named))
{
    PyObject *groups;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &groups)) {
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(groups);
    Py_ssize_t needles = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *group = PyTuple_GET_ITEM(groups, i);
        if (!PyTuple_Check(group)) {
            PyErr_SetString(PyExc_TypeError, "a tuple of tuples wanted");
            return NULL;
        }
        needles += PyTuple_GET_SIZE(group);
    }
    if (needles > MOST_NEEDLES || count > MOST_NEEDLES) {
        PyErr_SetString(PyExc_ValueError, "too many needles");
        return NULL;
    }
    Groups *self = (Groups *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->groups = Py_NewRef(groups);
    self->group_count = count;
    self->needles = PyMem_Calloc((size_t)needles + 1, sizeof *self->needles);
    self->always = PyMem_Calloc((size_t)count + 1, 1);
    if (self->needles == NULL || self->always == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *group = PyTuple_GET_ITEM(groups, i);
        self->always[i] = PyTuple_GET_SIZE(group) == 0;
        for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(group); k++) {
            if (add_needle(self, PyTuple_GET_ITEM(group, k), i) < 0) {
                Py_DECREF(self);
                return NULL;
            }
        }
    }
    return (PyObject *)self;
}

static void
groups_dealloc(Groups *self)
{
    PyMem_Free(self->needles);
    PyMem_Free(self->always);
    Py_XDECREF(self->groups);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int
stands_here(const struct needle *needle, const unsigned char *text, Py_ssize_t rest)
{
    if (needle->length > rest) {
        return 0;
    }
    for (Py_ssize_t i = 0; i < needle->length; i++) {
        if (lower(text[i]) != needle->text[i]) {
            return 0;
        }
    }
    return 1;
}

static PyObject *
found_in(Groups *self, PyObject *text)
{
    if (!PyUnicode_Check(text) || !PyUnicode_IS_ASCII(text)) {
        PyErr_SetString(PyExc_ValueError, "a string of ASCII letters wanted");
        return NULL;
    }
    const unsigned char *bytes = PyUnicode_1BYTE_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text), groups = self->group_count;
    unsigned char few[256], *found = few;
    if (groups > (Py_ssize_t)sizeof few && (found = PyMem_Malloc((size_t)groups)) == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(found, self->always, (size_t)groups);
    for (Py_ssize_t i = 0; i + 1 < length; i++) {
        for (unsigned at = self->first[key_of(bytes[i], bytes[i + 1])]; at != 0;) {
            const struct needle *needle = &self->needles[at - 1];
            if (!found[needle->group] && stands_here(needle, bytes + i, length - i)) {
                found[needle->group] = 1;
            }
            at = needle->next;
        }
    }
    PyObject *result = PyList_New(0);
    for (Py_ssize_t group = 0; result != NULL && group < groups; group++) {
        if (found[group]) {
            PyObject *number = PyLong_FromSsize_t(group);
            if (number == NULL || PyList_Append(result, number) < 0) {
                Py_CLEAR(result);
            }
            Py_XDECREF(number);
        }
    }
    if (found != few) {
        PyMem_Free(found);
    }
    return result;
}

static PyMethodDef methods[] = {
    {"found_in", (PyCFunction)found_in, METH_O, "Return the numbers of the groups of which a needle is in an ASCII text."},
    {NULL},
};

static PyTypeObject type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sentinel.indicators._native_needles.NeedleGroups",
    .tp_doc = "Groups of short texts that are looked for together.",
    .tp_basicsize = sizeof(Groups),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = groups_new,
    .tp_dealloc = (destructor)groups_dealloc,
    .tp_methods = methods,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_needles",
    .m_doc = "Short texts looked for in one pass, in C.",
    .m_size = -1,
};

PyMODINIT_FUNC
PyInit__native_needles(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddType(made, &type) < 0) {
        Py_CLEAR(made);
    }
    return made;
}
