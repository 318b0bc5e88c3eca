//! Generational handles: every object the JVM may name, and what becomes of it after a panic.

use crate::context::ContextObject;
use crate::fault::Thrown;
use crate::host::HostObject;
use reconstruction_core::convention::Fault;
use slotmap::{Key, KeyData, SlotMap};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

slotmap::new_key_type! {
    /// Key of an object; its bits are the handle.
    pub struct ObjectKey;
}

/// An object that has a handle.
pub trait Object: Send + Sized + 'static {
    /// What the caller calls it.
    const KIND: &'static str;
    /// Its own map.
    fn map() -> &'static Objects<Self>;
}

/// All objects of one kind. Handles of different kinds differ, so that one is never taken for the other.
pub struct Objects<T> {
    slots: Mutex<SlotMap<ObjectKey, Arc<Mutex<T>>>>,
    tag: u64,
}

impl<T: Object> Objects<T> {
    fn new(tag: u64) -> Self {
        Objects {
            slots: Mutex::new(SlotMap::with_key()),
            tag,
        }
    }

    /// The map's lock is held for map operations alone, which leave it whole even when they panic.
    fn slots(&self) -> MutexGuard<'_, SlotMap<ObjectKey, Arc<Mutex<T>>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes an object in; the handle is positive.
    pub fn insert(&self, object: T) -> i64 {
        let key = self.slots().insert(Arc::new(Mutex::new(object)));
        // Generations are odd and below 2^32; the tag sits in the lowest bits, beside the 28 bits of the index.
        let bits = key.data().as_ffi();
        (((bits >> 32) & 0x3fff_ffff) << 32 | (bits & 0x0fff_ffff) << 4 | self.tag) as i64
    }

    fn key(&self, handle: i64) -> Result<ObjectKey, Thrown> {
        let bits = handle as u64;
        // An even generation is forged: `from_ffi` would round it up to a real one.
        if handle <= 0 || bits & 0xf != self.tag || (bits >> 32) & 1 == 0 {
            return Err(unknown::<T>(handle));
        }
        let ffi = (bits >> 32) << 32 | (bits & 0xffff_ffff) >> 4;
        Ok(KeyData::from_ffi(ffi).into())
    }

    /// Runs `f` on the object of a handle. A panic breaks the object: every later call but `remove` is refused.
    pub fn with<R>(
        &self,
        handle: i64,
        f: impl FnOnce(&mut T) -> Result<R, Thrown>,
    ) -> Result<R, Thrown> {
        let key = self.key(handle)?;
        let object = self
            .slots()
            .get(key)
            .cloned()
            .ok_or_else(|| unknown::<T>(handle))?;
        let mut object = object.lock().map_err(|_| {
            Thrown::new(
                Fault::InternalFault,
                format!(
                    "{}: expected a whole object, got one broken by an earlier internal fault; close it and create a new one",
                    T::KIND
                ),
            )
        })?;
        f(&mut object)
    }

    /// Whether a handle names an object, broken or not.
    pub fn contains(&self, handle: i64) -> bool {
        self.key(handle)
            .is_ok_and(|key| self.slots().contains_key(key))
    }

    /// Takes an object out and drops it; false when there is none. A broken one whose end panics again is forgotten.
    pub fn remove(&self, handle: i64) -> bool {
        let Ok(key) = self.key(handle) else {
            return false;
        };
        let Some(object) = self.slots().remove(key) else {
            return false;
        };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(object))) {
            std::mem::forget(payload);
        }
        true
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.slots().len()
    }
}

fn unknown<T: Object>(handle: i64) -> Thrown {
    Thrown::new(
        Fault::InvalidState,
        format!(
            "{}: expected an open one, got handle {handle:#x}, which is closed or never was; create a new one",
            T::KIND
        ),
    )
}

static HOSTS: LazyLock<Objects<HostObject>> = LazyLock::new(|| Objects::new(1));
static CONTEXTS: LazyLock<Objects<ContextObject>> = LazyLock::new(|| Objects::new(2));

impl Object for HostObject {
    const KIND: &'static str = "host";
    fn map() -> &'static Objects<Self> {
        &HOSTS
    }
}

impl Object for ContextObject {
    const KIND: &'static str = "context";
    fn map() -> &'static Objects<Self> {
        &CONTEXTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing(u32);
    static THINGS: LazyLock<Objects<Thing>> = LazyLock::new(|| Objects::new(3));
    impl Object for Thing {
        const KIND: &'static str = "thing";
        fn map() -> &'static Objects<Self> {
            &THINGS
        }
    }

    #[test]
    fn a_stale_handle_never_names_a_newer_object() {
        let things = Objects::<Thing>::new(5);
        let first = things.insert(Thing(1));
        assert!(things.remove(first));
        let mut handles = vec![first];
        for i in 0..1000 {
            let handle = things.insert(Thing(i));
            assert!(!handles.contains(&handle));
            let error = things.with(first, |_| Ok(())).unwrap_err();
            assert_eq!(error.fault, Fault::InvalidState);
            assert!(error.line.contains("closed or never was"), "{}", error.line);
            assert_eq!(things.with(handle, |thing| Ok(thing.0)), Ok(i));
            assert!(things.remove(handle));
            assert!(!things.remove(handle));
            handles.push(handle);
        }
        assert_eq!(things.len(), 0);
    }

    #[test]
    fn a_handle_of_another_kind_is_refused() {
        let (things, others) = (Objects::<Thing>::new(5), Objects::<Thing>::new(6));
        let (thing, other) = (things.insert(Thing(1)), others.insert(Thing(2)));
        assert_ne!(thing, other);
        assert!(things.with(other, |_| Ok(())).is_err());
        assert!(others.with(thing, |_| Ok(())).is_err());
        for handle in [
            0,
            -1,
            1,
            i64::MIN,
            i64::MAX,
            thing + 1,
            thing ^ (1 << 32),
            thing + (2 << 32),
        ] {
            assert!(things.with(handle, |_| Ok(())).is_err(), "{handle:#x}");
            assert!(!things.remove(handle));
        }
    }

    #[test]
    fn a_panic_breaks_its_object_and_no_other() {
        let things = Objects::<Thing>::new(5);
        let (broken, whole) = (things.insert(Thing(1)), things.insert(Thing(2)));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            things.with(broken, |_| -> Result<(), Thrown> { panic!("on purpose") })
        }));
        let thrown = Thrown::of_panic(&*caught.unwrap_err(), "here.rs:1");
        assert_eq!(thrown.fault, Fault::InternalFault);
        assert!(
            thrown.line.contains("on purpose, at here.rs:1"),
            "{}",
            thrown.line
        );
        let error = things.with(broken, |_| Ok(())).unwrap_err();
        assert_eq!(error.fault, Fault::InternalFault);
        assert!(error.line.contains("broken by an earlier"));
        assert_eq!(things.with(whole, |thing| Ok(thing.0)), Ok(2));
        assert!(things.remove(broken));
    }

    #[test]
    fn an_object_is_used_by_one_thread_at_a_time() {
        let things = Objects::<Thing>::new(5);
        let handle = things.insert(Thing(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        things
                            .with(handle, |thing| {
                                let seen = thing.0;
                                std::hint::spin_loop();
                                thing.0 = seen + 1;
                                Ok(())
                            })
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(things.with(handle, |thing| Ok(thing.0)), Ok(4000));
    }
}
