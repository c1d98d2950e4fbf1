/* SPDX-License-Identifier: Apache-2.0 */
/*
 * begins.S - nothing: all threads share the counters
 */
	.file	"begins.S"
	.section .note.GNU-stack, "", @progbits
