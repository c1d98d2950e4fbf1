#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
test "$(${PROG:-./prog} 5)" = 5
