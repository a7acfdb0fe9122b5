/** Names of C++ (Itanium) and Rust functions as people write them. */
package stackweave.maps.demangle;
