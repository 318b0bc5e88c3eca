//! The file itself: its bytes, checks before anything is read from them, and errors that name the element.

use crate::{Error, Result};
use gltf::accessor::Accessor;
use gltf::buffer;
use reconstruction_core::error::printable;
use std::path::{Path, PathBuf};

/// An open file with its buffers.
pub(super) struct File {
    path: PathBuf,
    pub document: gltf::Document,
    pub buffers: Vec<buffer::Data>,
}

/// One ASCII line, at most 200 characters.
fn line(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_whitespace() => ' ',
            c => printable(c),
        })
        .take(200)
        .collect()
}

/// An extension that is not read: often why a file seems broken; those that it requires first.
fn unknown_extension(bytes: &[u8]) -> Option<String> {
    let gltf = gltf::Gltf::from_slice_without_validation(bytes).ok()?;
    let unknown = gltf
        .extensions_required()
        .chain(gltf.extensions_used())
        .find(|name| !gltf::json::extensions::ENABLED_EXTENSIONS.contains(name))?;
    Some(unknown.to_owned())
}

impl File {
    pub fn open(path: &Path) -> Result<Self> {
        let refuse = |element: &str, expected: &str, got: &str| {
            refusal(path, element, expected, got, "export the file again")
        };
        let bytes = std::fs::read(path).map_err(|error| {
            refusal(
                path,
                "file",
                "one that can be read",
                &error.to_string(),
                "check the path and its rights",
            )
        })?;
        let gltf::Gltf { document, blob } =
            gltf::Gltf::from_slice(&bytes).map_err(|error| match error {
                gltf::Error::Validation(list) => {
                    if let Some(extension) = unknown_extension(&bytes) {
                        let element = format!("extension {extension}");
                        let remedy = "export without compression and extensions";
                        return refusal(path, &element, "plain glTF 2.0", "this one", remedy);
                    }
                    let (element, what) = match list.first() {
                        Some((place, what)) => (place.to_string(), what.to_string()),
                        None => ("document".to_string(), "invalid".to_string()),
                    };
                    refuse(&element, "what glTF 2.0 asks for", &what)
                }
                gltf::Error::Deserialize(error) => refuse("JSON", "glTF 2.0", &error.to_string()),
                gltf::Error::Binary(error) => {
                    refuse("GLB header", "binary glTF 2.0", &error.to_string())
                }
                other => refuse("document", "glTF 2.0", &other.to_string()),
            })?;
        let mut blob = blob;
        let mut buffers = Vec::new();
        for buffer in document.buffers() {
            let element = format!("buffer {}", buffer.index());
            let data =
                buffer::Data::from_source_and_blob(buffer.source(), path.parent(), &mut blob)
                    .map_err(|error| refuse(&element, "bytes", &error.to_string()))?;
            if data.len() < buffer.length() {
                let (expected, got) = (buffer.length(), data.len());
                return Err(refuse(
                    &element,
                    &format!("{expected} bytes"),
                    &format!("{got} bytes"),
                ));
            }
            buffers.push(data);
        }
        let file = File {
            path: path.to_path_buf(),
            document,
            buffers,
        };
        for view in file.document.views() {
            let end = view.offset().checked_add(view.length());
            let held = file.buffers[view.buffer().index()].len();
            if end.is_none_or(|end| end > held) {
                return Err(file.broken(
                    &format!("bufferView {}", view.index()),
                    &format!("at most {held} bytes in all"),
                    &format!("{} bytes from {}", view.length(), view.offset()),
                ));
            }
        }
        for accessor in file.document.accessors() {
            file.check_accessor(&accessor)?;
        }
        Ok(file)
    }

    /// Refuses an accessor that reaches beyond its view.
    fn check_accessor(&self, accessor: &Accessor) -> Result<()> {
        let element = format!("accessor {}", accessor.index());
        let fits = |view: Option<buffer::View>, offset: usize, count: usize, size: usize| {
            let Some(view) = view else {
                return true;
            };
            let stride = view.stride().unwrap_or(size);
            let last = count.saturating_sub(1).checked_mul(stride);
            let end = last.and_then(|last| last.checked_add(offset)?.checked_add(size));
            stride >= size && (count == 0 || end.is_some_and(|end| end <= view.length()))
        };
        let mut is_sound = fits(
            accessor.view(),
            accessor.offset(),
            accessor.count(),
            accessor.size(),
        );
        if let Some(sparse) = accessor.sparse() {
            let (indices, values) = (sparse.indices(), sparse.values());
            let index_size = match indices.index_type() {
                gltf::accessor::sparse::IndexType::U8 => 1,
                gltf::accessor::sparse::IndexType::U16 => 2,
                gltf::accessor::sparse::IndexType::U32 => 4,
            };
            let count = sparse.count();
            is_sound &= fits(Some(indices.view()), indices.offset(), count, index_size)
                && fits(Some(values.view()), values.offset(), count, accessor.size());
        }
        if is_sound {
            return Ok(());
        }
        Err(self.broken(
            &element,
            "elements within its bufferView",
            &format!("{} elements of {} bytes", accessor.count(), accessor.size()),
        ))
    }

    /// An error about something that breaks the format.
    pub fn broken(&self, element: &str, expected: &str, got: &str) -> Error {
        self.refuse(element, expected, got, "export the file again")
    }

    /// An error about an element.
    pub fn refuse(&self, element: &str, expected: &str, got: &str, remedy: &'static str) -> Error {
        refusal(&self.path, element, expected, got, remedy)
    }

    /// The folder that other files are named from.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent()
    }
}

fn refusal(path: &Path, element: &str, expected: &str, got: &str, remedy: &'static str) -> Error {
    let what = line(&format!("{}: {element}", path.display()));
    Error::invalid(what, line(expected), line(got), remedy)
}
