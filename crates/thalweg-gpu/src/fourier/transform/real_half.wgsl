// The first frequencies of whole lines.
    let line = i / (HALF * STRIDE);
    output_put(i, input_at(line * LEN * STRIDE + i % (HALF * STRIDE)) * FACTOR);
