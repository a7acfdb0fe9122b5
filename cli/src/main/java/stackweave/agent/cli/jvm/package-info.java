/** The commands that attach to, ask and detach from a running JVM. */
package stackweave.agent.cli.jvm;
