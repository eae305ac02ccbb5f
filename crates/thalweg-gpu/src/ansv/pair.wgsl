// One tile's open elements on one side. `target_tile` is the nearest tile with a neighbour of the largest of them.
fn side_pair(tile: u32, target_tile: u32, thread: u32) {
    let first = tile * TILE;
    let own = thread * ITEMS;
    let valid = clamp(min(TILE, params.count - first), own, own + ITEMS) - own;
    tile_load(tile, thread);
    // What is open has no answer yet.
    var open = 0u;
    for (var q = 0u; 4u * q < valid; q++) {
        let answer = side_out_at(tile * (TILE / 4u) + thread * QUADS + q);
        open |= mask_of(answer == vec4(NONE)) << (4u * q);
    }
    open &= low_bits(valid);
    // How many are open in the runs before, counted from this side.
    let order = select(THREADS - 1u - thread, thread, side_LEFT);
    var sum = countOneBits(open);
    scan[order] = sum;
    workgroupBarrier();
    for (var step = 1u; step < THREADS; step <<= 1u) {
        var more = 0u;
        if order >= step { more = scan[order - step]; }
        workgroupBarrier();
        sum += more;
        scan[order] = sum;
        workgroupBarrier();
    }
    let total = workgroupUniformLoad(&scan[THREADS - 1u]);
    var place = sum - countOneBits(open);
    while open != 0u {
        var k = 0u;
        if side_LEFT { k = firstTrailingBit(open); } else { k = firstLeadingBit(open); }
        open_place[place] = own + k;
        open_key[place] = tile_key((k >> 2u) * STRIDE + thread, k & 3u);
        open &= ~(1u << k);
        place++;
    }
    var other = target_tile;
    var done = 0u;
    // Rounds cost about as much as ROUND searches: with this limit, the whole costs at most twice the cheaper way.
    var rounds = total / ROUND + 2u;
    loop {
        workgroupBarrier();
        tile_load(other, thread);
        workgroupBarrier();
        let minima = run_quads(thread);
        run_minima[thread] = minima;
        let near = select(thread, THREADS - 1u - thread, side_LEFT);
        var least = four_min(minima);
        minima_to[near] = least;
        workgroupBarrier();
        for (var step = 1u; step < THREADS; step <<= 1u) {
            var more = WORST;
            if near >= step { more = minima_to[near - step]; }
            workgroupBarrier();
            least = key_min(least, more);
            minima_to[near] = least;
            workgroupBarrier();
        }
        let lowest = minima_to[THREADS - 1u];
        for (var i = done + thread; i < total; i += THREADS) {
            let key = open_key[i];
            if !before(lowest, key) { break; }
            var nearest = 0u;
            for (var step = THREADS / 2u; step > 0u; step >>= 1u) {
                if !before(minima_to[nearest + step - 1u], key) { nearest += step; }
            }
            let run = select(nearest, THREADS - 1u - nearest, side_LEFT);
            let quad = side_pick_quad(four_before(run_minima[run], key));
            let element = side_pick(four_before(tile_keys[quad * STRIDE + run], key));
            side_out_put_word(first + open_place[i], other * TILE + run * ITEMS + 4u * quad + element);
            // The keys do not grow: exactly one thread is here for the last of this round.
            if i + 1u == total { settled = total; } else if !before(lowest, open_key[i + 1u]) { settled = i + 1u; }
        }
        // The target holds a neighbour of the first open element, so `settled` was written.
        done = workgroupUniformLoad(&settled);
        if done == total { break; }
        let start = select(other + 1u, other, side_LEFT) * BLOCKS;
        rounds--;
        if rounds == 0u {
            for (var i = done + thread; i < total; i += THREADS) {
                let found = side_find(open_key[i], start, 0u);
                if found == NONE { break; }
                side_out_put_word(first + open_place[i], found);
            }
            break;
        }
        if thread == 0u { target_block = side_find(open_key[done], start, START); }
        let block = workgroupUniformLoad(&target_block);
        if block == NONE { break; }
        other = block / BLOCKS;
    }
    workgroupBarrier();
}
