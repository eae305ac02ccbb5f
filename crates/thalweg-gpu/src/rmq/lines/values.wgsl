// Answers queries for values from the `lines` index, from the inside of the range outwards: groups by the table, blocks by their
// records, lines by their minima, elements. What lies at an end is opened only if the minimum one level up can still matter.
//
// Everything is read by the query's own thread, in packs: whatever a step needs is asked for before any of it is looked at.
// Where both ends are to be opened a thread takes them one after the other, the left one first, so that the threads of a
// subgroup open whichever end each has to at the same time. (For positions, for which more is computed, teams are as good: see
// `query.wgsl`.)
//
// With WINDOWS short ranges are answered by two windows of one length, which cover them.
//
// Bounds: l <= r < n by `query_or_first`. Lines l/LINE to r/LINE, blocks and groups above them exist then, and all
// indices below lie between those of l and r; arrays of minima are filled up to whole packs.

// The least of the slots first..end of a run, in a pack whose first slot has number `slot`.
fn in_run(ranks: Pack, slot: u32, first: u32, end: u32) -> Key { return pack_least(pack_of_run(ranks, slot - first, end - first)); }

// The least of the lines first..end of a block, and the line `beside`, which is next to them or where they would begin.
struct Run { least: Key, beside: Key }

fn lines_of_block(block: u32, first: u32, end: u32, beside: u32) -> Run {
    let head = min(first, beside) / PACK;
    let tail = max(end, beside + 1u) - 1u;
    var packs: array<Pack, BLOCK_PACKS>;
    @unroll for (var k = 0u; k < BLOCK_PACKS; k++) {
        if k >= head && k * PACK <= tail { packs[k] = line_minima[block * BLOCK_PACKS + k]; }
    }
    var run = Run(WORST, WORST);
    @unroll for (var k = 0u; k < BLOCK_PACKS; k++) {
        if k >= head && k * PACK <= tail {
            run.least = key_min(run.least, in_run(packs[k], k * PACK, first, end));
            if k == beside / PACK { run.beside = pack_key(packs[k], beside % PACK); }
        }
    }
    return run;
}

// The least of the lines between two that are at most DIRECT apart and not neighbours, and these two. Slots are lines, counted from
// the first of a pack.
struct Between { least: Key, left: Key, right: Key }

fn lines_between(a: u32, b: u32) -> Between {
    let start = a / PACK;
    let first = a % PACK + 1u;
    let end = b - start * PACK;
    let last = end / PACK;
    let head = line_minima[start];
    var tail = head;
    if last > 0u { tail = line_minima[start + last]; }
    var packs: array<Pack, INNER_PACKS>;
    @unroll for (var k = 0u; k < INNER_PACKS; k++) {
        if k + 1u < last { packs[k] = line_minima[start + k + 1u]; }
    }
    var least = in_run(head, 0u, first, end);
    @unroll for (var k = 0u; k < INNER_PACKS; k++) {
        if k + 1u < last { least = key_min(least, pack_least(packs[k])); }
    }
    // The head once more, if it is the tail.
    least = key_min(least, in_run(tail, last * PACK, select(0u, first, last == 0u), end));
    return Between(least, pack_key(head, first - 1u), pack_key(tail, end % PACK));
}

// The least of the elements first..end of a line.
fn elements_of_line(line: u32, first: u32, end: u32) -> Key {
    var packs: array<Pack, LINE_PACKS>;
    @unroll for (var k = 0u; k < LINE_PACKS; k++) {
        if (k + 1u) * PACK > first && k * PACK < end { packs[k] = values_at(line * LINE_PACKS + k); }
    }
    var least = WORST;
    @unroll for (var k = 0u; k < LINE_PACKS; k++) {
        if (k + 1u) * PACK > first && k * PACK < end {
            least = key_min(least, in_run(pack_told_ranks(packs[k]), k * PACK, first, end));
        }
    }
    return least;
}

