//! Where to go on from a cell: what is left of the directions if one of all equally good orders of steps is looked at.

use super::tables::{DOWN, Jumps, LEFT, RIGHT, UP, diagonal, parts};

/// How a search goes on that arrived in a direction.
#[derive(Clone, Copy)]
struct Rule {
    /// These in any case.
    always: u8,
    /// And others if the cell on a side is free, and behind that there is a wall.
    sides: [Side; 2],
}

#[derive(Clone, Copy)]
struct Side {
    beside: u8,
    behind: u8,
    then: u8,
}

const NO_SIDES: [Side; 2] = [Side { beside: 0, behind: 0, then: 0 }; 2];

/// Diagonal steps first.
const EIGHT_RULES: [Rule; 8] = {
    let mut rules = [Rule { always: 0, sides: NO_SIDES }; 8];
    let mut direction = 0;
    while direction < 8 {
        rules[direction].always = 1 << direction;
        if direction >= 4 {
            let [a, b] = parts(direction);
            rules[direction].always |= 1 << a | 1 << b;
        } else {
            let mut k = 0;
            while k < 2 {
                let (side, behind, ahead) = if direction < LEFT {
                    (LEFT + k, diagonal(direction ^ 1, LEFT + k), diagonal(direction, LEFT + k))
                } else {
                    (UP + k, diagonal(UP + k, direction ^ 1), diagonal(UP + k, direction))
                };
                rules[direction].sides[k] =
                    Side { beside: 1 << side, behind: 1 << behind, then: 1 << side | 1 << ahead };
                k += 1;
            }
        }
        direction += 1;
    }
    rules
};

/// Horizontal steps first.
const FOUR_RULES: [Rule; 8] = {
    let mut rules = [Rule { always: 0, sides: NO_SIDES }; 8];
    let mut k = 0;
    while k < 2 {
        rules[LEFT + k].always = 1 << (LEFT + k) | 1 << UP | 1 << DOWN;
        rules[UP + k].always = 1 << (UP + k);
        let left = Side { beside: 1 << LEFT, behind: 1 << diagonal(UP + 1 - k, LEFT), then: 1 << LEFT };
        let right = Side { beside: 1 << RIGHT, behind: 1 << diagonal(UP + 1 - k, RIGHT), then: 1 << RIGHT };
        rules[UP + k].sides = [left, right];
        k += 1;
    }
    rules
};

/// The directions in which a step is possible.
#[inline(always)]
pub(super) fn possible(jumps: &Jumps) -> u8 {
    let mut possible = 0;
    for (direction, &jump) in jumps.iter().enumerate() {
        possible |= u8::from(jump != 0) << direction;
    }
    possible
}

/// The directions in which shortest paths go on that arrive in any of these.
#[inline(always)]
pub(super) fn successors<const EIGHT: bool>(mut arrivals: u8, possible: u8) -> u8 {
    let rules = if EIGHT { &EIGHT_RULES } else { &FOUR_RULES };
    let mut successors = 0;
    while arrivals != 0 {
        let rule = &rules[arrivals.trailing_zeros() as usize];
        arrivals &= arrivals - 1;
        successors |= rule.always;
        for side in rule.sides {
            if possible & side.beside != 0 && possible & side.behind == 0 {
                successors |= side.then;
            }
        }
    }
    successors
}
