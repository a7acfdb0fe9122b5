/**
 * Build tool that writes {@code stackweave-agent.jar}: the boot classes as they are, everything
 * else out of the application's sight, JNA rewritten so that it shares nothing with a JNA of the
 * application.
 */
package stackweave.packaging;
