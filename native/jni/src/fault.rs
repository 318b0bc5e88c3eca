//! What is thrown to the JVM: a code of [`Fault`] and one line.

use jni::strings::JNIStr;
use reconstruction_core::convention::Fault;
use reconstruction_core::error::printable;

/// A fault on its way to the JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrown {
    /// Chooses the exception's class.
    pub fault: Fault,
    /// One ASCII line.
    pub line: String,
}

impl Thrown {
    /// A fault with its line.
    pub fn new(fault: Fault, line: impl Into<String>) -> Self {
        Thrown {
            fault,
            line: line.into(),
        }
    }

    /// The text and the place of a panic as a fault.
    pub fn of_panic(payload: &(dyn std::any::Any + Send), place: &str) -> Self {
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| text.to_string())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without text".into());
        Thrown::new(
            Fault::InternalFault,
            format!("native library: {text}, at {place}; close this object and report the line"),
        )
    }

    /// Binary name of the exception's class.
    pub fn class(&self) -> &'static JNIStr {
        match self.fault {
            Fault::UnsupportedDevice => jni::jni_str!("reconstruction/UnsupportedDevice"),
            Fault::InvalidInput => jni::jni_str!("reconstruction/InvalidInput"),
            Fault::InvalidState => jni::jni_str!("reconstruction/InvalidState"),
            Fault::OutOfDeviceMemory => jni::jni_str!("reconstruction/OutOfDeviceMemory"),
            Fault::DeviceLost => jni::jni_str!("reconstruction/DeviceLost"),
            Fault::InternalFault | Fault::None => jni::jni_str!("reconstruction/InternalFault"),
        }
    }

    /// The line in printable ASCII, whatever a driver or a panic put into it.
    pub fn ascii_line(&self) -> String {
        self.line
            .chars()
            .map(|c| match c {
                '\n' | '\t' => ' ',
                c => printable(c),
            })
            .collect()
    }
}

impl From<jni::errors::Error> for Thrown {
    fn from(error: jni::errors::Error) -> Self {
        Thrown::new(Fault::InternalFault, format!("JNI: {error}; report this"))
    }
}

impl From<reconstruction_core::Error> for Thrown {
    fn from(error: reconstruction_core::Error) -> Self {
        Thrown::new(Fault::InvalidInput, error.to_string())
    }
}

impl From<reconstruction_engine::Error> for Thrown {
    fn from(error: reconstruction_engine::Error) -> Self {
        Thrown::new(error.fault(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_the_class_of_its_name() {
        for (name, code) in Fault::TABLE.iter().filter(|(_, code)| *code != 0) {
            let thrown = Thrown::new(Fault::from_code(*code).unwrap(), "");
            assert_eq!(thrown.class().to_string(), format!("reconstruction/{name}"));
        }
    }

    #[test]
    fn a_line_is_one_ascii_line() {
        let thrown = Thrown::new(Fault::InvalidInput, "a\nb \u{e9}\u{0}");
        assert_eq!(thrown.ascii_line(), "a b ??");
    }
}
