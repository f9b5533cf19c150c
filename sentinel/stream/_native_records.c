/* The records of a Kafka batch of message format 2, in C: see kafka_records.py for what it promises.
 *
 * The format: https://kafka.apache.org/documentation/#record. Whatever is not quite as it says is refused
 * with a ValueError, and the client's own reader is asked instead.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>
#include <stdint.h>

/* Seven numbers of a byte each: length, attributes, two deltas, the lengths of key and value, headers. */
#define FEWEST_BYTES 7
/* Of a number of 64 bits, seven in each byte. */
#define MOST_SHIFT 63

typedef struct {
    const unsigned char *bytes;
    Py_ssize_t place, end;
    int is_broken;
} Input;

typedef struct {
    PyObject_HEAD
    PyObject *size_in_bytes, *offset, *timestamp, *key, *value, *headers;
    int timestamp_type;
} Record;

static PyTypeObject record_type;

/* A number as Protocol Buffers write it (zigzag). */
static int64_t
number(Input *input)
{
    uint64_t value = 0;
    for (int shift = 0; shift <= MOST_SHIFT && input->place < input->end; shift += 7) {
        unsigned char byte = input->bytes[input->place++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
        }
    }
    input->is_broken = 1;
    return 0;
}

/* Where so many bytes begin that must be there. */
static const char *
taken(Input *input, int64_t length)
{
    if (input->is_broken || length < 0 || length > input->end - input->place) {
        input->is_broken = 1;
        return NULL;
    }
    const char *start = (const char *)input->bytes + input->place;
    input->place += (Py_ssize_t)length;
    return start;
}

/* Bytes, or None where their length says so. */
static PyObject *
content(Input *input)
{
    int64_t length = number(input);
    if (length < 0 && !input->is_broken) {
        Py_RETURN_NONE;
    }
    const char *start = taken(input, length);
    return start == NULL ? NULL : PyBytes_FromStringAndSize(start, (Py_ssize_t)length);
}

static PyObject *
header(Input *input)
{
    int64_t length = number(input);
    const char *start = taken(input, length);
    PyObject *key = start == NULL ? NULL : PyUnicode_DecodeUTF8(start, (Py_ssize_t)length, NULL);
    PyObject *value = key == NULL ? NULL : content(input);
    PyObject *pair = value == NULL ? NULL : PyTuple_Pack(2, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return pair;
}

static PyObject *
headers(Input *input)
{
    int64_t count = number(input);
    if (input->is_broken || count < 0 || count > input->end - input->place) {
        input->is_broken = 1;
        return NULL;
    }
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *pair = header(input);
        if (pair == NULL || PyList_Append(list, pair) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(pair);
    }
    return list;
}

/* The sum of both, unless it is none of 64 bits. */
static PyObject *
sum(Input *input, int64_t base, int64_t delta)
{
    if (delta > 0 ? base > INT64_MAX - delta : base < INT64_MIN - delta) {
        input->is_broken = 1;
        return NULL;
    }
    return PyLong_FromLongLong(base + delta);
}

static PyObject *
record(Input *input, int64_t base_offset, int64_t base_timestamp, int is_log_append_time)
{
    Record *self = (Record *)record_type.tp_alloc(&record_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->timestamp_type = is_log_append_time;
    int64_t length = number(input);
    Py_ssize_t start = input->place;
    number(input);  /* the attributes */
    int64_t timestamp_delta = number(input);
    int64_t offset_delta = number(input);
    if (!input->is_broken
        && (self->size_in_bytes = PyLong_FromLongLong(length)) != NULL
        && (self->timestamp = sum(input, base_timestamp, is_log_append_time ? 0 : timestamp_delta)) != NULL
        && (self->offset = sum(input, base_offset, offset_delta)) != NULL
        && (self->key = content(input)) != NULL
        && (self->value = content(input)) != NULL
        && (self->headers = headers(input)) != NULL) {
        if (input->place - start == length) {
            return (PyObject *)self;
        }
        input->is_broken = 1;
    }
    Py_DECREF(self);
    return NULL;
}

PyDoc_STRVAR(records_doc,
"records(buffer, start, count, base_offset, base_timestamp, is_log_append_time) -> list of records\n\n"
"They are the whole of `buffer` from `start` on; raises ValueError where they are not.");

static PyObject *
records(PyObject *module, PyObject *args)
{
    Py_buffer view;
    Py_ssize_t start, count;
    long long base_offset, base_timestamp;
    int is_log_append_time;
    if (!PyArg_ParseTuple(args, "y*nnLLp", &view, &start, &count, &base_offset, &base_timestamp,
                          &is_log_append_time)) {
        return NULL;
    }
    Input input = {view.buf, start, view.len, 0};
    PyObject *list = NULL;
    if (start < 0 || start > view.len || count < 0 || count > (view.len - start) / FEWEST_BYTES) {
        input.is_broken = 1;
    }
    else {
        list = PyList_New(count);
    }
    for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
        PyObject *one = record(&input, base_offset, base_timestamp, is_log_append_time);
        if (one == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, i, one);
        }
    }
    if (list != NULL && input.place != input.end) {
        input.is_broken = 1;
        Py_CLEAR(list);
    }
    PyBuffer_Release(&view);
    if (list == NULL && input.is_broken && !PyErr_Occurred()) {
        PyErr_SetString(PyExc_ValueError, "these are not the records that the batch says it has");
    }
    return list;
}

static void
record_dealloc(Record *self)
{
    Py_XDECREF(self->size_in_bytes);
    Py_XDECREF(self->offset);
    Py_XDECREF(self->timestamp);
    Py_XDECREF(self->key);
    Py_XDECREF(self->value);
    Py_XDECREF(self->headers);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyObject *
no_checksum(Record *self, void *closure)
{
    Py_RETURN_NONE;
}

static PyObject *
validate_crc(Record *self, PyObject *nothing)
{
    Py_RETURN_TRUE;
}

/* In this format the checksum is the batch's. */
static PyGetSetDef record_values[] = {
    {"checksum", (getter)no_checksum, NULL, NULL, NULL},
    {NULL},
};

static PyMethodDef record_methods[] = {
    {"validate_crc", (PyCFunction)validate_crc, METH_NOARGS, NULL},
    {NULL},
};

static PyMemberDef record_members[] = {
    {"size_in_bytes", T_OBJECT, offsetof(Record, size_in_bytes), READONLY, NULL},
    {"offset", T_OBJECT, offsetof(Record, offset), READONLY, NULL},
    {"timestamp", T_OBJECT, offsetof(Record, timestamp), READONLY, NULL},
    {"key", T_OBJECT, offsetof(Record, key), READONLY, NULL},
    {"value", T_OBJECT, offsetof(Record, value), READONLY, NULL},
    {"headers", T_OBJECT, offsetof(Record, headers), READONLY, NULL},
    {"timestamp_type", T_INT, offsetof(Record, timestamp_type), READONLY, NULL},
    {NULL},
};

static PyTypeObject record_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "sentinel.stream._native_records.Record",
    .tp_doc = "A record as it stands in its batch.",
    .tp_basicsize = sizeof(Record),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)record_dealloc,
    .tp_members = record_members,
    .tp_getset = record_values,
    .tp_methods = record_methods,
};

static PyMethodDef methods[] = {
    {"records", records, METH_VARARGS, records_doc},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.stream._native_records",
    .m_doc = "The records of a Kafka batch, in C.",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__native_records(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made != NULL && PyModule_AddType(made, &record_type) < 0) {
        Py_CLEAR(made);
    }
    return made;
}
