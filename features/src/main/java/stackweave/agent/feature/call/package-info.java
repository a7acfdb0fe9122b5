/**
 * Calls of native methods, timed by wrappers that are made while their classes are loaded. Without
 * the option {@code calls} no class of this package is loaded.
 */
package stackweave.agent.feature.call;
