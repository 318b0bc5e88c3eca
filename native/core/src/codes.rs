//! Enums that cross the boundary: declared once, with the codes that every language uses.

/// Declares an enum with stable codes and the table from which the Kotlin constants are generated.
macro_rules! codes {
    ($(#[doc = $doc:literal])* pub enum $name:ident { $( $(#[doc = $vdoc:literal])* $variant:ident = $code:literal, )* }) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u32)]
        pub enum $name { $( $(#[doc = $vdoc])* $variant = $code, )* }

        impl $name {
            /// Every value with its code and name.
            pub const TABLE: &'static [(&'static str, u32)] = &[ $( (stringify!($variant), $code), )* ];

            /// The code that crosses the boundary.
            pub const fn code(self) -> u32 { self as u32 }

            /// The value of a code.
            ///
            /// # Errors
            /// When no value has this code.
            pub fn from_code(code: u32) -> $crate::Result<Self> {
                match code {
                    $( $code => Ok($name::$variant), )*
                    _ => Err($crate::Error::invalid(
                        stringify!($name),
                        format!("one of {:?}", Self::TABLE.iter().map(|entry| entry.0).collect::<Vec<_>>()),
                        format!("code {code}"),
                        "use a value of this library's own enum (is the native library of another version?)",
                    )),
                }
            }
        }
    };
}

pub(crate) use codes;

#[cfg(test)]
mod tests {
    use crate::convention::Depth;

    #[test]
    fn unknown_codes_are_refused_by_name() {
        let error = Depth::from_code(9).unwrap_err().to_string();
        assert!(
            error.contains("Depth") && error.contains("code 9"),
            "{error}"
        );
        for (_, code) in Depth::TABLE {
            assert_eq!(Depth::from_code(*code).unwrap().code(), *code);
        }
    }
}
