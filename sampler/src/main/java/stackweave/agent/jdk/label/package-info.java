/**
 * The agent's side of {@code stackweave.label.StackweaveContext}: three classes that run as copies
 * in java.lang, and a hook that defines the copies, connects the application's classes with them,
 * and reads scopes. {@code Contexts} finds the scope of a thread, also of a virtual one.
 */
package stackweave.agent.jdk.label;
