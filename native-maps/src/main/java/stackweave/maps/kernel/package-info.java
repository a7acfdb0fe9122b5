/** Names of kernel functions, from /proc/kallsyms and /proc/modules. */
package stackweave.maps.kernel;
