/* The plain numbers of an ASCII answer, in C: see `PlainNumbers` in word_sets.py for what it promises.
 *
 * Numbers are cut as the pattern `_NUMBER_ASCII` of numerals.py cuts them. What is told of one here is what
 * `_written` there would find; of whatever is not plain nothing is told, and it is read there.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* Words that follow a number and change it are shorter; longer digits are no exact double. */
#define LONGEST_TELLING 16
#define EXACT_DIGITS 15
/* Between a sum of money and its cents stand five number words at most. */
#define LONGEST_SUM 120

typedef struct {
    const unsigned char *text;
    Py_ssize_t length;
} Text;

/* A match of the pattern: digits and what joins them, a gap, letters or `%`, a digit after letters. */
typedef struct {
    Py_ssize_t start, core_end, next, next_end, end;
    int is_digits;         /* no more than digits are joined to one core */
    int has_code;
} Number;

/* What is known of a number: it is none, it stands in the evidence, it is plain and does not, or it must be
 * read. */
enum { NONE, SETTLED, ABSENT, UNREAD, FAILED };

static inline int
at(const Text *text, Py_ssize_t place)
{
    return place >= 0 && place < text->length ? text->text[place] : -1;
}

static inline int
is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline int
is_letter(int c)
{
    c |= 0x20;
    return c >= 'a' && c <= 'z';
}

/* As str.isspace. */
static inline int
is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

static inline int
is_one_of(int c, const char *signs)
{
    return c > 0 && strchr(signs, c) != NULL;
}

static inline int
starts_with(const Text *text, Py_ssize_t place, const char *start)
{
    const Py_ssize_t length = (Py_ssize_t)strlen(start);
    return length <= text->length - place && memcmp(text->text + place, start, (size_t)length) == 0;
}

/* Whether three digits stand here, and no fourth. */
static inline int
three_digits(const Text *text, Py_ssize_t place)
{
    return is_digit(at(text, place)) && is_digit(at(text, place + 1)) && is_digit(at(text, place + 2))
           && !is_digit(at(text, place + 3));
}

/* Where the digits begin that what stands here joins to the digits before; -1 where it joins none. */
static Py_ssize_t
joined(const Text *text, Py_ssize_t place)
{
    static const char *const entities[] = {"&nbsp;", "&thinsp;", "&#160;", "&#8239;", "&#xa0;", "&#xA0;"};
    const int c = at(text, place);
    if (is_one_of(c, ".,:/'-")) {
        return is_digit(at(text, place + 1)) ? place + 1 : -1;
    }
    if (c == ' ' || c == '_') {
        return three_digits(text, place + 1) ? place + 1 : -1;
    }
    for (size_t i = 0; c == '&' && i < sizeof entities / sizeof *entities; i++) {
        if (starts_with(text, place, entities[i])) {
            const Py_ssize_t digits = place + (Py_ssize_t)strlen(entities[i]);
            return three_digits(text, digits) ? digits : -1;
        }
    }
    return -1;
}

static Number
number_at(const Text *text, Py_ssize_t start)
{
    Number number = {.start = start, .is_digits = 1};
    Py_ssize_t place = start;
    for (;;) {
        while (is_digit(at(text, place))) {
            place++;
        }
        const Py_ssize_t digits = joined(text, place);
        if (digits < 0) {
            break;
        }
        number.is_digits = 0;
        place = digits;
    }
    number.core_end = place;
    if (at(text, place) == ' ' || at(text, place) == '-') {
        place++;
    }
    number.next = place;
    while (is_letter(at(text, place))) {
        place++;
    }
    if (place > number.next) {
        number.has_code = is_digit(at(text, place));
    } else if (at(text, place) == '%') {
        place++;
    }
    number.next_end = place;
    number.end = place + number.has_code;
    return number;
}

/* `opens_line` of numbering.py. */
static int
opens_line(const Text *text, const Number *number)
{
    const Py_ssize_t end = number->core_end;
    if (!is_one_of(at(text, end), ".)]:") || end - number->start > 3 || is_digit(at(text, end + 1))) {
        return 0;
    }
    for (Py_ssize_t place = number->start - 1; place >= 0; place--) {
        const int c = at(text, place);
        if (place < number->start - 12) {
            return 0;
        }
        if (c == '\n') {
            return 1;
        }
        if (!is_one_of(c, " \t>*#_-([")) {
            return 0;
        }
    }
    return 1;
}

/* Whether what stands before may be a word that counts parts (`step 2`), by its last two letters. */
static int
may_count_a_part(const Text *text, Py_ssize_t start)
{
    static const char endings[][2] = {
        {'e', 'p'}, {'o', 'n'}, {'r', 't'}, {'s', 'e'}, {'i', 'p'}, {'n', 't'}, {'l', 'e'}, {'r', 'e'},
    };
    Py_ssize_t last = start - 1 - (at(text, start - 1) == '#');
    if (at(text, last--) != ' ') {
        return 0;
    }
    last -= at(text, last) == 's';
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (at(text, last) == endings[i][1] && at(text, last - 1) == endings[i][0]) {
            return 1;
        }
    }
    return 0;
}

