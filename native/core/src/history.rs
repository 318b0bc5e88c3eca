//! The rules of history.
