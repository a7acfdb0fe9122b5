/**
 * What is known of the JDK's Java side, by version: modules that are opened, fields of Thread and
 * of its continuations, classes and properties that no specification names, the module JNA is
 * defined in. {@code stackweave.agent.boot} alone knows itself how old a JDK may be, for it has to
 * be read by older ones.
 */
package stackweave.agent.jdk;