/* Whether a word of the text, in lower case, is in a set; -1 with an error. */
static int
is_telling(const Text *text, Py_ssize_t start, Py_ssize_t end, PyObject *telling)
{
    char lowered[LONGEST_TELLING];
    if (end - start > LONGEST_TELLING) {
        return 0;
    }
    for (Py_ssize_t i = start; i < end; i++) {
        lowered[i - start] = (char)(text->text[i] | 0x20);
    }
    PyObject *word = PyBytes_FromStringAndSize(lowered, end - start);
    const int found = word == NULL ? -1 : PySet_Contains(telling, word);
    Py_XDECREF(word);
    return found;
}

/* Whether cents may follow a sum of money that ends here. */
static int
may_have_cents(const Text *text, Py_ssize_t place)
{
    const Py_ssize_t end = text->length - place > LONGEST_SUM ? place + LONGEST_SUM : text->length;
    for (; place + 4 <= end; place++) {
        const unsigned char *at = text->text + place;
        if ((at[1] | 0x20) == 'e' && (at[2] | 0x20) == 'n'
            && (((at[0] | 0x20) == 'c' && (at[3] | 0x20) == 't')
                || ((at[0] | 0x20) == 'p' && (at[3] | 0x20) == 'c'))) {
            return 1;
        }
    }
    return 0;
}

/* `_is_unit` of numerals.py. */
static int
is_unit(const Text *text, Py_ssize_t start, Py_ssize_t end)
{
    if (end - start <= 3 || end - start > 8) {
        return end - start <= 3;
    }
    while (start < end && (text->text[start] & 0x20)) {
        start++;
    }
    return start == end;
}

static int
is_among(double value, PyObject *sets)
{
    PyObject *number = PyFloat_FromDouble(value);
    int found = number == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; !found && i < PyTuple_GET_SIZE(sets); i++) {
        found = PySet_Contains(PyTuple_GET_ITEM(sets, i), number);
    }
    Py_XDECREF(number);
    return found;
}

/* The value of a whole number; UINT64_MAX where it may be no exact double. */
static uint64_t
value_of(const Text *text, const Number *number)
{
    uint64_t value = 0;
    if (!number->is_digits || number->core_end - number->start > EXACT_DIGITS) {
        return UINT64_MAX;
    }
    for (Py_ssize_t i = number->start; i < number->core_end; i++) {
        value = 10 * value + (uint64_t)(text->text[i] - '0');
    }
    return value;
}

/* Whether a whole number, or where `is_percent` its hundredth, is in one of the sets. */
static int
settle(const Text *text, const Number *number, int is_percent, PyObject *sets)
{
    const uint64_t value = value_of(text, number);
    if (value == UINT64_MAX) {
        return UNREAD;
    }
    const int whole = is_among((double)value, sets);
    const int found = whole == 0 && is_percent ? is_among((double)value / 100.0, sets) : whole;
    /* A percentage may be read as more. */
    return found < 0 ? FAILED : found ? SETTLED : is_percent ? UNREAD : ABSENT;
}

/* What `_written` of numerals.py would find, as far as it is plain. */
static int
look_at(const Text *text, const Number *number, int has_minus_words, PyObject *telling, PyObject *money,
        PyObject *sets)
{
    const int before = at(text, number->start - 1), after = at(text, number->core_end);
    if (is_digit(before) || is_letter(before) || before == '_') {
        return NONE;
    }
    const int after_next = at(text, number->core_end + 1);
    const int is_word = is_letter(at(text, number->next));
    int is_percent = at(text, number->next) == '%';
    if (!number->is_digits || number->has_code || is_one_of(before, "-+'$") || (before == ' ' && has_minus_words)
        || is_one_of(after, "^*") || (after == ' ' && (is_digit(after_next) || is_one_of(after_next, "x*")))) {
        return UNREAD;
    }
    if (is_word) {
        if (starts_with(text, number->next, "per ") || starts_with(text, number->next, "por ")
            || starts_with(text, number->next, "pour ")) {
            return UNREAD;
        }
        if (number->next_end - number->next == 7 && starts_with(text, number->next, "percent")) {
            is_percent = 1;
        } else {
            int found = is_telling(text, number->next, number->next_end, telling);
            if (found > 0 && !may_have_cents(text, number->next_end)) {
                const int is_money = is_telling(text, number->next, number->next_end, money);
                found = is_money < 0 ? is_money : !is_money;
            }
            if (found != 0) {
                return found < 0 ? FAILED : UNREAD;
            }
        }
    }
    if (opens_line(text, number)) {
        return NONE;
    }
    if (may_count_a_part(text, number->start)) {
        return UNREAD;
    }
    if (is_word && !is_percent && number->next == number->core_end
        && !is_unit(text, number->next, number->next_end)) {
        return NONE;
    }
    return settle(text, number, is_percent, sets);
}

