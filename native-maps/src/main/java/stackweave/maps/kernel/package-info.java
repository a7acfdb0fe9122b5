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
 *       module's code has whole pages of its own (kernel/module/main.c).
 * </ul>
 *
 * <p>Everywhere else (BPF programs, classic filters such as seccomp's, trampolines of ftrace,
 * kprobes and BPF, modules that were loaded later) there is no name.
 */
package stackweave.maps.kernel;
