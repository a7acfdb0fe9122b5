/** Copies of ELF files with an SFrame section added. */
package stackweave.sframe.elf;