/* The next number of those that run 1, 2, … through the text: `running_numbers` of numbering.py. */
static int
is_next_running(const Text *text, const Number *number, uint64_t expected)
{
    const int before = at(text, number->start - 1), after = at(text, number->core_end);
    return (after == ')' || after == '.') && is_space(at(text, number->core_end + 1))
           && (before < 0 || is_space(before) || before == '(') && at(text, number->start) != '0'
           && value_of(text, number) == expected;
}

/* The first digit from here on; the text's length where there is none. */
static Py_ssize_t
next_digit(const Text *text, Py_ssize_t place)
{
    for (; place + 8 <= text->length; place += 8) {
        uint64_t eight;
        memcpy(&eight, text->text + place, 8);
        eight ^= 0x3030303030303030u;
        if ((eight - 0x0a0a0a0a0a0a0a0au) & ~eight & 0x8080808080808080u) {
            break;
        }
    }
    while (place < text->length && !is_digit(text->text[place])) {
        place++;
    }
    return place;
}

static int
append(PyObject *list, Py_ssize_t place)
{
    PyObject *number = PyLong_FromSsize_t(place);
    const int outcome = number == NULL ? -1 : PyList_Append(list, number);
    Py_XDECREF(number);
    return outcome;
}

/* Add the starts of the settled numbers and of the others to the lists, and where the digits of those end that
 * need not be read, 0 for those that do. */
static int
sort_out(const Text *text, int has_minus_words, PyObject *telling, PyObject *money, PyObject *sets,
         PyObject *settled, PyObject *others, PyObject *ends)
{
    uint64_t running = 0;
    for (Py_ssize_t place = next_digit(text, 0); place < text->length; place = next_digit(text, place)) {
        const Number number = number_at(text, place);
        place = number.end;
        running += (uint64_t)is_next_running(text, &number, running + 1);
    }
    /* One alone runs nowhere. */
    uint64_t next = running > 1 ? 1 : UINT64_MAX;
    for (Py_ssize_t place = next_digit(text, 0); place < text->length; place = next_digit(text, place)) {
        const Number number = number_at(text, place);
        place = number.end;
        if (next != UINT64_MAX && is_next_running(text, &number, next)) {
            next++;
            continue;
        }
        const int found = look_at(text, &number, has_minus_words, telling, money, sets);
        if (found == FAILED || (found == SETTLED && append(settled, number.start) < 0)
            || ((found == UNREAD || found == ABSENT)
                && (append(others, number.start) < 0
                    || append(ends, found == ABSENT ? number.core_end : 0) < 0))) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
plain_numbers(PyObject *Py_UNUSED(module), PyObject *args)
{
    PyObject *answer, *telling, *money, *evidence;
    int has_minus_words;
    if (!PyArg_ParseTuple(args, "UpO!O!O", &answer, &has_minus_words, &PyFrozenSet_Type, &telling,
                          &PyFrozenSet_Type, &money, &evidence)) {
        return NULL;
    }
    if (!PyUnicode_IS_ASCII(answer)) {
        PyErr_SetString(PyExc_ValueError, "a string of ASCII letters wanted");
        return NULL;
    }
    PyObject *sets = PySequence_Tuple(evidence);
    for (Py_ssize_t i = 0; sets != NULL && i < PyTuple_GET_SIZE(sets); i++) {
        if (!PyFrozenSet_CheckExact(PyTuple_GET_ITEM(sets, i))) {
            PyErr_SetString(PyExc_TypeError, "frozen sets wanted");
            Py_CLEAR(sets);
        }
    }
    const Text text = {PyUnicode_1BYTE_DATA(answer), PyUnicode_GET_LENGTH(answer)};
    PyObject *settled = PyList_New(0), *others = PyList_New(0), *ends = PyList_New(0), *result = NULL;
    if (sets != NULL && settled != NULL && others != NULL && ends != NULL
        && sort_out(&text, has_minus_words, telling, money, sets, settled, others, ends) == 0) {
        result = PyTuple_Pack(3, settled, others, ends);
    }
    Py_XDECREF(sets);
    Py_XDECREF(settled);
    Py_XDECREF(others);
    Py_XDECREF(ends);
    return result;
}

static PyMethodDef functions[] = {
    {"plain_numbers", plain_numbers, METH_VARARGS, "Sort out the plain numbers of an ASCII answer."},
    {NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "sentinel.indicators._native_numbers",
    .m_doc = "The plain numbers of an ASCII answer, in C.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__native_numbers(void)
{
    return PyModule_Create(&module);
}
