/** Names of frames: Java methods, functions of modules and of the kernel. */
package stackweave.agent.decode.name;
