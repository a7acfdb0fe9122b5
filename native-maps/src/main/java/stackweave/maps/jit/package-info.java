/**
 * Names of code that is made at run time, from what engines write for debuggers and profilers: perf
 * maps, jitdump files, and GDB's JIT interface. None of it is trusted.
 */
package stackweave.maps.jit;
