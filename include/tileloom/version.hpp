// SPDX-License-Identifier: Apache-2.0
// Version of Tileloom. The build reads it from here; nothing else states it.
#pragma once

#define TILELOOM_VERSION_MAJOR 0
#define TILELOOM_VERSION_MINOR 1
#define TILELOOM_VERSION_PATCH 0
#define TILELOOM_VERSION "0.1.0"
