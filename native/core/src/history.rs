//! The rules of history: when a frame may build on the ones before it, and why not.

use crate::convention::{Bypass, ResetReason};
use std::collections::VecDeque;

/// What the rules look at in one evaluated frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The caller's frame index: advances by one per recorded frame.
    pub frame_index: i64,
    /// The host's own frame counter.
    pub host_frame: u64,
    /// The caller's scene revision.
    pub revision: i64,
    /// Identities of the colour, depth and motion images.
    pub images: [u64; 3],
    /// Fingerprint of the conventions of the inputs.
    pub conventions: u64,
    /// Displacement of the picture in render pixels.
    pub jitter_px: [f32; 2],
    /// Factor from radiance to stored colour.
    pub stored_factor: f32,
    /// What the frame shows.
    pub bypass: Bypass,
    /// Whether the caller asked for a reset.
    pub reset_requested: bool,
}

/// What follows for the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decision {
    /// Why history begins anew; [`ResetReason::None`] when it goes on.
    pub reset: ResetReason,
    /// Which of the two histories this frame writes.
    pub parity: usize,
    /// Frames since the last reset; 0 in the frame that resets.
    pub frames_since_reset: u32,
    /// Jitter of the frame that wrote the history; this frame's own after a reset.
    pub history_jitter_px: [f32; 2],
    /// Factor from radiance to stored colour in the history; this frame's own after a reset.
    pub history_factor: f32,
}

/// The last reset of a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastReset {
    /// Frame index of the frame that reset.
    pub frame_index: i64,
    /// Why.
    pub reason: ResetReason,
}

/// Remembers what the rules need from one frame to the next.
#[derive(Debug, Clone)]
pub struct Tracker {
    remembered: usize,
    last: Option<Observation>,
    /// Image identities of the last evaluates, newest at the back.
    seen: VecDeque<[u64; 3]>,
    is_after_decline: bool,
    is_reset_pending: bool,
    parity: usize,
    frames_since_reset: u32,
    history_jitter_px: [f32; 2],
    history_factor: f32,
    last_reset: Option<LastReset>,
}

impl Tracker {
    /// A tracker for a host with this many frames in flight: as many targets may take turns without a reset.
    pub fn new(frames_in_flight: u32) -> Self {
        let remembered = frames_in_flight as usize + 1;
        Tracker {
            remembered,
            last: None,
            seen: VecDeque::with_capacity(remembered + 1),
            is_after_decline: false,
            is_reset_pending: false,
            parity: 1,
            frames_since_reset: 0,
            history_jitter_px: [0.0; 2],
            history_factor: 1.0,
            last_reset: None,
        }
    }

    /// Takes note of a frame that is about to be recorded, and decides about its history.
    pub fn observe(&mut self, now: &Observation) -> Decision {
        let reset = self.reason(now);
        let is_bypassed = now.bypass != Bypass::Off;
        let (mut history_jitter_px, mut history_factor) =
            (self.history_jitter_px, self.history_factor);
        if is_bypassed {
            self.is_reset_pending |= now.reset_requested;
        } else {
            self.is_reset_pending = false;
            self.is_after_decline = false;
            self.parity = 1 - self.parity;
            if reset == ResetReason::None {
                self.frames_since_reset = self.frames_since_reset.saturating_add(1);
            } else {
                self.frames_since_reset = 0;
                self.seen.clear();
                (history_jitter_px, history_factor) = (now.jitter_px, now.stored_factor);
                self.last_reset = Some(LastReset {
                    frame_index: now.frame_index,
                    reason: reset,
                });
            }
            (self.history_jitter_px, self.history_factor) = (now.jitter_px, now.stored_factor);
        }
        self.remember(now);
        Decision {
            reset: if is_bypassed {
                ResetReason::None
            } else {
                reset
            },
            parity: self.parity,
            frames_since_reset: self.frames_since_reset,
            history_jitter_px,
            history_factor,
        }
    }

