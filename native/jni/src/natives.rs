//! The natives of `reconstruction.internal.Native`, each the stem of its Kotlin name.

use crate::blocks::Block;
use crate::boundary::guard;
use crate::context::ContextObject;
use crate::fault::Thrown;
use crate::host::HostObject;
use crate::objects::Object;
use jni::objects::{JByteBuffer, JClass};
use jni::sys::{jint, jlong};
use jni::{jni_mangle, EnvUnowned};
use reconstruction_core::convention::Fault;
use reconstruction_core::host_blocks::{
    fingerprint, ContextBlock, FrameBlock, HostBlock, ImageBlock, InputSlot, Query, RecommendBlock,
    StatisticsBlock, SupportBlock, CREATE_BYTES, EVALUATE_BYTES, TIMINGS_BYTES,
};

/// Hash of every block, code and shared number.
#[jni_mangle("reconstruction.internal.Native")]
pub fn fingerprint0<'local>(mut env: EnvUnowned<'local>, _class: JClass<'local>) -> jlong {
    guard(&mut env, |_| Ok(fingerprint() as jlong))
}

/// Makes a host of a [`HostBlock`].
#[jni_mangle("reconstruction.internal.Native")]
pub fn host_create0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    buffer: JByteBuffer<'local>,
) -> jlong {
    guard(&mut env, |env| {
        let block = Block::read(env, &buffer, HostBlock::SIZE)?;
        let host = HostObject::create(&HostBlock::get(block.bytes()))?;
        Ok(HostObject::map().insert(host))
    })
}

/// Frees closed contexts whose frames have finished.
#[jni_mangle("reconstruction.internal.Native")]
pub fn host_collect0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    host: jlong,
    last_finished: jlong,
) {
    guard(&mut env, |_| {
        HostObject::map().with(host, |host| host.collect(last_finished as u64))
    })
}

/// Ends a host and its contexts.
#[jni_mangle("reconstruction.internal.Native")]
pub fn host_close0<'local>(mut env: EnvUnowned<'local>, _class: JClass<'local>, host: jlong) {
    guard(&mut env, |_| HostObject::close(host))
}

/// Answers a [`SupportBlock`].
#[jni_mangle("reconstruction.internal.Native")]
pub fn support0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    host: jlong,
    buffer: JByteBuffer<'local>,
) {
    guard(&mut env, |env| {
        let mut block = Block::read(env, &buffer, SupportBlock::SIZE)?;
        let question = SupportBlock::get(block.bytes());
        let answer = HostObject::map().with(host, |host| host.support(question))?;
        block.write(0, &answer.bytes());
        Ok(())
    })
}

/// Answers a [`RecommendBlock`].
#[jni_mangle("reconstruction.internal.Native")]
pub fn recommend0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    host: jlong,
    buffer: JByteBuffer<'local>,
) {
    guard(&mut env, |env| {
        let mut block = Block::read(env, &buffer, RecommendBlock::SIZE)?;
        let question = RecommendBlock::get(block.bytes());
        let answer = HostObject::map().with(host, |host| host.recommend(question))?;
        block.write(0, &answer.bytes());
        Ok(())
    })
}

/// Makes a context of a [`ContextBlock`]; output image, debug image and answer are written behind it.
#[jni_mangle("reconstruction.internal.Native")]
pub fn context_create0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    host: jlong,
    buffer: JByteBuffer<'local>,
) -> jlong {
    guard(&mut env, |env| {
        let mut block = Block::read(env, &buffer, CREATE_BYTES)?;
        let (handle, answer) = ContextObject::create(host, &ContextBlock::get(block.bytes()))?;
        block.write(ContextBlock::SIZE, &answer);
        Ok(handle)
    })
}

/// Records a frame; the reply is written behind the images.
#[jni_mangle("reconstruction.internal.Native")]
pub fn context_evaluate0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    context: jlong,
    buffer: JByteBuffer<'local>,
) -> jint {
    guard(&mut env, |env| {
        let mut block = Block::read(env, &buffer, EVALUATE_BYTES)?;
        let reply =
            ContextObject::map().with(context, |context| context.evaluate(block.bytes()))?;
        let images = InputSlot::TABLE.len() * ImageBlock::SIZE;
        block.write(FrameBlock::SIZE + images, &reply.bytes());
        Ok(reply.outcome as jint)
    })
}

/// Answers a question of [`Query`].
#[jni_mangle("reconstruction.internal.Native")]
pub fn context_query0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    context: jlong,
    question: jint,
    buffer: JByteBuffer<'local>,
) {
    guard(&mut env, |env| {
        let question = Query::from_code(question as u32)?;
        let size = match question {
            Query::Timings => TIMINGS_BYTES,
            Query::Statistics => StatisticsBlock::SIZE,
        };
        let mut block = Block::read(env, &buffer, size)?;
        let answer = ContextObject::map().with(context, |context| context.query(question))?;
        block.write(0, &answer);
        Ok(())
    })
}

/// Closes a context. An unknown handle is a stale one: an error, so that the binding's own care is tested.
#[jni_mangle("reconstruction.internal.Native")]
pub fn context_close0<'local>(mut env: EnvUnowned<'local>, _class: JClass<'local>, context: jlong) {
    guard(&mut env, |_| {
        if ContextObject::map().remove(context) {
            Ok(())
        } else {
            ContextObject::map().with(context, |_| Ok(()))
        }
    })
}

/// Throws the fault of a code, or panics on any other, while holding the object of a handle where there is one: how
/// the tests of the binding see what a real fault would do.
#[jni_mangle("reconstruction.internal.Native")]
pub fn fault0<'local>(
    mut env: EnvUnowned<'local>,
    _class: JClass<'local>,
    code: jint,
    handle: jlong,
) {
    guard(&mut env, |_| {
        let fail = || -> Result<(), Thrown> {
            match Fault::from_code(code as u32) {
                Ok(Fault::None) => Ok(()),
                Ok(fault) => Err(Thrown::new(
                    fault,
                    format!("fault {code}: thrown on purpose; nothing to do"),
                )),
                Err(_) => panic!("fault {code}: panicked on purpose"),
            }
        };
        if handle == 0 {
            fail()
        } else {
            ContextObject::map().with(handle, |_| fail())
        }
    })
}
