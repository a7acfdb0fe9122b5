/**
 * When classes are unloaded and code is freed, and so how long copies of what was read of them can
 * be trusted.
 */
package stackweave.hotspot.unloading;
