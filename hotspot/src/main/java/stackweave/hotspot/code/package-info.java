/**
 * The VM's code cache: its blobs, compiled methods and interpreter codelets, as copies that are
 * compared with the VM before they are used again.
 */
package stackweave.hotspot.code;
