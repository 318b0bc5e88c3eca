//! Where the planes of a submission lie, and which rounds fill them.

use super::blocks::{
    Picture, HAS_GUIDES, HAS_HISTORY, HAS_INDIRECT, IS_BOX_FILTERED, IS_CUT, IS_REUSING, IS_SPLIT,
};
use super::history::Turn;
use super::request::{Place, Plane, Request};
use super::waves::{self, Round, Wave};
use super::View;
use crate::error::{Error, Result};
use crate::flat::FlatWorld;
use reconstruction_core::Size;

/// Largest width and height of a picture.
const LARGEST: u32 = 8192;
/// Most that one sample brings over two surfaces, exposed; white is near 1.
const BRIGHTEST: f32 = 4.0;
/// A plane that is not there.
const NONE: u32 = u32::MAX;

/// Planes of one picture: first word of each, and of the sums where its samples take several waves.
#[derive(Default)]
pub(crate) struct Planes {
    pub size: Option<Size>,
    pub planes: Vec<(Plane, u64)>,
    sum: Option<u64>,
}

/// A planned submission.
#[derive(Default)]
pub(crate) struct Layout {
    pub rounds: Vec<Round>,
    /// Ranges of rounds that run at once, in order.
    pub waves: Vec<Wave>,
    /// By view and request.
    pub places: Vec<Vec<Planes>>,
    /// 32-bit words of planes that are read back.
    pub plane_words: u64,
    /// The same with the sums.
    pub all_words: u64,
}

impl Request {
    pub(crate) fn jitter(&self) -> [f32; 2] {
        match self.place {
            Place::Jittered(jitter) => jitter,
            Place::BoxFilter => [0.0; 2],
        }
    }

    fn has_guides(&self) -> bool {
        self.history.is_some() || self.planes.iter().any(|plane| plane.is_guide())
    }

    fn check(&self, wave_paths: u32) -> Result<()> {
        let refuse = |what: &str, expected: String, got: String, remedy| {
            Err(Error::invalid(what, expected, got, remedy))
        };
        let sides = [self.size.width, self.size.height];
        if sides.iter().any(|&side| side == 0 || side > LARGEST) {
            let expected = format!("1..{LARGEST} pixels on each side");
            return refuse(
                "size",
                expected,
                self.size.to_string(),
                "choose another size",
            );
        }
        if self.samples == 0 || self.samples > 1 << 20 {
            return refuse(
                "samples",
                "1..1048576".into(),
                self.samples.to_string(),
                "take at least one",
            );
        }
        if self.candidates == 0 || self.candidates > 64 {
            return refuse(
                "candidates",
                "1..64".into(),
                self.candidates.to_string(),
                "8 is usual",
            );
        }
        let jitter = self.jitter();
        if jitter.iter().any(|j| j.is_nan() || j.abs() > 0.5) {
            let got = format!("{jitter:?}");
            return refuse(
                "jitter",
                "-0.5..0.5 pixels".into(),
                got,
                "use core's jitter sequence",
            );
        }
        if self.place == Place::BoxFilter && self.has_guides() {
            let got = "a box filter with guides or history";
            return refuse(
                "place",
                "one place a pixel for guides".into(),
                got.into(),
                "ask for colour alone",
            );
        }
        if self.is_reusing && (self.history.is_none() || self.samples > 1) {
            let got = format!("history {:?}, {} samples", self.history, self.samples);
            return refuse(
                "is_reusing",
                "a history and one sample".into(),
                got,
                "give the sequence a history",
            );
        }
        let most = waves::samples_at_once(self.size, wave_paths);
        let is_split = self.samples > most;
        if let Some(plane) = self
            .planes
            .iter()
            .find(|p| is_split && !p.is_for_any_samples())
        {
            let expected = format!("at most {most} samples for this plane");
            let got = format!("{plane:?} with {} samples", self.samples);
            return refuse(
                "planes",
                expected,
                got,
                "take fewer samples, or colour alone",
            );
        }
        Ok(())
    }
}

