//! Procedural surfaces and pictures.
