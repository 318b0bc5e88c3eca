package reconstruction.internal

import java.nio.ByteBuffer

/**
 * What the native library can do. Handles are never 0 and never used again; a stale one throws InvalidState.
 * Buffers are direct and at least as long as their blocks; nothing keeps them after the call.
 */
internal interface Natives {
    /** Hash of every block and code of the library. */
    fun fingerprint(): Long

    /** Reads a [HostBlock]; answers the host's handle. */
    fun hostCreate(block: ByteBuffer): Long

    /** Frees what closed contexts used up to and including frame [lastFinished]. */
    fun hostCollect(host: Long, lastFinished: Long)

    /** Frees everything at once, contexts included: the device must be idle. */
    fun hostClose(host: Long)

    /** Answers in the [SupportBlock]. */
    fun support(host: Long, block: ByteBuffer)

    /** Answers in the [RecommendBlock]. */
    fun recommend(host: Long, block: ByteBuffer)

    /** Reads a [ContextBlock], writes two [ImageBlock] and a [CreatedBlock] behind it; answers the context's handle. */
    fun contextCreate(host: Long, block: ByteBuffer): Long

    /** Records a [FrameBlock] and its images, writes the [ReplyBlock] behind them; answers the outcome's code. */
    fun contextEvaluate(context: Long, block: ByteBuffer): Int

    /** Answers a question of [QueryCode]. */
    fun contextQuery(context: Long, question: Int, block: ByteBuffer)

    /** Marks the context; its memory goes when the frames that use it have finished. */
    fun contextClose(context: Long)

    /** Throws the fault of a [FaultCode], or panics on any other code, as if it happened to the object of [handle]. */
    fun fault(code: Int, handle: Long)
}
