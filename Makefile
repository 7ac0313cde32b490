# SPDX-License-Identifier: Apache-2.0
# The two commands of the README, and the rest. `make help` lists them; VERBOSE=1 shows commands.
.DEFAULT_GOAL := help
.PHONY: help demo test test-long fuzz build bench format lint clean install

PRESET ?= release
BUILD := build/$(PRESET)
SETUP := scripts/setup.sh
FUZZERS := layout_parser_fuzzer layout_evaluation_fuzzer npy_fuzzer fatbin_fuzzer ptx_fuzzer ptx_program_fuzzer
ifdef VERBOSE
  NINJA_FLAGS := -v
else
  Q := @
  NINJA_FLAGS := $(shell test -t 1 || echo --quiet)
endif
# Files that clang-format and clang-tidy look at.
SOURCES = $(shell git ls-files '*.cpp' '*.hpp' '*.c' '*.h' '*.cuh')

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 18

demo:  ## Multiply a real matrix, verify it, and use it: the Gram matrix of 1797 handwritten digits
	$(Q)$(SETUP) build
	$(Q)scripts/build.sh $(PRESET) "$(NINJA_FLAGS)" tileloom digits_knn
	$(Q)scripts/demo.sh $(BUILD)

test:  ## Build everything and run the tests, sanitizers and half a minute of each fuzzer included (no GPU needed)
	$(Q)$(SETUP) test
	$(Q)scripts/build.sh $(PRESET) "$(NINJA_FLAGS)" all
	$(Q)ctest --preset $(PRESET)
	$(Q)scripts/build.sh asan "$(NINJA_FLAGS)" sanitized_tests
	$(Q)ctest --preset asan
	$(Q)$(MAKE) --no-print-directory fuzz

fuzz:  ## Fuzz the readers of .npy, fatbins, PTX and layouts for half a minute each (clang)
	$(Q)$(SETUP) fuzz
	$(Q)scripts/build.sh fuzz "$(NINJA_FLAGS)" $(FUZZERS)
	$(Q)ctest --preset fuzz

test-long:  ## Long fuzzing and large random suites
	$(Q)$(SETUP) test
	$(Q)scripts/build.sh release "$(NINJA_FLAGS)" all
	$(Q)ctest --preset long
	$(Q)$(SETUP) fuzz
	$(Q)scripts/build.sh fuzz "$(NINJA_FLAGS)" $(FUZZERS)
	$(Q)ctest --preset fuzz-long

build:  ## Build the program, the libraries and the examples
	$(Q)$(SETUP) build
	$(Q)scripts/build.sh $(PRESET) "$(NINJA_FLAGS)" tileloom digits_knn

bench:  ## Run the micro-benchmarks of the layout engine and the emulator
	$(Q)$(SETUP) test
	$(Q)scripts/build.sh release "$(NINJA_FLAGS)" all
	$(Q)for b in build/release/benchmarks/*_bench; do $$b; done

format:  ## Format all sources with clang-format 14
	$(Q)$(SETUP) lint
	$(Q)clang-format-14 -i $(SOURCES)

lint:  ## Check format, SPDX lines and clang-tidy; warnings are errors
	$(Q)$(SETUP) lint
	$(Q)scripts/lint.sh

clean:  ## Remove build folders and the program (keeps .deps)
	$(Q)rm -rf build bin out

install:  ## Install to PREFIX (default /usr/local)
	$(Q)$(SETUP) build
	$(Q)scripts/build.sh $(PRESET) "$(NINJA_FLAGS)" tileloom digits_knn
	$(Q)cmake --install $(BUILD) --prefix "$(or $(PREFIX),/usr/local)"
