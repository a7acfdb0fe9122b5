/**
 * What depends on the version of the JDK's Java classes: modules that are opened, fields of Thread
 * and of continuations, classes and properties that no specification names, and JNA's module. Only
 * {@code stackweave.agent.boot} checks versions itself: older JDKs must be able to load it.
 */
package stackweave.agent.jdk;
