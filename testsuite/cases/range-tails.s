# Ranges of a block that are the last ones of the block around it share their list, whose
# beginning has another base address: so does gcc 12 at -O3.
//# stdout: 8
//# ldflags: -no-pie

	.text
	.globl	main
	.type	main, @function
main:
.Lfrom:
	subq	$8, %rsp
	movl	$7, %esi
	testl	%edi, %edi
.Lone:	jle	.Lnone
	incl	%esi
.Ltwo:	xorl	%eax, %eax
	movl	$fmt, %edi
	call	printf
.Lnone:	xorl	%eax, %eax
	addq	$8, %rsp
	ret
.Lto:
	.size	main, .-main
	.section .rodata
fmt:	.string	"%d\n"

	.section .debug_abbrev, "", @progbits
	.uleb128 1, 0x11		# compile_unit
	.byte	1
	.uleb128 0x55, 0x17, 0x11, 0x01	# ranges, low_pc
	.byte	0, 0
	.uleb128 2, 0x0b		# lexical_block
	.byte	0
	.uleb128 0x55, 0x17
	.byte	0, 0
	.byte	0

	.section .debug_info, "", @progbits
	.long	.Linfo_end - .Linfo
.Linfo:	.value	5
	.byte	1, 8
	.long	.debug_abbrev
	.uleb128 1
	.long	.Llist
	.quad	0
	.uleb128 2
	.long	.Ltail
	.byte	0
.Linfo_end:

	.section .debug_rnglists, "", @progbits
	.long	.Llists_end - .Llists
.Llists:
	.value	5
	.byte	8, 0
	.long	0
.Llist:	.byte	5			# base_address
	.quad	.Lfrom
	.byte	4			# offset_pair
	.uleb128 0, .Lone - .Lfrom
.Ltail:	.byte	5
	.quad	.Lone
	.byte	4
	.uleb128 0, .Ltwo - .Lone
	.byte	4
	.uleb128 .Lnone - .Lone, .Lto - .Lone
	.byte	0
.Llists_end:
	.section .note.GNU-stack, "", @progbits
