/** Where events of a store go: the recordings of this JVM, or a file. */
package stackweave.jfr.store.output;
