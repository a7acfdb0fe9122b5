/**
 * The phases of the lab: Java classes with native methods, defined anew by each variant's class
 * loader, since a native method is bound to a library of its class's loader.
 */
package stackweave.samples.lab.phase;
