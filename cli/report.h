// What the command says about errors and in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdio>

#include "lockstep/base/error.h"

namespace lockstep::cli {

/// One object, indented, on stdout; bytes that are not UTF-8 are replaced.
void print_json(const nlohmann::ordered_json& value);

/// The message on stderr; with `json` also {"error": {...}} on stdout. Returns the exit code.
int report_error(const Error& error, bool json);

/// Whether this stream is a terminal, and whether colours are welcome there (NO_COLOR, TERM=dumb).
bool is_terminal(std::FILE* stream);
bool takes_colour(std::FILE* stream);
/// Of the terminal; 80 when it does not say.
size_t columns_of(std::FILE* stream);

}  // namespace lockstep::cli
