// Segments in the frame of a side: x and y as unsigned numbers, the left end first, and for the upper side the plane
// turned over, so that the lowest is asked for in any case. Of a vertical segment the lowest point stands for both ends.
//
// `segments` holds rows of four words, x1, y1, x2, y2.
struct Segment { left: vec2<u32>, right: vec2<u32> }

fn in_frame(point: vec2<u32>) -> vec2<u32> { return point ^ vec2(FLIP, select(FLIP, ~FLIP, UPPER)); }

fn segment_of(i: u32) -> Segment {
    let row = segments_at(i);
    let a = in_frame(row.xy);
    let b = in_frame(row.zw);
    if a.x == b.x {
        let lowest = vec2(a.x, min(a.y, b.y));
        return Segment(lowest, lowest);
    }
    if a.x < b.x { return Segment(a, b); }
    return Segment(b, a);
}
