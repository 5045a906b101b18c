// SPDX-License-Identifier: MIT
#include "formats/output_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

/// What is the same for every name of a file.
using Identity = std::pair<dev_t, ino_t>;

struct Input {
  std::string file;
  Identity identity;
  off_t bytes;
  timespec written;

  [[nodiscard]] bool is_as_before(const struct stat& status) const {
    return status.st_size == bytes && status.st_mtim.tv_sec == written.tv_sec &&
           status.st_mtim.tv_nsec == written.tv_nsec;
  }
};

struct Output {
  std::filesystem::path file;
  std::string option;
};

/// Of this process, which runs one command.
struct KnownFiles {
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

KnownFiles& known_files() {
  static KnownFiles files;
  return files;
}

/// Whether there is such a file: a device may be an input and an output.
bool identify(const std::filesystem::path& file, Identity& identity) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  identity = {status.st_dev, status.st_ino};
  return true;
}

/// Behind its symbolic links, also where the last one leads to no file yet.
std::filesystem::path behind_links(std::filesystem::path file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    while (std::filesystem::is_symlink(file, error)) {
      file = file.parent_path() / std::filesystem::read_symlink(file, error);
    }
  }
  const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(file), error);
  return error ? file : whole;
}

struct Extension {
  std::string_view text;
  OutputKind kind;
};

/// Those that promise a reader what is in a file; `any` is what this command never writes.
constexpr Extension extensions[] = {
    {".npy", OutputKind::array},   {".safetensors", OutputKind::tensors},
    {".json", OutputKind::json},   {".svg", OutputKind::picture},
    {".h", OutputKind::header},    {".hpp", OutputKind::header},
    {".hh", OutputKind::header},   {".hxx", OutputKind::header},
    {".c", OutputKind::source},    {".cc", OutputKind::source},
    {".cpp", OutputKind::source},  {".cxx", OutputKind::source},
    {".s", OutputKind::assembler}, {".heed", OutputKind::packed},
    {".tok", OutputKind::packed},  {".gguf", OutputKind::any},
    {".npz", OutputKind::any},     {".onnx", OutputKind::any},
    {".pt", OutputKind::any},      {".pth", OutputKind::any},
    {".tflite", OutputKind::any},  {".png", OutputKind::any},
    {".jpg", OutputKind::any},     {".jpeg", OutputKind::any},
    {".gif", OutputKind::any},     {".webp", OutputKind::any},
    {".pdf", OutputKind::any},     {".html", OutputKind::any},
    {".zip", OutputKind::any},     {".csv", OutputKind::any},
};

void require_writable(const OutputPlace& place, const std::filesystem::file_status& status) {
  const std::filesystem::path folder = place.file.parent_path() / ".";
  if (std::filesystem::is_directory(status)) throw Failure(place.refusal + ": it is a folder");
  const int refused = place.in_place ? ::access(place.file.c_str(), W_OK) : ::access(folder.c_str(), W_OK | X_OK);
  if (refused != 0) throw Failure(place.refusal + ": " + system_reason());
}

void require_no_other(const OutputPlace& place, const std::string& option) {
  KnownFiles& known = known_files();
  Identity identity;
  const bool exists = identify(place.file, identity);
  for (const Input& input : known.inputs) {
    if (exists && input.identity == identity) throw Failure(place.refusal + ": it is the input " + input.file);
  }
  for (const Output& other : known.outputs) {
    if (other.file == place.file && other.option != option) {
      throw Failure(place.refusal + ": it is the file of another output");
    }
  }
  known.outputs.push_back({place.file, option});
}

}  // namespace

OutputPlace expect_output(const std::filesystem::path& file, const std::string& option) {
  OutputPlace place{file, option + ": cannot write " + file.string(), false};
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::none) throw Failure(place.refusal + ": " + error.message());
  place.file = behind_links(file);
  // A device or a pipe is written to; a file renamed onto it would take its place.
  place.in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  require_writable(place, status);
  if (!place.in_place) require_no_other(place, option);
  return place;
}

void require_kind(const std::filesystem::path& file, const std::string& option, OutputKind kind) {
  if (kind == OutputKind::any) return;
  std::string said = file.extension().string();
  std::transform(said.begin(), said.end(), said.begin(), [](unsigned char byte) { return std::tolower(byte); });
  const auto is_said = [&](const Extension& one) { return one.text == said; };
  const auto* const found = std::find_if(std::begin(extensions), std::end(extensions), is_said);
  if (found == std::end(extensions) || found->kind == kind) return;
  std::string usual;
  for (const Extension& one : extensions) {
    if (one.kind == kind) usual += (usual.empty() ? "" : ", ") + std::string(one.text);
  }
  throw Failure(option + ": cannot write " + file.string() + ": what is written is no " + said + "; its names end in " +
                usual + ", or in what says nothing");
}

void expect_input(const std::filesystem::path& file, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return;
  const Identity identity{status.st_dev, status.st_ino};
  for (const Output& output : known_files().outputs) {
    Identity place;
    if (identify(output.file, place) && place == identity) {
      throw FileFailure(file.string() + ": " + output.option + " would replace it");
    }
  }
  known_files().inputs.push_back({file.string(), identity, status.st_size, status.st_mtim});
}

void require_unchanged_inputs() {
  for (const Input& input : known_files().inputs) {
    struct stat status {};
    // A new file of the same name is another one: what was opened is still what it was.
    if (::stat(input.file.c_str(), &status) != 0 || Identity{status.st_dev, status.st_ino} != input.identity) continue;
    if (!input.is_as_before(status)) throw FileFailure(input.file + ": it was changed while it was read");
  }
}

std::string system_reason() {
  return errno == 0 ? "unknown error" : std::strerror(errno);
}

}  // namespace heed::tools
