//! The one way from the JVM into this library: errors and panics become exceptions.

use crate::fault::Thrown;
use jni::errors::ErrorPolicy;
use jni::strings::JNIString;
use jni::{Env, EnvUnowned};
use std::any::Any;
use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    /// Where the last panic of this thread happened.
    static PANICKED_AT: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Panics say where in their exception instead of on the console.
fn remember_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            if let Some(location) = info.location() {
                let place = format!("{}:{}", location.file(), location.line());
                // A thread that is going down has no storage left, and no caller who could read it.
                let _ = PANICKED_AT.try_with(|at| at.replace(place));
            }
        }));
    });
}

/// Throws the exception of a fault and answers the type's zero.
pub struct ThrowFault;

impl<T: Default> ErrorPolicy<T, Thrown> for ThrowFault {
    type Captures<'local: 'native, 'native> = ();

    fn on_error<'local: 'native, 'native>(
        env: &mut Env<'local>,
        _captures: &mut (),
        thrown: Thrown,
    ) -> jni::errors::Result<T> {
        throw(env, &thrown);
        Ok(T::default())
    }

    fn on_panic<'local: 'native, 'native>(
        env: &mut Env<'local>,
        _captures: &mut (),
        payload: Box<dyn Any + Send + 'static>,
    ) -> jni::errors::Result<T> {
        let place = PANICKED_AT.take();
        throw(env, &Thrown::of_panic(&*payload, &place));
        // A payload whose drop panics must not unwind into the JVM.
        std::mem::forget(payload);
        Ok(T::default())
    }
}

/// An exception that is already pending stays: it says more than what followed from it.
fn throw(env: &mut Env<'_>, thrown: &Thrown) {
    if env.exception_check() {
        return;
    }
    // `throw_new` answers an error in both cases: the exception is pending, or its class is missing and that is pending.
    let _ = env.throw_new(thrown.class(), JNIString::from(thrown.ascii_line()));
}

/// Runs a native's work behind the boundary.
pub fn guard<'local, T: Default>(
    env: &mut EnvUnowned<'local>,
    work: impl FnOnce(&mut Env<'local>) -> Result<T, Thrown>,
) -> T {
    remember_panics();
    env.with_env(work).resolve::<ThrowFault>()
}
