//! The blocks that cross the JNI boundary.
