    let side_answers = side_solve(run, thread, there);
    var side_place = 0u;
    if side_answers.open != 0u { side_place = atomicAdd(&open_count[side_NUMBER], countOneBits(side_answers.open)); }
