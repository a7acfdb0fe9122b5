/** For how long the agent stops the application: by instrumenting Thread, and at the JVM's end. */
package stackweave.lab.pauses;
