// A word goes with every key.
const PAYLOAD_WORDS = 1u;
fn load_payload(i: u32) -> vec2<u32> { return vec2(payloads_at(i), 0u); }
fn store_payload(i: u32, payload: vec2<u32>) { payloads_out_put(i, payload.x); }
