/**
 * Samples of waiting threads against a service that takes its own time, and what they cost: {@code
 * lab/wall}.
 */
package stackweave.lab.wall;
