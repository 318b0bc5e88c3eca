//! The baselines against the figures that came with the frames of another renderer.

use reconstruction_cli::folder::{ColorSource, FrameFolder};
use reconstruction_cli::resample::bicubic;
use reconstruction_cli::score::{log_error, mean_ratio, psnr};
use std::path::Path;

#[test]
fn enlargement_scores_as_measured_elsewhere() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/frames/living_room");
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return;
    }
    let folder = FrameFolder::open(&path).unwrap();
    let (mut plain, mut corrected) = (Vec::new(), Vec::new());
    for (at, entry) in folder.sequence.frames.iter().enumerate() {
        let frame = folder.frame(at, ColorSource::CleanFirst).unwrap();
        let reference = folder.reference(at).unwrap().unwrap();
        let score = |shift| {
            let enlarged = bicubic(&frame.color, reference.size, shift);
            psnr(&log_error(&enlarged, &reference, 1.0))
        };
        plain.push(score([0.0, 0.0]));
        corrected.push(score(entry.jitter));
        let ratio = mean_ratio(
            &frame.color,
            &bicubic(&frame.color, frame.color.size, [0.0; 2]),
        );
        assert_eq!(ratio, 1.0, "enlargement by 1 is the picture itself");
    }
    // Measured by another program: 20.1 to 22.5 and 22.4 to 22.9 dB.
    let tenths = |list: &[f64]| {
        let round = |v: f64| (v * 10.0).round() as i64;
        let low = list.iter().copied().fold(f64::INFINITY, f64::min);
        let high = list.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        [round(low), round(high)]
    };
    assert_eq!(tenths(&plain), [201, 225]);
    assert_eq!(tenths(&corrected), [224, 229]);
}
