//! Straight-line WGSL of the transforms that a thread does in its registers: the butterflies.
//!
//! Names of values go in, names of values come out, and text is written on the way. Products of small numbers are transformed
//! by the rule of Cooley and Tukey with the roots of unity as literals; odd primes by pairs of values, which takes half of
//! the multiplications of the definition.

use std::fmt::Write;

use thalweg_fourier::root_of_unity;

/// The primes that butterflies are made of.
pub(super) const PRIMES: [u32; 6] = [2, 3, 5, 7, 11, 13];

/// Text under way, and how many names it has used.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) text: String,
    names: u32,
}

impl Code {
    /// Gives a value a name.
    pub(super) fn name(&mut self, expression: &str) -> String {
        self.names += 1;
        let name = format!("x{}", self.names);
        writeln!(self.text, "let {name} = {expression};").expect("a string takes all");
        name
    }

    /// The forward transform of named values: the names of the results, in order.
    pub(super) fn transform(&mut self, values: &[String]) -> Vec<String> {
        let n = values.len();
        match n {
            1 => values.to_vec(),
            2 => {
                let [a, b] = [&values[0], &values[1]];
                vec![self.name(&format!("{a} + {b}")), self.name(&format!("{a} - {b}"))]
            }
            _ => match first_factor(n) {
                p if p == n => self.odd_prime(values),
                p => self.product(values, p),
            },
        }
    }

    /// `n = p q`: transforms of length `p`, a turn of every value, transforms of length `q`.
    fn product(&mut self, values: &[String], p: usize) -> Vec<String> {
        let (n, q) = (values.len(), values.len() / p);
        let columns: Vec<Vec<String>> = (0..q)
            .map(|j| {
                let column: Vec<_> = (0..p).map(|i| values[i * q + j].clone()).collect();
                let column = self.transform(&column);
                column.iter().enumerate().map(|(k, value)| self.turned(value, k * j, n)).collect()
            })
            .collect();
        let mut out = vec![String::new(); n];
        for k in 0..p {
            let row: Vec<_> = columns.iter().map(|column| column[k].clone()).collect();
            for (l, value) in self.transform(&row).into_iter().enumerate() {
                out[k + p * l] = value;
            }
        }
        out
    }

    fn odd_prime(&mut self, values: &[String]) -> Vec<String> {
        let n = values.len();
        let half = n / 2;
        let first = &values[0];
        let sums: Vec<_> = (1..=half).map(|j| self.name(&format!("{} + {}", values[j], values[n - j]))).collect();
        let differences: Vec<_> =
            (1..=half).map(|j| self.name(&format!("{} - {}", values[j], values[n - j]))).collect();
        let mut out = vec![String::new(); n];
        out[0] = self.name(&format!("{first} + ({})", sums.join(" + ")));
        for k in 1..=half {
            let root = |j: usize| root_of_unity((j * k) as u64, n as u64);
            let terms = |values: &[String], of: &dyn Fn(usize) -> f64| -> String {
                let terms: Vec<_> =
                    values.iter().enumerate().map(|(j, value)| format!("{value} * {}", literal(of(j + 1)))).collect();
                terms.join(" + ")
            };
            let even = self.name(&format!("{first} + ({})", terms(&sums, &|j| root(j).re)));
            let odd = self.name(&terms(&differences, &|j| root(j).im));
            out[k] = self.name(&format!("{even} + vec2<f32>({odd}.y, -{odd}.x)"));
            out[n - k] = self.name(&format!("{even} - vec2<f32>({odd}.y, -{odd}.x)"));
        }
        out
    }

    /// The value times `exp(-2 pi i * numerator / denominator)`.
    fn turned(&mut self, value: &str, numerator: usize, denominator: usize) -> String {
        let numerator = numerator % denominator;
        if !(8 * numerator).is_multiple_of(denominator) {
            let root = root_of_unity(numerator as u64, denominator as u64);
            let (c, s) = (literal(root.re), literal(root.im));
            return self
                .name(&format!("vec2<f32>({value}.x * {c} + {value}.y * {s}, {value}.y * {c} - {value}.x * {s})"));
        }
        let half = literal(std::f64::consts::FRAC_1_SQRT_2);
        let (v, h) = (value, half);
        match 8 * numerator / denominator {
            0 => value.to_owned(),
            1 => self.name(&format!("vec2<f32>({v}.x + {v}.y, {v}.y - {v}.x) * {h}")),
            2 => self.name(&format!("vec2<f32>({v}.y, -{v}.x)")),
            3 => self.name(&format!("vec2<f32>({v}.y - {v}.x, -{v}.x - {v}.y) * {h}")),
            4 => self.name(&format!("-{v}")),
            5 => self.name(&format!("vec2<f32>(-{v}.x - {v}.y, {v}.x - {v}.y) * {h}")),
            6 => self.name(&format!("vec2<f32>(-{v}.y, {v}.x)")),
            _ => self.name(&format!("vec2<f32>({v}.x - {v}.y, {v}.x + {v}.y) * {h}")),
        }
    }
}

/// The nearest `f32`, as WGSL writes it.
pub(in crate::fourier) fn literal(value: f64) -> String {
    format!("({:?}f)", value as f32)
}

/// What a product of small primes is split by: 4 where it can be, for the fewest turns.
fn first_factor(n: usize) -> usize {
    if n.is_multiple_of(4) && n > 4 {
        return 4;
    }
    PRIMES.iter().map(|&p| p as usize).find(|&p| n.is_multiple_of(p)).unwrap_or(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_two() {
        let mut code = Code::default();
        assert_eq!(code.transform(&["a".into(), "b".into()]), ["x1", "x2"]);
        assert_eq!(code.text, "let x1 = a + b;\nlet x2 = a - b;\n");
    }

    #[test]
    fn four_values_take_no_multiplication() {
        let mut code = Code::default();
        code.transform(&["a", "b", "c", "d"].map(String::from));
        assert!(!code.text.contains('*'), "{}", code.text);
    }
}