fn least_of(q: Query) -> Key {
    let line_a = line_of(q.left);
    let line_b = line_of(q.right);
    let offset_a = q.left.x % LINE;
    let offset_b = q.right.x % LINE;
    let length = q.right.x - q.left.x + 1u;
    if WINDOWS && length < 2u * window_width(WINDOW_ROWS - 1u) {
        let row = window_row(length);
        let left = windows_at(row * params.len_low + q.left.x);
        return key_min(left, windows_at(row * params.len_low + q.right.x + 1u - window_width(row)));
    }
    var best = WORST;
    // Whether the elements at the ends must be looked at.
    var open_a = true;
    var open_b = line_a != line_b;
    let apart = line_b - line_a;
    let block_a = line_a / BLOCK;
    let block_b = line_b / BLOCK;
    var order_a = 0u;
    var order_b = 0u;
    if MONOTONE {
        order_a = order_of(block_a);
        order_b = order_of(block_b);
    }
    if apart > DIRECT {
        // DIRECT is at least BLOCK: two different blocks.
        let group_a = block_a / GROUP;
        let group_b = block_b / GROUP;
        var least_a = WORST;
        var least_b = WORST;
        if group_a == group_b {
            let blocks = blocks_between(block_a, block_b);
            best = blocks.best.rank;
            least_a = blocks.left;
            least_b = blocks.right;
        } else {
            let over_a = table[group_a];
            let over_b = table[group_b];
            if group_a + 1u < group_b { best = best_group(group_a + 1u, group_b - 1u).rank; }
            open_a = key_less(over_a, best);
            open_b = key_less(over_b, best);
            if open_a {
                let record = record_of(block_a);
                best = key_min(best, record.behind);
                least_a = record.own;
            }
            if open_b {
                let record = record_of(block_b);
                best = key_min(best, record.before);
                least_b = record.own;
            }
        }
        open_a = open_a && key_less(least_a, best);
        open_b = open_b && key_less(least_b, best);
        if MONOTONE {
            if open_a && order_a != 0u {
                open_a = false;
                if order_a == 1u { least_a = element(line_a, offset_a).rank; }
                best = key_min(best, least_a);
            }
            if open_b && order_b != 0u {
                open_b = false;
                if order_b == 2u { least_b = element(line_b, offset_b).rank; }
                best = key_min(best, least_b);
            }
        }
        // The lines of the two blocks.
        var look_a = open_a;
        var look_b = open_b;
        while look_a || look_b {
            let line = select(line_b, line_a, look_a);
            let slot = line % BLOCK;
            let run = lines_of_block(line / BLOCK, select(0u, slot + 1u, look_a), select(slot, BLOCK, look_a), slot);
            best = key_min(best, run.least);
            if look_a { least_a = run.beside; } else { least_b = run.beside; }
            look_b = look_b && look_a;
            look_a = false;
        }
        open_a = open_a && key_less(least_a, best);
        open_b = open_b && key_less(least_b, best);
    } else if MONOTONE && order_a != 0u && order_b != 0u && block_b - block_a <= 2u {
        open_a = false;
        open_b = false;
        if block_b - block_a == 2u { best = block_minimum(block_a + 1u).rank; }
        // The part of the left block, or the whole range in one block.
        if order_a == 1u {
            best = key_min(best, element(line_a, offset_a).rank);
        } else if block_a != block_b {
            best = key_min(best, block_minimum(block_a).rank);
        }
        if order_b == 2u {
            best = key_min(best, element(line_b, offset_b).rank);
        } else if block_a != block_b {
            best = key_min(best, block_minimum(block_b).rank);
        }
    } else if apart > 1u {
        let lines = lines_between(line_a, line_b);
        best = lines.least;
        open_a = key_less(lines.left, best);
        open_b = key_less(lines.right, best);
    }
    // Elements. A range inside one line is opened at its left end.
    while open_a || open_b {
        let line = select(line_b, line_a, open_a);
        let end = select(offset_b + 1u, LINE, open_a && apart > 0u);
        best = key_min(best, elements_of_line(line, select(0u, offset_a, open_a), end));
        open_b = open_b && open_a;
        open_a = false;
    }
    return best;
}
