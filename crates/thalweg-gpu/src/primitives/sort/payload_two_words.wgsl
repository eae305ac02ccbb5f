// Two words go with every key.
const PAYLOAD_WORDS = 2u;
fn load_payload(i: u32) -> vec2<u32> { return payloads_at(i); }
fn store_payload(i: u32, payload: vec2<u32>) { payloads_out_put(i, payload); }
