/** Reads /proc: mappings of a process, and small files without {@code java.nio}. */
package stackweave.maps.proc;
