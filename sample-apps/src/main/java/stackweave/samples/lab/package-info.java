/** jni-lab: C code of our own under Java, with call chains that a test can know by heart. */
package stackweave.samples.lab;
