//! Files that are whole or not there: written under a temporary name beside their place, then renamed.

use crate::error::{Error, Result};
use fs4::fs_std::FileExt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// End of the temporary name; the file is hidden too, so that no pattern for whole files meets it.
const PART: &str = ".part";

/// The temporary name of a file: `.0000.exr.part` for `0000.exr`.
pub fn part_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}{PART}"))
}

/// The name of the file that a temporary name stands for; nothing for other names.
pub fn whole_of(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(PART)
}

/// Writes a file, replacing one of the same name.
///
/// # Errors
/// When it cannot be written; then neither it nor its temporary file is left behind.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    placed(path, |part| {
        fs::write(part, bytes)?;
        fs::rename(part, path)
    })
}

/// Lets `write` fill a file, which survives a loss of power from the moment it has its name.
///
/// # Errors
/// As [`write()`].
pub fn write_durably(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    placed(path, |part| {
        write(part)?;
        File::open(part)?.sync_all()?;
        fs::rename(part, path)?;
        // The name itself is stored in the folder.
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    })
}

fn placed(path: &Path, place: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
    let part = part_of(path);
    place(&part).map_err(|cause| {
        // Best effort: the error that matters is the one before.
        let _ = fs::remove_file(&part);
        Error::file(path, "write", cause)
    })
}

/// Refuses a folder that holds anything, unless it may be overwritten or continued.
///
/// # Errors
/// Names the folder and the flags that allow it; or the folder cannot be read.
pub fn refuse_occupied(folder: &Path, is_allowed: bool, remedy: &str) -> Result<()> {
    match fs::read_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(Error::file(folder, "read the folder", cause)),
        Ok(_) if is_allowed => Ok(()),
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(Error::Argument(format!(
                "--out: expected a new or empty folder, but {} holds files; {remedy}",
                folder.display()
            ))),
        },
    }
}

/// Makes a folder, and those that it lies in, where there is none.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|cause| Error::file(folder, "make the folder", cause))
}

/// A folder that this process alone writes, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Claim {
    _locked: File,
}

/// Makes a folder where there is none, and claims it.
///
/// # Errors
/// Another process holds it, or it cannot be made. File systems without locks claim nothing.
pub fn claim(folder: &Path) -> Result<Claim> {
    make_folder(folder)?;
    let locked =
        File::open(folder).map_err(|cause| Error::file(folder, "read the folder", cause))?;
    match FileExt::try_lock_exclusive(&locked) {
        Ok(false) => Err(Error::Argument(format!(
            "--out: expected a folder that nobody writes, but another command fills {}; wait for it, or choose another folder",
            folder.display()
        ))),
        _ => Ok(Claim { _locked: locked }),
    }
}

/// Removes the files of a folder whose names `is_ours` accepts, and their temporary files. Others stay.
///
/// # Errors
/// When the folder cannot be read or a file cannot be removed. A folder that is not there is no error.
pub fn clear(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Result<()> {
    remove(folder, |name| is_ours(whole_of(name).unwrap_or(name)))
}

/// Removes the temporary files that stand for names that `is_ours` accepts.
///
/// # Errors
/// As [`clear`].
pub fn clear_parts(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Result<()> {
    remove(folder, |name| whole_of(name).is_some_and(&is_ours))
}

fn remove(folder: &Path, is_chosen: impl Fn(&str) -> bool) -> Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(|cause| Error::file(folder, "read the folder", cause))?,
    };
    for entry in entries {
        let entry = entry.map_err(|cause| Error::file(folder, "read the folder", cause))?;
        if is_chosen(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())
                .map_err(|cause| Error::file(&entry.path(), "remove", cause))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        write(&path, b"old").unwrap();
        let failed = write_durably(&path, |part| {
            fs::write(part, b"ne")?;
            Err(io::Error::other("full"))
        });
        assert_eq!(
            failed.unwrap_err().to_string(),
            format!("{}: cannot write: full", path.display())
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_durably(&path, |part| fs::write(part, b"new")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames");
        let first = claim(&path).unwrap();
        let refusal = claim(&path).unwrap_err().to_string();
        assert!(refusal.contains("another command fills"), "{refusal}");
        drop(first);
        claim(&path).unwrap();
    }

    #[test]
    fn only_our_files_are_cleared() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["1.exr", ".2.exr.part", "notes.txt", ".other.part"] {
            fs::write(folder.path().join(name), b"x").unwrap();
        }
        let is_ours = |name: &str| name.ends_with(".exr");
        clear_parts(folder.path(), is_ours).unwrap();
        assert!(folder.path().join("1.exr").exists());
        assert!(!folder.path().join(".2.exr.part").exists());
        clear(folder.path(), is_ours).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [".other.part", "notes.txt"]);
        clear(&folder.path().join("nowhere"), |_| true).unwrap();
    }
}
