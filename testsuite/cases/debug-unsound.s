# Debug information that nobody can make sense of costs itself, not the instrumentation; and
# what refers to it from elsewhere says nothing then.
//# stdout: 7
//# ldflags: -no-pie
//# dropped: .debug_aranges .debug_info .debug_line .debug_rnglists .debug_abbrev .debug_frame

	.text
	.globl	main
	.type	main, @function
main:	subq	$8, %rsp
	movl	$7, %esi
	testl	%edi, %edi
	jle	1f
	movl	$fmt, %edi
	xorl	%eax, %eax
	call	printf
1:	xorl	%eax, %eax
	addq	$8, %rsp
	ret
	.size	main, .-main
	.section .rodata
fmt:	.string	"%d\n"

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11, 0x55, 0x17, 0, 0	# compile_unit: ranges
	.section .debug_info, "", @progbits
	.long	.Linfo_end - .Linfo
.Linfo:	.value	5
	.byte	1, 8
	.long	.debug_abbrev
	.uleb128 1
	.long	.Llist
.Linfo_end:
	.section .debug_rnglists, "", @progbits
	.long	.Llists_end - .Llists
.Llists:
	.value	5
	.byte	8, 0
	.long	0
.Llist:	.byte	99			# no kind of entry
.Llists_end:
	.section .debug_line, "", @progbits
	.long	2
	.value	77			# no version
	.section .debug_aranges, "", @progbits
	.long	1000			# longer than the section
	.section .debug_frame, "", @progbits
	.long	4, -1
	.section .sources, "", @progbits
	.quad	.Linfo
	.section .note.GNU-stack, "", @progbits
