/** jni-zoo: JNI libraries that people use, doing the work that people use them for. */
package stackweave.samples.zoo;
