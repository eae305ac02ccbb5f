// Everybody to their place, and the new ranks. Who is not alone in its group stays.
fn each(i: u32) {
    let rank = heads_at(i);
    let slot = slot_of(i);
    let position = positions_at(i);
    sa_put(slot, position);
    ranks_put(position, rank);
    var alone = rank == slot;
    if i + 1u < params.count { alone = alone && heads_at(i + 1u) != rank; }
    stays_put(i, select(1u, 0u, alone));
}
