// Four ranks of the levels, which are declared as keys.
fn levels_four(i: u32) -> Four {
    return four_pack(levels_at(4u * i), levels_at(4u * i + 1u), levels_at(4u * i + 2u), levels_at(4u * i + 3u));
}
