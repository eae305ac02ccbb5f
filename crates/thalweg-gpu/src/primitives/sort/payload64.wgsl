alias Payload = vec2<u32>;
const PAYLOAD_WORDS = 2u;
fn load_payload(i: u32) -> Payload { return payloads_at(i); }
fn store_payload(i: u32, low: u32, high: u32) { payloads_out_put(i, vec2(low, high)); }
fn payload_low(p: Payload) -> u32 { return p.x; }
fn payload_high(p: Payload) -> u32 { return p.y; }
