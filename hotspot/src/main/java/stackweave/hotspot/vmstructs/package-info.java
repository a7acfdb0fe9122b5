/**
 * HotSpot's description of its own structures (vmStructs), what of it is needed, and what differs
 * between JDKs. Here, and nowhere else, is decided by the JDK's version.
 */
package stackweave.hotspot.vmstructs;
