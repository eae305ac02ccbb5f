//! Distances in steps: straight and diagonal ones, in 32 bits each.

use super::Length;

/// So many straight and so many diagonal steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Distance {
    straight: u32,
    diagonal: u32,
}

impl Distance {
    /// So many steps more.
    #[inline(always)]
    pub(super) fn plus(self, steps: u32, is_diagonal: bool) -> Self {
        if is_diagonal {
            Self { diagonal: self.diagonal + steps, ..self }
        } else {
            Self { straight: self.straight + steps, ..self }
        }
    }

    /// One step less, if there is one.
    pub(super) fn minus_one(self, is_diagonal: bool) -> Option<Self> {
        if is_diagonal {
            Some(Self { diagonal: self.diagonal.checked_sub(1)?, ..self })
        } else {
            Some(Self { straight: self.straight.checked_sub(1)?, ..self })
        }
    }

    /// Exactly. Most differences are small enough for floating-point numbers: if they are below 2^22, a + b√2 is 0 or
    /// further from it than 2^-24.
    #[inline(always)]
    pub(super) fn is_less(self, other: Self) -> bool {
        let a = i64::from(self.straight) - i64::from(other.straight);
        let b = i64::from(self.diagonal) - i64::from(other.diagonal);
        if a.abs().max(b.abs()) < 1 << 22 {
            a as f64 + (b as f64) * std::f64::consts::SQRT_2 < 0.0
        } else {
            self.length() < other.length()
        }
    }

    #[inline(always)]
    pub(super) fn approximate(self) -> f64 {
        f64::from(self.straight) + f64::from(self.diagonal) * std::f64::consts::SQRT_2
    }

    pub(super) fn length(self) -> Length {
        Length::new(u64::from(self.straight), u64::from(self.diagonal))
    }
}
