// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "emu/image/fatbin.hpp"
#include "tileloom/emu/image.hpp"
#include "tileloom/error.hpp"

namespace tileloom::emu {
namespace {

constexpr std::size_t largest_image = std::size_t{256} << 20;

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorKind::bad_input, message, hint);
}

// PTX begins with comments and `.version`; nothing else that is read here does.
[[nodiscard]] bool is_ptx_text(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 65536));
  return text.find('\0') == std::string_view::npos && text.find(".version") != std::string_view::npos;
}

// `.target sm_90a, debug`: 90.
[[nodiscard]] hw::Arch target_of(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(".target");
  const std::size_t begin = at == std::string_view::npos ? at : text.find("sm_", at);
  if (begin == std::string_view::npos)
    refuse(fmt::format("{}: no .target", name), "PTX names its target: .target sm_80");
  return hw::parse_arch(text.substr(begin, text.find_first_not_of("0123456789", begin + 3) - begin));
}

void add_once(std::vector<hw::Arch>& archs, hw::Arch arch) {
  if (std::find(archs.begin(), archs.end(), arch) == archs.end()) archs.push_back(arch);
}

[[nodiscard]] std::string text_of(const FatbinEntry& entry, std::string_view name) {
  if (entry.size > largest_image) {
    refuse(fmt::format("{}: an image of {} bytes, expected at most {}", name, entry.size, largest_image),
           "is the file damaged?");
  }
  auto text = decompress(entry.compression, entry.payload, entry.size);
  if (!text) refuse(fmt::format("{}: damaged fatbin: an image cannot be decompressed", name), "build the file again");
  text->resize(std::min(text->find('\0'), text->size()));  // padding
  return std::move(*text);
}

[[nodiscard]] std::string joined(const std::vector<hw::Arch>& archs) {
  std::string text;
  for (const hw::Arch arch : archs) text += (text.empty() ? "" : ", ") + hw::to_string(arch);
  return text;
}

}  // namespace

ImageFile read_images(std::span<const std::byte> file, std::string_view name) {
  ImageFile found;
  if (is_ptx_text(file)) {
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    found.ptx.push_back({std::string(name), 0, target_of(text, name), std::string(text)});
    return found;
  }
  int unit = 0;
  for (auto at = find_fatbin(file, 0); at; ++unit) {
    const Fatbin fatbin = parse_fatbin(file.subspan(*at), name);
    for (const FatbinEntry& entry : fatbin.entries) {
      if (entry.kind == EntryKind::machine_code) add_once(found.machine_code, {entry.arch});
      if (entry.kind != EntryKind::ptx) continue;
      std::string image = fmt::format("{}:sm_{}:{}", name, entry.arch, unit);
      std::string text = text_of(entry, image);
      found.ptx.push_back({std::move(image), unit, {entry.arch}, std::move(text)});
    }
    at = find_fatbin(file, *at + fatbin.bytes);
  }
  if (found.ptx.empty() && found.machine_code.empty()) {
    refuse(fmt::format("{}: neither PTX nor a file with device code", name),
           "expected PTX text, a fatbin, or an object, library or executable of nvcc's");
  }
  return found;
}

std::vector<PtxImage> images_for(const ImageFile& file, hw::Arch arch, std::string_view name) {
  std::vector<PtxImage> chosen;
  std::vector<hw::Arch> all;
  for (const PtxImage& image : file.ptx) {
    add_once(all, image.arch);
    if (image.arch > arch) continue;
    const auto same =
        std::find_if(chosen.begin(), chosen.end(), [&](const PtxImage& other) { return other.unit == image.unit; });
    if (same == chosen.end()) {
      chosen.push_back(image);
    } else if (same->arch < image.arch) {
      *same = image;
    }
  }
  if (!chosen.empty()) return chosen;
  if (all.empty()) {
    throw Error(ErrorKind::cannot_run,
                fmt::format("{}: machine code for {} only, expected PTX", name, joined(file.machine_code)),
                "add PTX: nvcc -gencode arch=compute_80,code=compute_80");
  }
  throw Error(ErrorKind::cannot_run,
              fmt::format("{}: PTX for {}, which {} cannot run", name, joined(all), hw::to_string(arch)),
              "choose a newer architecture, or compile for an older one");
}

}  // namespace tileloom::emu
