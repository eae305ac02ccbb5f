//! The smallest of several solutions, on the device: walks over the cells that ask questions together (`walk.wgsl`).

use thalweg_core::Result;

use super::search::{Found, Slots, WORDS};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::survivors;
use crate::transfer;

/// Words of a walk: candidates, the cell, the puzzle.
const WALK: u64 = WORDS + 2;

/// Replaces the solutions of puzzles that have several by the smallest ones.
pub(super) fn descend(device: &Device, slots: &Slots<'_>, starts: &Buffer, puzzles: u64, found: &Found) -> Result<()> {
    let Some(solved) = &found.solved else { return Ok(()) };
    let flags = DeviceArray::<u32>::new(device, puzzles)?;
    let mut commands = device.record();
    let flag = "flags_put(i, select(0u, 1u, counts_at(i) > 1u));";
    Elementwise::statement(device, puzzles, "sudoku several", flag)
        .declare(|source| source.reads("counts", "u32"), [found.counts.all()].into_iter())
        .writes("flags", "u32", &flags)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    let several = survivors(&flags)?;
    let count = several.count();
    if count == 0 {
        return Ok(());
    }

    let walks = device.words(WALK * count, "walks")?;
    let mut lists = [DeviceArray::<u32>::new(device, count)?, DeviceArray::<u32>::new(device, count)?];
    let questions = device.words(WORDS * count, "questions")?;
    let open = device.words(1, "open walks")?;
    let answers = Found::new(device, count, true)?;
    let answered = answers.solved.as_ref().expect("solutions were asked for");
    let mut commands = device.record();
    let begin = "let puzzle = several_at(i); list_put(i, i); \
        for (var word = 0u; word < 27u; word++) { walks_put(29u * i + word, starts_at(27u * puzzle + word)); } \
        walks_put(29u * i + 27u, 0u); walks_put(29u * i + 28u, puzzle);";
    Elementwise::statement(device, count, "sudoku walks", begin)
        .reads("several", "u32", &several)
        .declare(|source| source.reads("starts", "u32").writes("walks", "u32"), [starts.all(), walks.all()].into_iter())
        .writes("list", "u32", &lists[0])
        .dispatch(&mut commands, &[])?;
    let (mut going, mut has_answers) = (count, 0);
    loop {
        commands.clear(&open, 4);
        let own = [walks.all(), solved.all(), answers.counts.all(), answered.all(), questions.all(), open.all()];
        Elementwise::new(device, going, "sudoku walk", include_str!("walk.wgsl"))
            .include(include_str!("cells.wgsl"))
            .declare(
                |source| {
                    let source = source.writes("walks", "u32").writes("solved", "u32").reads("answers", "u32");
                    source.reads("found", "u32").writes("questions", "u32").atomics("open")
                },
                own.into_iter(),
            )
            .reads("list", "u32", &lists[0])
            .writes("next_list", "u32", &lists[1])
            .dispatch(&mut commands, &[has_answers])?;
        commands.submit()?;
        going = transfer::read_word(device, &open, 0)?.into();
        if going == 0 {
            return Ok(());
        }
        slots.search(&questions, going, 1, &answers)?;
        lists.swap(0, 1);
        has_answers = 1;
        commands = device.record();
    }
}
