package reconstruction.internal

import java.nio.ByteBuffer

/** The entry points of the native library. Touching this object loads nothing: [NativeLibrary] does, on first use. */
internal object Native : Natives {
    override fun fingerprint(): Long = fingerprint0()

    override fun hostCreate(block: ByteBuffer): Long = hostCreate0(block)

    override fun hostCollect(host: Long, lastFinished: Long) = hostCollect0(host, lastFinished)

    override fun hostClose(host: Long) = hostClose0(host)

    override fun support(host: Long, block: ByteBuffer) = support0(host, block)

    override fun recommend(host: Long, block: ByteBuffer) = recommend0(host, block)

    override fun contextCreate(host: Long, block: ByteBuffer): Long = contextCreate0(host, block)

    override fun contextEvaluate(context: Long, block: ByteBuffer): Int = contextEvaluate0(context, block)

    override fun contextQuery(context: Long, question: Int, block: ByteBuffer) =
        contextQuery0(context, question, block)

    override fun contextClose(context: Long) = contextClose0(context)

    override fun fault(code: Int, handle: Long) = fault0(code, handle)

    @JvmStatic
    private external fun fingerprint0(): Long

    @JvmStatic
    private external fun hostCreate0(block: ByteBuffer): Long

    @JvmStatic
    private external fun hostCollect0(host: Long, lastFinished: Long)

    @JvmStatic
    private external fun hostClose0(host: Long)

    @JvmStatic
    private external fun support0(host: Long, block: ByteBuffer)

    @JvmStatic
    private external fun recommend0(host: Long, block: ByteBuffer)

    @JvmStatic
    private external fun contextCreate0(host: Long, block: ByteBuffer): Long

    @JvmStatic
    private external fun contextEvaluate0(context: Long, block: ByteBuffer): Int

    @JvmStatic
    private external fun contextQuery0(context: Long, question: Int, block: ByteBuffer)

    @JvmStatic
    private external fun contextClose0(context: Long)

    @JvmStatic
    private external fun fault0(code: Int, handle: Long)
}
