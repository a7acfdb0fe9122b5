/**
 * The matrix: the agent over all phases, on every JDK and under every set of flags, with its
 * completeness counted and its stacks checked from outside.
 */
package stackweave.lab.matrix;
