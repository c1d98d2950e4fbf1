// SPDX-License-Identifier: Apache-2.0
// prog N: N added up one by one.

#[inline(never)]
fn add(a: u32, b: u32) -> u32 {
    a + b
}

fn sum(n: u32) -> u32 {
    (0..n).fold(0, |s, _| add(s, 1))
}

fn main() {
    let n = std::env::args().nth(1).map_or(0, |a| a.parse().unwrap());
    println!("{}", sum(n));
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn small() {
        assert_eq!(sum(5), 5);
    }

    #[test]
    fn large() {
        assert_eq!(sum(4000), 4000);
    }
}