    /// Takes note of a frame that could not be reconstructed: history stays, the next good frame resets.
    pub fn decline(&mut self, now: &Observation) {
        self.is_after_decline = true;
        self.is_reset_pending |= now.reset_requested;
        self.remember(now);
    }

    /// The last reset, if a frame was reconstructed at all.
    pub fn last_reset(&self) -> Option<LastReset> {
        self.last_reset
    }

    fn remember(&mut self, now: &Observation) {
        self.seen.push_back(now.images);
        if self.seen.len() > self.remembered {
            self.seen.pop_front();
        }
        self.last = Some(*now);
    }

    fn reason(&self, now: &Observation) -> ResetReason {
        let Some(last) = &self.last else {
            return ResetReason::First;
        };
        if now.reset_requested || self.is_reset_pending {
            return ResetReason::Requested;
        }
        if last.bypass != Bypass::Off {
            // Also the first reconstructed frame of a context that began bypassed.
            return ResetReason::BypassEnded;
        }
        if self.is_after_decline {
            return ResetReason::AfterDecline;
        }
        if now.revision != last.revision {
            return ResetReason::Revision;
        }
        if now.conventions != last.conventions {
            return ResetReason::ConventionChanged;
        }
        if self.is_image_new(now) {
            return ResetReason::InputReplaced;
        }
        match now.frame_index.checked_sub(last.frame_index) {
            Some(1) => {}
            Some(0) => return ResetReason::IndexRepeated,
            Some(step) if step < 0 => return ResetReason::IndexDecreased,
            _ => return ResetReason::IndexSkipped,
        }
        if now.host_frame.wrapping_sub(last.host_frame) > 1 {
            return ResetReason::Resumed;
        }
        ResetReason::None
    }

