/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.S - the files of the page, as strings: see report/html/page.h
 */
	.macro embed name, files:vararg
	.globl \name
	.type \name, %object
\name:
	.irp file, \files
	.incbin "\file"
	.endr
	.byte 0
	.size \name, . - \name
	.endm

	.section .rodata, "a", %progbits
	embed page_html, "page.html"
	embed page_css, "page.css"
	embed page_js, "data.js", "table.js", "overview.js", "functions.js", "source.js", "blocks.js", "function.js", "file.js", "coverage.js", "compare.js", "tools.js", "page.js"

	.section .note.GNU-stack, "", %progbits
