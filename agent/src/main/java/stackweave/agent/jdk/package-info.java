/**
 * What is known of the JDK's Java side, by version: modules that are opened, fields of Thread and
 * of its continuations, the module JNA is defined in.
 */
package stackweave.agent.jdk;
