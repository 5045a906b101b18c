// SPDX-License-Identifier: MIT
#include "commands/board_report.hpp"

#include <cstdint>
#include <iomanip>
#include <sstream>
#include <vector>

#include "commands/board_table.hpp"

namespace heed::tools {

namespace {

/// What a board gives a model, and what the model takes of it; a board without flash for models keeps them in its RAM.
struct Fit {
  const char* board;
  std::uint64_t flash;
  std::uint64_t flash_taken;
  std::uint64_t ram;
  std::uint64_t ram_taken;

  [[nodiscard]] bool holds() const { return flash_taken <= flash && ram_taken <= ram; }
};

std::vector<Fit> fits(const PlanTotals& totals) {
  std::vector<Fit> all;
  for (const Board& board : boards) {
    const std::uint64_t work = std::uint64_t{totals.state} + totals.scratch;
    const bool in_flash = board.models != 0;
    all.push_back({board.name, board.models, in_flash ? totals.weights : 0, board.ram - board.stack,
                   in_flash ? work : work + totals.weights});
  }
  return all;
}

}  // namespace

std::string boards_text(const PlanTotals& totals) {
  std::ostringstream out;
  const auto share = [&](std::uint64_t taken, std::uint64_t given) {
    out << std::right << std::setw(10) << taken << " of " << std::left << std::setw(9) << given;
  };
  out << std::left << std::setw(12) << "board" << std::right << std::setw(10) << "flash" << std::setw(13) << ""
      << std::setw(10) << "RAM" << '\n';
  for (const Fit& fit : fits(totals)) {
    out << std::left << std::setw(12) << fit.board;
    share(fit.flash_taken, fit.flash);
    share(fit.ram_taken, fit.ram);
    out << (fit.holds() ? "fits\n" : "does not fit\n");
  }
  out << "without code and the program's own data; the board's stack is not in its RAM\n";
  return out.str();
}

nlohmann::ordered_json boards_json(const PlanTotals& totals) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Fit& fit : fits(totals)) {
    list.push_back({{"board", fit.board},
                    {"flash", fit.flash},
                    {"flash_taken", fit.flash_taken},
                    {"RAM", fit.ram},
                    {"RAM_taken", fit.ram_taken},
                    {"fits", fit.holds()}});
  }
  return list;
}

}  // namespace heed::tools
