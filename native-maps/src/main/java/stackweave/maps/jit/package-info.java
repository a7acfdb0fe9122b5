/**
 * Names of code that is made at run time, from what engines write for debuggers and profilers: perf
 * maps, jitdump files, and GDB's JIT interface. All of it is other people's input.
 */
package stackweave.maps.jit;
