output_put(i, vec2<f32>(input_at(i), 0.0));
