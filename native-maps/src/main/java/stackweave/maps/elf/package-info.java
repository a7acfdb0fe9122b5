/**
 * ELF images, in files ({@code FileElfImage}) and in memory ({@code MemoryElfImage}, for the vDSO
 * and for files that are gone): headers, sections, build ids, compressed sections, symbols, and the
 * stubs of procedure linkage tables.
 */
package stackweave.maps.elf;
