/* What is read of every retrieved passage but its text, in one pass. See retrieved.py for what it promises. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

enum { ID, SCORE, DISTANCE, ACCESS, SUPERSEDED, FIELDS };
static const char *const field_names[FIELDS] = {"id", "score", "distance", "access", "superseded"};
static PyObject *fields[FIELDS];

/* str.isdigit */
static int
is_digits(PyObject *text)
{
    const int kind = PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    for (Py_ssize_t i = 0; i < length; i++) {
        if (!Py_UNICODE_ISDIGIT(PyUnicode_READ(kind, data, i))) {
            return 0;
        }
    }
    return length > 0;
}

/* Put a passage's number in the place of the largest so far, if it is larger; what is not finite is unknown.
 * Returns -1 with an error. */
static int
keep_larger(PyObject *passage, PyObject *field, PyObject **largest)
{
    PyObject *value = PyObject_GetAttr(passage, field);
    if (value == NULL) {
        return -1;
    }
    int larger = 0;
    if (value != Py_None) {
        const double number = PyFloat_AsDouble(value);
        if (number == -1.0 && PyErr_Occurred()) {
            larger = -1;
        } else if (isfinite(number)) {
            if (*largest == NULL) {
                larger = 1;
            } else if (PyFloat_CheckExact(value) && PyFloat_CheckExact(*largest)) {
                larger = number > PyFloat_AS_DOUBLE(*largest);
            } else {
                larger = PyObject_RichCompareBool(value, *largest, Py_GT);
            }
        }
    }
    if (larger > 0) {
        Py_XSETREF(*largest, value);
    } else {
        Py_DECREF(value);
    }
    return larger < 0 ? -1 : 0;
}

/* Whether a passage says anything in a field; -1 with an error. */
static int
says(PyObject *passage, PyObject *field)
{
    PyObject *value = PyObject_GetAttr(passage, field);
    if (value == NULL) {
        return -1;
    }
    const int told = value != Py_None;
    Py_DECREF(value);
    return told;
}

static PyObject *
read_passages(PyObject *Py_UNUSED(module), PyObject *retrieved)
{
    if (!PyTuple_Check(retrieved)) {
        PyErr_SetString(PyExc_TypeError, "a tuple of passages wanted");
        return NULL;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(retrieved);
    PyObject *score = NULL, *distance = NULL, *result = NULL;
    PyObject *ids = PyTuple_New(count);
    if (ids == NULL) {
        return NULL;
    }
    int numeric = 0, told = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *passage = PyTuple_GET_ITEM(retrieved, i);
        PyObject *id = PyObject_GetAttr(passage, fields[ID]);
        if (id == NULL) {
            goto done;
        }
        PyTuple_SET_ITEM(ids, i, id);
        if (!PyUnicode_Check(id)) {
            PyErr_SetString(PyExc_TypeError, "a passage's id must be a string");
            goto done;
        }
        numeric = numeric || is_digits(id);
        if (keep_larger(passage, fields[SCORE], &score) < 0
            || keep_larger(passage, fields[DISTANCE], &distance) < 0) {
            goto done;
        }
        for (int field = ACCESS; field <= SUPERSEDED && !told; field++) {
            told = says(passage, fields[field]);
            if (told < 0) {
                goto done;
            }
        }
    }
    result = PyTuple_Pack(5, ids, numeric ? Py_True : Py_False, score == NULL ? Py_None : score,
                          distance == NULL ? Py_None : distance, told ? Py_True : Py_False);
done:
    Py_DECREF(ids);
    Py_XDECREF(score);
    Py_XDECREF(distance);
    return result;
}

static PyMethodDef functions[] = {
    {"read_passages", read_passages, METH_O, "Return what is read of every passage but its text."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_retrieved",
    .m_doc = "What is read of every retrieved passage, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_retrieved(void)
{
    for (int i = 0; i < FIELDS; i++) {
        if (fields[i] == NULL && (fields[i] = PyUnicode_InternFromString(field_names[i])) == NULL) {
            return NULL;
        }
    }
    return PyModule_Create(&module);
}
