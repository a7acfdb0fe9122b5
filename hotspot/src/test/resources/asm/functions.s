# Functions without unwind information, of the kinds that hand-written assembly and generated code
# have. Each one's true callers are known by its calls and returns.

        .text
        .globl _start
_start:
        xorl %ebp, %ebp
        movl $0x1111, %ebx
        movl $0x2222, %r12d
        call leaf
        call pushes
        call loop
        call calls
        call framed
        call keeps_frame_pointer
        call switches
        call aligned
        call allocates
        call saves_sp
        call jumps_away
        call stub
        call tracked_stub
        call drops_arguments
        call pops_return
        call two_exits
        call red_zone
        call enters_late
        call recursive
        call generated
        movl $60, %eax
        xorl %edi, %edi
        syscall

        .p2align 4
leaf:
        endbr64
        movl $1, %eax
        addl $2, %eax
        ret

        .p2align 4
pushes:
        pushq %rbx
        pushq %rbp
        pushq %r12
        pushq %r13
        subq $136, %rsp
        movl $7, %ebp
        movl $8, %ebx
        xorl %r12d, %r12d
        .byte 0x67, 0x90                # padded with an address-size prefix
        movq %rbx, 16(%rsp)
        leaq 16(%rsp), %r13
        addq $136, %rsp
        popq %r13
        popq %r12
        popq %rbp
        popq %rbx
        ret

        .p2align 4
loop:
        pushq %r14
        movl $4, %ecx
        leaq -64(%rsp), %rsp
1:      vpxor %ymm0, %ymm0, %ymm0
        vmovdqu %ymm0, (%rsp)
        testl $1, %ecx
        jz 2f
        incl %eax
2:      subl $1, %ecx
        jnz 1b
        addq $64, %rsp
        popq %r14
        ret

        .p2align 4
calls:
        pushq %rbx
        subq $32, %rsp
        movl $3, %ebx
1:      call leaf
        call pushes
        subl $1, %ebx
        jnz 1b
        addq $32, %rsp
        popq %rbx
        ret

        .p2align 4
framed:
        pushq %rbp
        movq %rsp, %rbp
        pushq %rbx
        subq $40, %rsp
        call leaf
        call calls
        leaq leaf(%rip), %rax
        call *%rax
        leaq -8(%rbp), %rsp
        popq %rbx
        popq %rbp
        ret

# The frame pointer is its caller's all the while: by it, that caller would be left out.
        .p2align 4
keeps_frame_pointer:
        pushq %rbp
        movq %rsp, %rbp
        call without_frame
        popq %rbp
        ret
        .p2align 4
without_frame:
        subq $24, %rsp
        call leaf
        call framed
        addq $24, %rsp
        ret

        .p2align 4
switches:
        pushq %rbx
        movl $2, %ebx
1:      leaq 9f(%rip), %rax
        movslq (%rax,%rbx,4), %rcx
        addq %rcx, %rax
        cmpl $7, %ebx
        ja 8f
        notrack jmp *%rax
2:      nop
        jmp 7f
3:      nop
        nop
        jmp 7f
4:      nop
7:      subl $1, %ebx
        jns 1b
8:      popq %rbx
        ret
        .p2align 2
9:      .long 2b-9b, 3b-9b, 4b-9b

        .p2align 4
aligned:
        leaq 8(%rsp), %r10
        andq $-64, %rsp
        pushq -8(%r10)
        pushq %rbp
        movq %rsp, %rbp
        pushq %r10
        subq $104, %rsp
        movq %rax, (%rsp)
        call leaf
        movq -8(%rbp), %r10
        leave
        leaq -8(%r10), %rsp
        ret

        .p2align 4
allocates:
        pushq %rbp
        movq %rsp, %rbp
        pushq %r12
        pushq %rbx
        movl $3, %ebx
