/**
 * Names of kernel functions, from /proc/kallsyms and /proc/modules.
 *
 * <p>/proc/kallsyms says where a symbol begins, and not where it ends. So an address has the name
 * of the symbol below it only where nothing else can lie between them:
 *
 * <ul>
 *   <li>in the kernel's own code, from its first symbol to {@code _etext}. Code that runs only at
 *       boot is freed and never runs again (kernel/extable.c, core_kernel_text), so it names
 *       nothing;
 *   <li>between two symbols of one live module, and from its last one to the end of that page: a
 *       module's code has whole pages of its own (kernel/module/main.c);
 *   <li>in a BPF program whose length is known: programs share pages with others, and those made of
 *       classic filters, such as seccomp's, have no symbol (kernel/bpf/core.c,
 *       bpf_prog_kallsyms_candidate).
 * </ul>
 *
 * <p>Everywhere else (trampolines of ftrace, kprobes and BPF, classic filters, modules that were
 * loaded later) there is no name.
 */
package stackweave.maps.kernel;
