//! How long worlds take on one core: `pace [WORLDS] [FRAMES]`. Prints microseconds a world and a frame.

use reconstruction_scene::demo;
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::random::{self, Knobs};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|a| a.parse().expect("a number"));
    let worlds: u64 = numbers.next().unwrap_or(200);
    let frames = numbers.next().unwrap_or(16) as u32;
    let mut spent = [Duration::ZERO; 3];
    let (mut attempts, mut triangles, mut sum) = (0, 0u64, 0.0);
    for seed in 0..worlds {
        let start = Instant::now();
        let random = random::world(seed, &Knobs::default(), frames).expect("a world");
        attempts += random.recipe.attempts;
        triangles += u64::from(random.recipe.triangles);
        let drawn = Instant::now();
        let mut flattener = Flattener::new(Arc::new(random.world), 1.0).expect("a valid world");
        let ready = Instant::now();
        for frame in 0..frames {
            sum += flattener.frame(frame).camera.view_to_world[0];
        }
        let times = [drawn - start, ready - drawn, ready.elapsed()];
        for (total, time) in spent.iter_mut().zip(times) {
            *total += time;
        }
    }
    for name in demo::NAMES {
        let start = Instant::now();
        let world = Arc::new(demo::world(name).expect("a demo scene"));
        let drawn = start.elapsed();
        let triangles = world.triangle_count();
        let mut flattener = Flattener::new(world, 16.0 / 9.0).expect("a valid world");
        let start = Instant::now();
        for frame in 0..60 {
            sum += flattener.frame(frame).camera.view_to_world[0];
        }
        println!(
            "{name}: {triangles} triangles, {:.0} ms to build, {:.1} us a frame",
            drawn.as_secs_f64() * 1e3,
            start.elapsed().as_secs_f64() * 1e6 / 60.0
        );
    }
    let each = |time: Duration, count: u64| time.as_secs_f64() * 1e6 / count as f64;
    println!("{worlds} worlds, {triangles} triangles, {attempts} attempts ({sum})");
    println!("draw a world        {:9.1} us", each(spent[0], worlds));
    println!("prepare a flattener {:9.1} us", each(spent[1], worlds));
    println!(
        "flatten a frame     {:9.1} us",
        each(spent[2], worlds * u64::from(frames))
    );
    let all: f64 = spent.iter().map(Duration::as_secs_f64).sum();
    println!(
        "world-frames a second on this core: {:.0}",
        (worlds * u64::from(frames)) as f64 / all
    );
}
