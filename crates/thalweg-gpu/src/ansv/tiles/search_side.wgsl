fn side_search(worker: u32, workers: u32) {
    let count = min(atomicLoad(&counts[side_NUMBER]), params.capacity);
    for (var i = worker; i < count; i += workers) {
        let at = searches[side_NUMBER * params.capacity + i];
        if at != NONE {
            let found = side_find(key_at(at), side_start(at / TILE), 0u);
            if found != NONE { side_out_put_word(at, found); }
        }
    }
}

fn side_candidate(task: u32) {
    let tile = task >> 2u;
    // The first element from this side is always open, and no other open one is larger.
    let at = tile * TILE + select(min(TILE, params.count - tile * TILE) - 1u, 0u, side_LEFT);
    let found = side_find(key_at(at), side_start(tile), START);
    if found != NONE {
        let place = 2u * atomicAdd(&counts[3], 1u);
        heavy_put(place, task);
        heavy_put(place + 1u, found / BLOCKS);
    }
}
