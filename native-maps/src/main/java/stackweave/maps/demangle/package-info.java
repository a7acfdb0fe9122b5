/** Mangled names of C++ (Itanium) and Rust functions, made names as in the source. */
package stackweave.maps.demangle;
