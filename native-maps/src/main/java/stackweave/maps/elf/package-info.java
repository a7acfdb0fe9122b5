/**
 * ELF images, in files and in memory: headers, sections, build ids, compressed sections, and copies
 * with an .sframe section added.
 */
package stackweave.maps.elf;
