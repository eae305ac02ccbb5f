// Payloads are the positions, on the first pass.
alias Payload = u32;
const PAYLOAD_WORDS = 1u;
fn load_payload(i: u32) -> Payload { return i; }
fn store_payload(i: u32, low: u32, high: u32) { payloads_out_put(i, low); }
fn payload_low(p: Payload) -> u32 { return p; }
fn payload_high(p: Payload) -> u32 { return 0u; }
