/**
 * The hard zoo: native libraries whose code is hard to unwind, each doing what people use it for.
 * {@code lab/zoo} samples them.
 */
package stackweave.lab.zoo.app;
