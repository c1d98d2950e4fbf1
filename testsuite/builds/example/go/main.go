// SPDX-License-Identifier: Apache-2.0

// prog N: N added up one by one, in C.
package main

// int add(int a, int b);
import "C"

import (
	"fmt"
	"os"
	"strconv"
)

func sum(n int) int {
	s := C.int(0)
	for i := 0; i < n; i++ {
		s = C.add(s, 1)
	}
	return int(s)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	fmt.Println(sum(n))
}
