//! Random choices, made from bytes: the same bytes, the same choices.

use arbitrary::Unstructured;

/// Once the bytes are used up, every choice is the first one: the simplest, by this folder's convention.
pub(crate) struct Choices<'b>(Unstructured<'b>);

impl<'b> Choices<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Choices<'b> {
        Choices(Unstructured::new(bytes))
    }

    /// A number from 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0.int_in_range(0..=count - 1).expect("a range that is not empty")
    }

    /// True one time in `times`.
    pub(crate) fn chance(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn are_used_up(&self) -> bool {
        self.0.is_empty()
    }
}

/// Bytes that look random (SplitMix64).
#[cfg(test)]
pub(crate) fn random_bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed;
    let words = std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    });
    words.flat_map(u64::to_le_bytes).take(count).collect()
}
