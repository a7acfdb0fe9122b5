/**
 * The agent's side of {@code stackweave.label.StackweaveContext}: three classes that run as copies
 * in java.lang, and a hook that defines the copies, connects the application's classes with them,
 * and reads scopes.
 */
package stackweave.agent.jdk.label;
