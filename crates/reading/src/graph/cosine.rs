//! How near two vectors are.
//!
//! In: vectors of unit length. Out: their cosine, if it is large enough. Invariant: what is given
//! up early lies below the bound.

/// Cosine of two vectors of unit length (or zero); none if it is below `least`.
///
/// The square of a distance is twice what the cosine lacks to 1, and sums up part by part: most
/// pairs are told apart by the first of their numbers.
pub(super) fn cosine(a: &[f32], b: &[f32], least: f32) -> Option<f32> {
    const PART: usize = 64;
    // A little more than the bound: what is near it is decided by the cosine itself.
    let far = 2.0 * (1.0 - least) + 0.001;
    let mut distance = 0.0;
    for (x, y) in a.chunks(PART).zip(b.chunks(PART)) {
        distance += sum(x, y, |x, y| (x - y) * (x - y));
        if distance > far {
            return None;
        }
    }
    let cosine = sum(a, b, |x, y| x * y);
    (cosine >= least).then_some(cosine)
}

/// In eight sums: the additions of one would wait for each other.
fn sum(a: &[f32], b: &[f32], of: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| of(*x, *y)).sum();
    for (x, y) in left.zip(right) {
        for at in 0..8 {
            sums[at] += of(x[at], y[at]);
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cosine_is_found_where_it_is_large_enough_and_only_there(
            a in prop::collection::vec(-1.0_f32..1.0, 200),
            change in prop::collection::vec(-1.0_f32..1.0, 200),
            share in 0.0_f32..1.0,
            least in 0.0_f32..1.0,
        ) {
            let unit = |mut vector: Vec<f32>| { crate::embed::to_unit_length(&mut vector); vector };
            let b = unit(a.iter().zip(&change).map(|(x, y)| x + share * y).collect());
            let a = unit(a);
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum();
            match cosine(&a, &b, least) {
                Some(found) => prop_assert!((f64::from(found) - plain).abs() < 1e-4 && found >= least),
                None => prop_assert!(plain < f64::from(least) + 1e-4),
            }
            prop_assert_eq!(cosine(&a, &[0.0; 200], 0.4), None);
        }
    }
}
