//! Direct buffers of the JVM: copied in before the work, copied out after it.

use crate::fault::Thrown;
use jni::objects::JByteBuffer;
use jni::Env;
use reconstruction_core::convention::Fault;

/// The bytes of a direct buffer for the length of one native call.
pub struct Block {
    address: *mut u8,
    bytes: Vec<u8>,
}

impl Block {
    /// Copies the first `size` bytes of a buffer.
    ///
    /// # Errors
    /// When the buffer is null, not direct, or shorter.
    pub fn read(env: &Env<'_>, buffer: &JByteBuffer<'_>, size: usize) -> Result<Self, Thrown> {
        let wrong = |got: String| {
            Thrown::new(
                Fault::InvalidInput,
                format!("buffer: expected a direct one of at least {size} bytes, got {got}; use the classes of this jar"),
            )
        };
        if buffer.is_null() {
            return Err(wrong("null".into()));
        }
        let address = env
            .get_direct_buffer_address(buffer)
            .map_err(|_| wrong("one that is not direct".into()))?;
        let capacity = env
            .get_direct_buffer_capacity(buffer)
            .map_err(|_| wrong("one that is not direct".into()))?;
        if capacity < size {
            return Err(wrong(format!("{capacity} bytes")));
        }
        let mut bytes = vec![0; size];
        // SAFETY: the JVM guarantees `capacity` readable bytes while the caller holds the buffer, which it does for
        // the whole native call; bytes have no alignment.
        unsafe { std::ptr::copy_nonoverlapping(address, bytes.as_mut_ptr(), size) };
        Ok(Block { address, bytes })
    }

    /// The bytes as they were given.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Copies `answer` back, from byte `at` on.
    ///
    /// # Panics
    /// When the answer does not fit: a fault of this crate.
    pub fn write(&mut self, at: usize, answer: &[u8]) {
        assert!(
            at + answer.len() <= self.bytes.len(),
            "an answer behind its buffer"
        );
        // SAFETY: the range was checked against the size that `read` has checked against the capacity, and the
        // caller still holds the buffer.
        unsafe {
            std::ptr::copy_nonoverlapping(answer.as_ptr(), self.address.add(at), answer.len())
        };
    }
}
