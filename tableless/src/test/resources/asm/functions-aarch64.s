// Functions without unwind information, of the kinds that hand-written assembly and generated code
// have. Each one's true callers are known by its calls and returns.

        .text
        .globl _start
_start:
        mov x29, #0
        mov x19, #0x1111
        mov x20, #0x2222
        bl leaf
        bl pushes
        bl loop
        bl calls
        bl framed
        bl signed
        bl aligned
        bl tail
        bl two_exits
        bl large
        bl pre_index
        bl recursive
        mov x8, #93
        mov x0, #0
        svc #0

leaf:
        mov x0, #1
        add x0, x0, #2
        ret

pushes:
        sub sp, sp, #64
        stp x19, x20, [sp, #16]
        str x21, [sp, #32]
        mov x19, #7
        mov x20, x19
        mov x21, #3
        ldr x21, [sp, #32]
        ldp x19, x20, [sp, #16]
        add sp, sp, #64
        ret

loop:
        str x22, [sp, #-16]!
        mov x1, #4
1:      movi v29.16b, #0
        tbz w1, #0, 2f
        add x2, x2, #1
2:      subs x1, x1, #1
        b.ne 1b
        ldr x22, [sp], #16
        ret

calls:
        stp x30, x19, [sp, #-32]!
        mov x19, #3
1:      bl leaf
        bl pushes
        subs x19, x19, #1
        b.ne 1b
        ldp x30, x19, [sp], #32
        ret

framed:
        stp x29, x30, [sp, #-48]!
        mov x29, sp
        stp x19, x20, [sp, #16]
        bl leaf
        bl calls
        adr x9, leaf
        blr x9
        ldp x19, x20, [sp, #16]
        ldp x29, x30, [sp], #48
        ret

signed:
        hint #25                        // paciasp
        stp x29, x30, [sp, #-16]!
        mov x29, sp
        bl leaf
        ldp x29, x30, [sp], #16
        hint #29                        // autiasp
        ret

aligned:
        stp x29, x30, [sp, #-32]!
        mov x29, sp
        sub x9, sp, #128
        and sp, x9, #0xffffffffffffffc0
        str x0, [sp]
        bl leaf
        mov sp, x29
        ldp x29, x30, [sp], #32
        ret

tail:
        stp x29, x30, [sp, #-16]!
        bl leaf
        ldp x29, x30, [sp], #16
        b leaf

two_exits:
        stp x21, x22, [sp, #-16]!
        cbz x0, 1f
        mov x21, #0
        ldp x21, x22, [sp], #16
        ret
1:      sub sp, sp, #16
        add sp, sp, #32
        ret

large:
        sub sp, sp, #1, lsl #12
        sub sp, sp, #32
        str x30, [sp, #8]
        mov x10, #24
        bl leaf
        ldr x30, [sp, #8]
        add sp, sp, #32
        add sp, sp, #1, lsl #12
        ret

pre_index:
        mov x16, #64
        sub sp, sp, x16
        str x30, [sp, #24]
        bl leaf
        mov x16, #64
        ldr x30, [sp, #24]
        add sp, sp, x16
        ret

recursive:
        str x30, [sp, #-16]!
        mov x0, #3
        bl recurse
        ldr x30, [sp], #16
        ret
recurse:
        stp x30, x19, [sp, #-16]!
        mov x19, x0
        cbz x0, 1f
        sub x0, x0, #1
        bl recurse
1:      ldp x30, x19, [sp], #16
        ret
