/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed.S - the files of the page, as strings: see report/html/page.h
 */
	.macro embed name, file
	.globl \name
	.type \name, %object
\name:
	.incbin "\file"
	.byte 0
	.size \name, . - \name
	.endm

	.section .rodata, "a", %progbits
	embed page_html, "page.html"
	embed page_css, "page.css"
	embed page_js, "page.js"

	.section .note.GNU-stack, "", %progbits
