/** Libraries that are loaded, deleted and left, and JNI critical sections. */
package stackweave.live.loads;
