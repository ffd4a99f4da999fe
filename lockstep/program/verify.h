// The compile-time checker of bundles and of rank programs.
#pragma once

#include <vector>

#include "lockstep/program/bundle.h"

namespace lockstep {

/// Throws a user error naming program, step and layer when
///  - a step reads a value nobody wrote before it, or a stream before its feed in the same iteration;
///  - an operand is indexed by a loop that does not enclose it, or its modulus is not the number of slots;
///  - types of reads and writes are not what the op, copy, fetch or collective gives;
///  - a step writes a table or stream, or anything but fetch writes an output, or an output is read;
///  - a step writes two results into one place, or over an operand that it still reads;
///  - a start is never waited for, is waited for twice or across the end of a repeat, or what it moves is
///  touched in
///    between;
///  - all values together are 2^62 bytes or more.
void verify(const Bundle& bundle);

/// `programs[r]` is what rank r runs. Throws when the ranks of a group do not issue the same collectives in
/// the same order with the same types, or when blocking sends and receives do not all meet (so nothing can
/// deadlock).
void verify_ranks(const std::vector<const Program*>& programs, const Bundle& bundle);

}  // namespace lockstep
