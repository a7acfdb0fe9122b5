/**
 * The few classes that the application can see: the way in, and the class loader that hides all
 * others. {@link stackweave.agent.boot.Boot} and {@link stackweave.agent.boot.Command} are compiled
 * for Java 8, so that an old JVM gets a sentence and not a crash; the first can't throw.
 */
package stackweave.agent.boot;
