// A short list of what remains. Links of elements that are left lead to such.
fn remaining(k: u32, i: u32) {
    var link = records_at(i).x;
    if link != NONE { link = numbers_at(link); }
    few_put(k, record_of(link, value_of(records_at(i))));
}
