alias Payload = u32;
const PAYLOAD_WORDS = 0u;
fn load_payload(i: u32) -> Payload { return 0u; }
fn store_payload(i: u32, low: u32, high: u32) {}
fn payload_low(p: Payload) -> u32 { return p; }
fn payload_high(p: Payload) -> u32 { return 0u; }
