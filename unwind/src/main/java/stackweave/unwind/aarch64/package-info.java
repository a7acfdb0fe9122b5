/**
 * What is particular to AArch64: the kernel's signal frame, code known by its instructions. Numbers
 * and plain functions of them; the packages of the other processors have classes of the same names.
 */
package stackweave.unwind.aarch64;
