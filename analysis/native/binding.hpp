// Calls C++ from Python, in the stable ABI of Python 3.11: one file serves that version and all later ones.
//
// A function's own signature defines its arguments: `function<&areas>("areas")` makes an entry of the module's table. A
// number or an array of another type, or an array that is not contiguous, raises TypeError before the call. The
// function runs without the interpreter's lock.
#pragma once

#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <cstring>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "span.hpp"

namespace poolscope {

// Thrown after a Python exception has been set.
struct RaisedInPython {};

// The name of a number's type, and the buffer formats (of the struct module) that match it.
template <class T>
struct Format;
template <>
struct Format<double> {
    static constexpr const char *name = "float64", *formats = "d";
};
template <>
struct Format<int64_t> {
    static constexpr const char *name = "int64", *formats = "lq";
};
template <>
struct Format<std::int32_t> {
    static constexpr const char *name = "int32", *formats = "il";
};
template <>
struct Format<std::int8_t> {
    static constexpr const char *name = "int8", *formats = "b";
};
template <>
struct Format<bool> {
    static constexpr const char *name = "bool", *formats = "?";
};

// An object from Python and its name in an error: that of an attribute, or the number of an argument.
struct Source {
    PyObject* object;
    const char* name;
    int number;
};

// A contiguous NumPy array. `T` is const if the array is only read. None, for an array that is only written, is an
// empty one.
template <class T>
class Buffer {
public:
    explicit Buffer(const Source& given) {
        using Element = std::remove_const_t<T>;
        constexpr int written = std::is_const_v<T> ? 0 : PyBUF_WRITABLE;
        if (!written || given.object != Py_None) {
            if (PyObject_GetBuffer(given.object, &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | written) != 0) {
                PyErr_Clear();
                refuse(given);
            }
            held_ = true;
            const char* format = view_.format ? view_.format : "B";
            if (!std::strchr(Format<Element>::formats, format[0]) || format[1] || view_.itemsize != sizeof(Element)) {
                PyBuffer_Release(&view_);
                refuse(given);
            }
        }
    }
    ~Buffer() {
        if (held_) PyBuffer_Release(&view_);
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Span<T> span() const {
        if (!held_) return {};
        return {static_cast<T*>(view_.buf), static_cast<int64_t>(view_.len / sizeof(T))};
    }

private:
    [[noreturn]] static void refuse(const Source& given) {
        const char* writable = std::is_const_v<T> ? "" : ", writable";
        const char* kind = Format<std::remove_const_t<T>>::name;
        if (given.name)
            PyErr_Format(PyExc_TypeError, "%s: a contiguous%s array of %s is needed", given.name, writable, kind);
        else
            PyErr_Format(PyExc_TypeError, "argument %d: a contiguous%s array of %s is needed", given.number, writable, kind);
        throw RaisedInPython();
    }

    Py_buffer view_{};
    bool held_ = false;
};

inline int64_t whole(PyObject* object) {
    int64_t number = PyLong_AsLongLong(object);
    if (number == -1 && PyErr_Occurred()) throw RaisedInPython();
    return number;
}

inline double number(PyObject* object) {
    double number = PyFloat_AsDouble(object);
    if (number == -1.0 && PyErr_Occurred()) throw RaisedInPython();
    return number;
}

inline bool flag(PyObject* object) {
    int truth = PyObject_IsTrue(object);
    if (truth < 0) throw RaisedInPython();
    return truth != 0;
}

// An argument for the duration of its function's call.
template <class T>
struct Argument;
template <class T>
struct Argument<Span<T>> : Buffer<T> {
    explicit Argument(const Source& given) : Buffer<T>(given) {}
    Span<T> value() const { return this->span(); }
};
template <>
struct Argument<int64_t> {
    explicit Argument(const Source& given) : number(whole(given.object)) {}
    int64_t value() const { return number; }
    int64_t number;
};
template <>
struct Argument<bool> {
    explicit Argument(const Source& given) : truth(flag(given.object)) {}
    bool value() const { return truth; }
    bool truth;
};

class WithoutLock {
public:
    WithoutLock() : state_(PyEval_SaveThread()) {}
    ~WithoutLock() { PyEval_RestoreThread(state_); }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;

private:
    PyThreadState* state_;
};

// Calls `work`, and converts its C++ exceptions to Python exceptions.
template <class Work>
PyObject* raising(Work work) {
    try {
        return work();
    } catch (const RaisedInPython&) {
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    }
    return nullptr;
}

template <auto called>
struct Function;

template <class Result, class... Types, Result (*called)(Types...)>
struct Function<called> {
    static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count) {
        if (count != sizeof...(Types)) {
            PyErr_Format(PyExc_TypeError, "%d arguments are needed, not %zd", int(sizeof...(Types)), count);
            return nullptr;
        }
        return raising([&] { return with(given, std::index_sequence_for<Types...>()); });
    }

private:
    template <std::size_t... at>
    static PyObject* with(PyObject* const* given, std::index_sequence<at...>) {
        std::tuple<Argument<Types>...> arguments(Source{given[at], nullptr, int(at) + 1}...);
        if constexpr (std::is_void_v<Result>) {
            {
                WithoutLock unlocked;
                called(std::get<at>(arguments).value()...);
            }
            return Py_NewRef(Py_None);
        } else {
            Result result;
            {
                WithoutLock unlocked;
                result = called(std::get<at>(arguments).value()...);
            }
            if constexpr (std::is_same_v<Result, bool>) return PyBool_FromLong(result);
            else return PyLong_FromLongLong(result);
        }
    }
};

template <auto called>
PyMethodDef function(const char* name) {
    auto* call = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&Function<called>::call));
    return {name, call, METH_FASTCALL, nullptr};
}

}  // namespace poolscope