impl Layout {
    pub fn plan(views: &[View<'_>], wave_paths: u32) -> Result<Self> {
        let mut layout = Layout::default();
        let mut histories = std::collections::BTreeSet::new();
        for (v, view) in views.iter().enumerate() {
            let mut places = Vec::new();
            for (r, request) in view.requests.iter().enumerate() {
                request.check(wave_paths)?;
                if request.history.is_some_and(|slot| !histories.insert(slot)) {
                    return Err(Error::invalid(
                        "history",
                        "one picture a submission",
                        format!("history {:?} twice", request.history),
                        "give each sequence its own",
                    ));
                }
                let mut place = Planes {
                    size: Some(request.size),
                    ..Planes::default()
                };
                for &plane in &request.planes {
                    place.planes.push((plane, layout.plane_words));
                    layout.plane_words += plane.words() * request.size.area();
                }
                places.push(place);
                layout
                    .rounds
                    .extend(waves::rounds(v, r, request, wave_paths));
            }
            layout.places.push(places);
        }
        if layout.rounds.is_empty() {
            let (expected, got) = ("at least one picture", "none");
            return Err(Error::invalid("views", expected, got, "add a request"));
        }
        layout.all_words = layout.plane_words;
        for round in &layout.rounds {
            let place = &mut layout.places[round.view][round.request];
            if place.sum.is_none() && !(round.is_first && round.is_last) {
                place.sum = Some(layout.all_words);
                layout.all_words += 3 * round.size.area();
            }
        }
        if layout.all_words >= u64::from(NONE) {
            let got = format!("{} words", layout.all_words);
            return Err(Error::invalid(
                "pictures",
                "less than 2^32 words",
                got,
                "submit fewer at once",
            ));
        }
        layout.waves = waves::gather(&mut layout.rounds, wave_paths);
        Ok(layout)
    }

    /// Paths of the largest wave.
    pub fn paths(&self) -> u32 {
        self.waves.iter().map(|wave| wave.paths).max().unwrap_or(0)
    }

    /// The shader's view of a round.
    pub fn picture(
        &self,
        round: &Round,
        request: &Request,
        world: &FlatWorld,
        parts: Picture,
        turn: Option<&Turn>,
        path_stride: u32,
    ) -> Picture {
        let place = &self.places[round.view][round.request];
        let at = |plane: Plane| {
            // Guides come with the first samples, colours with the last.
            let is_now = if plane.is_guide() {
                round.is_first
            } else {
                round.is_last
            };
            let found = place.planes.iter().find(|(p, _)| *p == plane && is_now);
            found.map_or(NONE, |(_, word)| *word as u32)
        };
        let [jitter_x, jitter_y] = request.jitter();
        let before = turn
            .and_then(|turn| turn.prev_jitter)
            .filter(|_| !world.is_cut);
        let [prev_jitter_x, prev_jitter_y] = before.unwrap_or_default();
        let flags = [
            (IS_BOX_FILTERED, request.place == Place::BoxFilter),
            (HAS_INDIRECT, request.has_indirect),
            (HAS_GUIDES, request.has_guides() && round.is_first),
            (HAS_HISTORY, before.is_some()),
            (IS_REUSING, request.is_reusing && before.is_some()),
            (IS_CUT, world.is_cut),
            (IS_SPLIT, request.samples > 1 && !request.has_guides()),
        ];
        let flags = flags
            .iter()
            .filter(|(_, is_on)| *is_on)
            .fold(0, |sum, (bit, _)| sum | bit);
        Picture {
            flags: parts.flags | flags,
            width: request.size.width,
            height: request.size.height,
            jitter_x,
            jitter_y,
            prev_jitter_x,
            prev_jitter_y,
            seed: request.seed,
            frame: request.frame,
            sample_first: round.samples.start,
            sample_count: round.samples.len() as u32,
            sample_total: request.samples,
            candidates: request.candidates,
            depth_kind: request.depth.code(),
            history_now: turn.map_or(NONE, |turn| turn.now),
            history_prev: turn.map_or(NONE, |turn| turn.prev),
            at_color: at(Plane::Color),
            at_depth: at(Plane::Depth),
            at_motion: at(Plane::Motion),
            at_normal: at(Plane::Normal),
            at_diffuse: at(Plane::Diffuse),
            at_specular: at(Plane::Specular),
            at_hit_distance: at(Plane::HitDistance),
            at_before_particles: at(Plane::BeforeParticles),
            at_emissive: at(Plane::Emissive),
            at_irradiance: at(Plane::Irradiance),
            at_specular_light: at(Plane::SpecularLight),
            at_sum: place.sum.map_or(NONE, |word| word as u32),
            brightest: BRIGHTEST / world.exposure,
            row_first: round.rows.start,
            row_count: round.rows.len() as u32,
            path_first: round.path_first,
            path_stride,
            ..parts
        }
    }
}
