/** The demo: JNI workloads to sample. */
package stackweave.samples;
