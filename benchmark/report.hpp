// The output: tables and files.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmark/measure.hpp"

/// The header: the machine, its peaks, and warnings.
void print_head();
/// What is skipped and why, then a table for each shape and number of threads, 100 columns.
void print_table(const std::vector<Case>& cases);

/// Each writes a file, and returns whether that worked; if not, it says why.
/// @{
bool write_csv(const std::vector<Case>& cases, const std::string& path);
bool write_roofline(const std::vector<Case>& cases, const std::string& path);
/// @}

/// What limits something that reads memory and multiplies: shares of its time that each would take at the measured
/// peak; 0: unknown.
struct Limit {
    double memory, multiply;
    double reading;         ///< Bytes per second.
    double peak;            ///< Operations per second.
    const char* peak_name;  ///< "SDOT (dotprod)"
    size_t threads;
};
/// "memory", "multiply", "cache", "neither" or "": nothing was measured to compare with.
const char* limit_of(const Limit& limit);
/// "memory: 83% of 9.20 GB/s", "multiplying: 61% of 58.4 GOP/s, SDOT (dotprod)"
std::string limit_text(const Limit& limit);

/// Texts of figures: "12.3 us"; three digits, "-" for 0; "-" or "83%".
/// @{
std::string time_text(double seconds);
std::string number_text(double x);
std::string percent_text(double part, double whole);
/// @}

/// Number of a case in the table and in the plot, from 1; 0 if it was not measured.
size_t number_of(const std::vector<Case>& cases, const Case& c);
