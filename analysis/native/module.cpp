// The module poolscope.native.extension. Its Python signatures: poolscope/native/extension.pyi.
#include "binding.hpp"
#include "cells.hpp"
#include "limits.hpp"
#include "programs.hpp"
#include "replay/bound.hpp"
#include "searches.hpp"
#include "states.hpp"

using namespace poolscope;

static PyMethodDef functions[] = {
    function<&ranks<double>>("float_ranks"),
    function<&ranks<int64_t>>("integer_ranks"),
    function<&values>("values"),
    function<&area_marks>("area_marks"),
    function<&areas>("areas"),
    function<&latest>("latest"),
    function<&latest_of>("latest_of"),
    function<&cut>("cut"),
    function<&told>("told"),
    function<&counted>("counted"),
    function<&combined>("combined"),
    function<&programs>("programs"),
    function<&time_in_cells>("time_in_cells"),
    function<&most_in_cells>("most_in_cells"),
    function<&states_in_bins>("states_in_bins"),
    function<&integral_in_state>("integral_in_state"),
    function<&joined_states>("joined_states"),
    function<&time_in_bins>("time_in_bins"),
    function<&time_by_limit>("time_by_limit"),
    {"replay", replay, METH_O, nullptr},
    {"climb", climb, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef_Slot slots[] = {{0, nullptr}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "extension", "The replay's loop and the searches.", 0, functions, slots, nullptr, nullptr, nullptr,
};

PyMODINIT_FUNC PyInit_extension() { return PyModuleDef_Init(&definition); }
