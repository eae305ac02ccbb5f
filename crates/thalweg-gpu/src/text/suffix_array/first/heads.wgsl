// Where groups begin after the first round, as bits, and what neighbours have in common there. A workgroup takes THREADS
// neighbours of the suffix array; the bits behind the last suffix are set.
struct Params { count: u32, a: u32, words: u32 }

const INFINITE = 0xffffffffu;

var<workgroup> keys_here: array<vec2<u32>, THREADS>;
var<workgroup> bits_here: array<atomic<u32>, THREADS / 32u>;

fn key_of(position: u32) -> vec2<u32> { return vec2(packed(position), packed(position + SYMBOLS)); }

// Equal symbols before the first difference of two numbers, which there is.
fn equal_symbols(differ: u32) -> u32 { return (countLeadingZeros(differ) - (32u - SYMBOLS * BITS)) / BITS; }

@compute @workgroup_size(THREADS)
fn first_heads(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let first = linear_workgroup(group, groups) * THREADS;
    // Below 2^32: the text ends before 2^32 - 2^20.
    let i = first + thread;
    if thread < THREADS / 32u { atomicStore(&bits_here[thread], 0u); }
    var own = vec2(0u);
    if i < params.count { own = key_of(sa_at(i)); }
    keys_here[thread] = own;
    workgroupBarrier();
    var begins = true;
    var prefix = 0u;
    if i > 0u && i < params.count {
        var before: vec2<u32>;
        if thread > 0u { before = keys_here[thread - 1u]; } else { before = key_of(sa_at(i - 1u)); }
        let differ = own ^ before;
        begins = any(differ != vec2(0u));
        prefix = INFINITE;
        if begins {
            if differ.x != 0u { prefix = equal_symbols(differ.x); } else { prefix = SYMBOLS + equal_symbols(differ.y); }
        }
    }
    if begins { atomicOr(&bits_here[thread / 32u], 1u << (thread & 31u)); }
    if WITH_LCP && i < params.count { lcp_put(i, prefix); }
    workgroupBarrier();
    let word = first / 32u + thread;
    if thread < THREADS / 32u && word < params.words { heads_put(word, atomicLoad(&bits_here[thread])); }
}
