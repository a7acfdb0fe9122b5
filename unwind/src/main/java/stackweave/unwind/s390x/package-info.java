/**
 * What is specific to s390x: the kernel's signal frame, and code that is recognised by its
 * instructions. The packages of all processors have classes of the same names.
 */
package stackweave.unwind.s390x;
