// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/emulate_launch.hpp"
#include "cli/emulate_output.hpp"
#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "tileloom/error.hpp"

namespace tileloom::cli {
namespace {

EmulateOutcome run_with_progress(Launch& launch, EmulateRequest& request) {
  Progress progress("emulating");
  request.options.progress = [&](const emu::Progress& now) {
    progress.update(now.ctas_done, now.ctas);
    return true;
  };
  return launch.run(request);
}

std::string not_written(const EmulateRequest& request) {
  std::string paths;
  for (const SaveRequest& save : request.saves) {
    paths += (paths.empty() ? "" : ", ") + save.path;
  }
  return paths.empty() ? "" : paths + (request.saves.size() == 1 ? " was" : " were") + " not written";
}

void print(const EmulateRequest& request, const std::vector<std::string>& argv, const EmulateOutcome& outcome) {
  if (request.json) {
    Json json = json_report("tileloom.emulate/1", argv);
    json.update(emulate_json(request, outcome));
    print_json(json);
    return;
  }
  for (const std::string& note : emulate_notes(request, outcome)) {
    say("note: " + note + "\n");
  }
  emulate_text(std::cout, request, outcome);
  std::cout.flush();
}

}  // namespace

int run_emulate(EmulateRequest& request, const std::vector<std::string>& argv) {
  const std::vector<emu::Module> modules = load_modules(request.path, request.options.arch);
  const Entry entry = find_entry(modules, request.path, request.entry);
  Launch launch(entry, request);
  std::vector<npy::Writer> writers;  // opened before the work: a path that cannot be written is known at once
  for (const SaveRequest& save : request.saves) {
    writers.emplace_back(save.path);
  }
  if (!request.json) {
    emulate_headline(std::cout, request, demangled(entry.kernel->name));
    std::cout.flush();
  }
  const EmulateOutcome outcome = run_with_progress(launch, request);
  const bool good = outcome.good();
  for (std::size_t i = 0; good && i < writers.size(); ++i) {
    const auto& buffer = std::get<BufferArgument>(request.arguments[request.saves[i].argument].what);
    writers[i].write(buffer.type->stored, buffer.shape, buffer.bytes);
  }
  print(request, argv, outcome);
  if (!good) {
    throw Error(ErrorKind::check_failed, what_failed(request, outcome), not_written(request));
  }
  return 0;
}

}  // namespace tileloom::cli