    /// Whether an image is none of those of the last evaluates, once enough were seen to tell.
    fn is_image_new(&self, now: &Observation) -> bool {
        self.seen.len() == self.remembered
            && (0..3).any(|slot| self.seen.iter().all(|seen| seen[slot] != now.images[slot]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn frame(index: i64) -> Observation {
        Observation {
            frame_index: index,
            host_frame: 100 + index as u64,
            revision: 1,
            images: [10, 20, 30],
            conventions: 7,
            jitter_px: [0.25, index as f32 / 1024.0],
            stored_factor: 1.0,
            bypass: Bypass::Off,
            reset_requested: false,
        }
    }

    /// A tracker that has seen frames `0..count`.
    fn running(count: i64) -> Tracker {
        let mut tracker = Tracker::new(2);
        for index in 0..count {
            let reset = tracker.observe(&frame(index)).reset;
            let wanted = if index == 0 {
                ResetReason::First
            } else {
                ResetReason::None
            };
            assert_eq!(reset, wanted);
        }
        tracker
    }

    fn reset_of(change: impl FnOnce(&mut Observation)) -> ResetReason {
        let mut tracker = running(6);
        let mut now = frame(6);
        change(&mut now);
        let reason = tracker.observe(&now).reset;
        if reason != ResetReason::None {
            assert_eq!(
                tracker.last_reset(),
                Some(LastReset {
                    frame_index: now.frame_index,
                    reason
                })
            );
        }
        reason
    }

    #[test]
    fn each_cause_alone() {
        assert_eq!(reset_of(|_| {}), ResetReason::None);
        assert_eq!(
            reset_of(|f| f.reset_requested = true),
            ResetReason::Requested
        );
        assert_eq!(reset_of(|f| f.revision = 2), ResetReason::Revision);
        assert_eq!(
            reset_of(|f| f.conventions = 8),
            ResetReason::ConventionChanged
        );
        assert_eq!(reset_of(|f| f.images[1] = 21), ResetReason::InputReplaced);
        assert_eq!(reset_of(|f| f.frame_index = 7), ResetReason::IndexSkipped);
        assert_eq!(reset_of(|f| f.frame_index = 5), ResetReason::IndexRepeated);
        assert_eq!(reset_of(|f| f.frame_index = 2), ResetReason::IndexDecreased);
        assert_eq!(reset_of(|f| f.host_frame += 1), ResetReason::Resumed);
        assert_eq!(reset_of(|f| f.host_frame -= 3), ResetReason::Resumed);
    }

    #[test]
    fn two_evaluates_in_one_host_frame_are_no_pause() {
        assert_eq!(reset_of(|f| f.host_frame -= 1), ResetReason::None);
    }

    #[test]
    fn a_target_per_frame_in_flight_is_no_reset() {
        let mut tracker = Tracker::new(2);
        for index in 0..12 {
            let mut now = frame(index);
            now.images = [index as u64 % 3, 20, 30];
            let reset = tracker.observe(&now).reset;
            assert_eq!(reset == ResetReason::None, index > 0, "frame {index}");
        }
    }

    #[test]
    fn a_new_image_every_frame_resets_every_third_frame() {
        let mut tracker = Tracker::new(2);
        let resets: Vec<i64> = (0..12)
            .filter(|&index| {
                let mut now = frame(index);
                now.images[0] = index as u64;
                tracker.observe(&now).reset != ResetReason::None
            })
            .collect();
        assert_eq!(resets, [0, 3, 6, 9]);
    }

    #[test]
    fn history_remembers_the_frame_that_wrote_it() {
        let mut tracker = running(3);
        let mut now = frame(3);
        now.stored_factor = 8.0;
        let decision = tracker.observe(&now);
        assert_eq!(decision.history_jitter_px, frame(2).jitter_px);
        assert_eq!(decision.history_factor, 1.0);
        let mut bypassed = frame(4);
        bypassed.bypass = Bypass::Source;
        tracker.observe(&bypassed);
        let decision = tracker.observe(&frame(5));
        assert_eq!(decision.history_jitter_px, frame(5).jitter_px);
        assert_eq!(tracker.observe(&frame(6)).history_factor, 1.0);
    }

    #[test]
    fn bypass_keeps_history_and_its_end_resets() {
        let mut tracker = running(4);
        let before = tracker.observe(&frame(4));
        let mut bypassed = frame(5);
        bypassed.bypass = Bypass::Enlarged;
        let decision = tracker.observe(&bypassed);
        assert_eq!(
            (decision.reset, decision.parity),
            (ResetReason::None, before.parity)
        );
        assert_eq!(tracker.observe(&frame(6)).reset, ResetReason::BypassEnded);
        assert_eq!(tracker.observe(&frame(7)).reset, ResetReason::None);
    }

    #[test]
    fn the_good_frame_after_declined_ones_resets() {
        let mut tracker = running(4);
        tracker.decline(&frame(4));
        tracker.decline(&frame(5));
        assert_eq!(tracker.observe(&frame(6)).reset, ResetReason::AfterDecline);
        assert_eq!(tracker.observe(&frame(7)).reset, ResetReason::None);
    }

    #[test]
    fn a_reset_asked_for_in_a_declined_frame_is_not_lost() {
        let mut tracker = running(4);
        let mut now = frame(4);
        now.reset_requested = true;
        tracker.decline(&now);
        assert_eq!(tracker.observe(&frame(5)).reset, ResetReason::Requested);
    }

    proptest! {
        #[test]
        fn frames_since_reset_counts_from_the_last_reset(steps in prop::collection::vec(0i64..4, 1..60)) {
            let mut tracker = Tracker::new(2);
            let mut index = 0;
            let mut expected = 0;
            for step in steps {
                index += step;
                let decision = tracker.observe(&frame(index));
                expected = if decision.reset == ResetReason::None { expected + 1 } else { 0 };
                prop_assert_eq!(decision.frames_since_reset, expected);
                prop_assert_eq!(tracker.last_reset().unwrap().frame_index + expected as i64, index);
            }
        }
    }
}
