/**
 * What is specific to x86-64: the kernel's signal frame, and code that is recognised by its
 * instructions. The packages of all processors have classes of the same names.
 */
package stackweave.unwind.x86_64;