1:      movl %ebx, %eax
        shll $4, %eax
        subq %rax, %rsp
        movq $1, (%rsp)
        subl $1, %ebx
        jnz 1b
        leaq -16(%rbp), %rsp
        popq %rbx
        popq %r12
        popq %rbp
        ret

# As cryptographic assembly does: the caller's stack pointer is kept in its frame.
        .p2align 4
saves_sp:
        movq %rsp, %rax
        pushq %rbx
        pushq %rbp
        pushq %r12
        subq $152, %rsp
        andq $-1024, %rsp
        movq %rax, 128(%rsp)
        movl $5, %ecx
        xorl %ebx, %ebx
1:      addq %rcx, %rbx
        movq %rbx, %rbp
        decl %ecx
        jnz 1b
        movq 128(%rsp), %rsi
        movq -24(%rsi), %r12
        movq -16(%rsi), %rbp
        movq -8(%rsi), %rbx
        leaq (%rsi), %rsp
        ret

        .p2align 4
jumps_away:
        pushq %rbx
        movl $9, %ebx
        popq %rbx
        jmp leaf

        .p2align 4
stub:
        jmp *slot(%rip)

        .p2align 4
tracked_stub:
        endbr64
        bnd jmp *slot(%rip)
        .balign 8
slot:   .quad leaf

        .p2align 4
drops_arguments:
        pushq $5
        pushq $6
        call takes_arguments
        ret
takes_arguments:
        pushq %rbp
        movq %rsp, %rbp
        nop
        popq %rbp
        popq %rdx
        addq $16, %rsp
        pushq %rdx
        ret

        .p2align 4
pops_return:
        pushq $5
        call pops_and_jumps
        ret
pops_and_jumps:
        nop
        popq %rcx
        leaq 8(%rsp), %rsp
        nop
        jmp *%rcx

        .p2align 4
two_exits:
        pushq %rbx
        pushq %r15
        testl %eax, %eax
        jz 1f
        xorl %r15d, %r15d
        popq %r15
        popq %rbx
        ret
1:      subq $16, %rsp
        addq $32, %rsp
        ret

        .p2align 4
red_zone:
        movq %rbx, -16(%rsp)
        xorl %ebx, %ebx
        incl %ebx
        movq -16(%rsp), %rbx
        ret

        .p2align 4
enters_late:
        testl %eax, %eax
        js 1f
        pushq %rbp
        movq %rsp, %rbp
        subq $16, %rsp
        call leaf
        call abort_if_zero
        leave
1:      ret
abort_if_zero:
        testl %eax, %eax
        jz 1f
        ret
1:      ud2

        .p2align 4
recursive:
        movl $3, %edi
        call recurse
        ret
recurse:
        pushq %rbx
        movl %edi, %ebx
        testl %edi, %edi
        jz 1f
        leal -1(%rdi), %edi
        call recurse
        xchgq %rbx, %rdx
        movq %rdx, %rbx
1:      popq %rbx
        ret

# Copies code to memory of no file, and calls it there.
        .p2align 4
generated:
        pushq %rbx
        movl $9, %eax
        xorl %edi, %edi
        movl $4096, %esi
        movl $7, %edx
        movl $0x22, %r10d
        movq $-1, %r8
        xorl %r9d, %r9d
        syscall
        movq %rax, %rbx
        movq %rax, %rdi
        leaq 1f(%rip), %rsi
        movl $(2f-1f), %ecx
        rep movsb
        movq %rbx, %rax
        call *%rbx
        popq %rbx
        ret
1:      pushq %rbp
        movq %rsp, %rbp
        pushq %rbx
        subq $24, %rsp
        leaq 3f(%rip), %rax
        call *%rax
        nop
        addq $24, %rsp
        popq %rbx
        popq %rbp
        ret
3:      pushq %rbp
        movq %rsp, %rbp
        movl $3, %ecx
4:      decl %ecx
        jnz 4b
        popq %rbp
        ret
2:      nop
