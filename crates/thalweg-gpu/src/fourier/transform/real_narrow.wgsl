output_put(i, input_at(i).x * FACTOR);
