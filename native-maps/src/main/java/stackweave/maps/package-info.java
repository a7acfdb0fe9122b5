/**
 * What is mapped where: /proc maps, ELF images, build ids, symbols, and the index of modules by
 * time.
 */
package stackweave.maps;
