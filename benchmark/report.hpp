// What is printed and written.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmark/measure.hpp"

/// Head: the machine, its peaks, and what to be careful about.
void print_head();
/// What is skipped and why, then a table for each shape and number of threads, 100 columns.
void print_table(const std::vector<Case>& cases);

/// Each writes a file, and returns whether that worked; if not, it says why.
/// @{
bool write_csv(const std::vector<Case>& cases, const std::string& path);
bool write_roofline(const std::vector<Case>& cases, const std::string& path);
/// @}

/// Position of a case in the table and in the plot: from 1; 0: it was not measured.
size_t number_of(const std::vector<Case>& cases, const Case& c);
