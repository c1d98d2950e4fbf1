// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func check(t *testing.T, got int, want int) {
	if got != want {
		t.Errorf("%d, not %d", got, want)
	}
}

func TestSmall(t *testing.T) { check(t, sum(5), 5) }
func TestLarge(t *testing.T) { check(t, sum(4000), 4000) }
