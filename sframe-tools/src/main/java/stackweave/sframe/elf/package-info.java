/** SFrame sections in copies of ELF files. */
package stackweave.sframe.elf;
