/**
 * Tests of the whole product: JVMs under {@code stackweave-agent.jar}, judged by what they recorded
 * and by what they would have done without it.
 */
package stackweave.verify.it;
