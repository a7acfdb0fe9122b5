/**
 * HotSpot's description of its own structures (vmStructs), what of it is needed, and what differs
 * between JDKs. Only here decisions depend on the JDK's version.
 */
package stackweave.hotspot.vmstructs;
