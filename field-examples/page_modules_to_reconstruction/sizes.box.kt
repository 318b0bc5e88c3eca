// First choose the two sizes: what is displayed, and the smaller one that is rendered.
val outputSize = ReconstructionSize(1920, 1080)
val mode = ReconstructionMode.QUALITY
val inputSize = DlssReconstruction.recommend(renderer, outputSize, mode).optimal
val neural = DlssReconstruction(renderer, inputSize, outputSize, mode)

bx += "outputSize" to outputSize
bx += "inputSize" to inputSize
bx += "neural" to neural

_r = frames {
    while (!bx.ended) yield()
    neural.close()
}
