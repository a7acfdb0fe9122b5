/**
 * What is particular to s390x: the kernel's signal frame, code known by its instructions. Numbers
 * and plain functions of them; the packages of the other processors have classes of the same names.
 */
package stackweave.unwind.s390x;
