/**
 * Samples of waiting threads against a service that takes its own time, and what they cost: {@code
 * verification/wall}.
 */
package stackweave.verify.wall;
