alias Element = u32;
