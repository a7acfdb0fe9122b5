/** The process that is recorded, by its files in /proc: see {@link SampledProcess}. */
package stackweave.jfr.process;
