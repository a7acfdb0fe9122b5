/** Life in the JVM: start-up, isolation, engines, the drain pipeline, and the command line. */
package stackweave.agent;
