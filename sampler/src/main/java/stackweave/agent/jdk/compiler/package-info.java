/** What the agent asks of the compilers of the JVM. */
package stackweave.agent.jdk.compiler;
