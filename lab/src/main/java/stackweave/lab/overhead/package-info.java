/**
 * What sampling costs, beside async-profiler: the CPU time of a whole process for the same work, in
 * turns. The command {@code lab/overhead}, and the processes that work.
 */
package stackweave.lab.overhead;
