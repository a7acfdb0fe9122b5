/**
 * The other end of {@code stackweave.label.StackweaveContext}: three classes that run as copies in
 * java.lang, and how the agent puts them there, is told of classes of the application that open
 * scopes, and reads what the scopes say.
 */
package stackweave.agent.jdk.label;
