//! A noiseless CPU preview of worlds: direct light with shadows and an even bounce, tone-mapped, as PNG.
//!
//! `preview OUT.png WxH FRAME,FRAME.. NAME|SEED..`: a row for each world, a column for each frame.

use glam::{Vec2, Vec3};
use reconstruction_core::size::Size;
use reconstruction_scene::flat::FlatWorld;
use reconstruction_scene::flatten::Flattener;
use reconstruction_scene::world::World;
use reconstruction_scene::{meter, random, trace};
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [out, size, frames, names @ ..] = args.as_slice() else {
        eprintln!("usage: preview OUT.png WxH FRAME,FRAME.. NAME|SEED..");
        std::process::exit(2);
    };
    let (width, height) = size.split_once('x').expect("a size such as 640x360");
    let size = Size::new(
        width.parse().expect("a width"),
        height.parse().expect("a height"),
    );
    let frames: Vec<u32> = frames
        .split(',')
        .map(|f| f.parse().expect("a frame"))
        .collect();
    let (columns, rows) = (frames.len(), names.len());
    let mut sheet = vec![0u8; size.area() as usize * columns * rows * 3];
    let stride = size.width as usize * columns * 3;
    for (row, name) in names.iter().enumerate() {
        let world = Arc::new(world(name));
        let mut flattener =
            Flattener::new(world, size.width as f32 / size.height as f32).expect("a valid world");
        for (column, &frame) in frames.iter().enumerate() {
            let picture = render(&mut flattener, frame, size);
            for (y, line) in picture.chunks(size.width as usize * 3).enumerate() {
                let at =
                    (row * size.height as usize + y) * stride + column * size.width as usize * 3;
                sheet[at..at + line.len()].copy_from_slice(line);
            }
        }
    }
    let file = std::fs::File::create(out).expect("a file to write");
    let mut encoder =
        png::Encoder::new(file, size.width * columns as u32, size.height * rows as u32);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&sheet).expect("pixels");
}

fn world(name: &str) -> World {
    match name.parse::<u64>() {
        Ok(seed) => {
            let random = random::world(seed, &random::Knobs::default(), 16).expect("a world");
            println!("{:?}", random.recipe);
            random.world
        }
        Err(_) => reconstruction_scene::demo::world(name).expect("a demo scene"),
    }
}

fn render(flattener: &mut Flattener, frame: u32, size: Size) -> Vec<u8> {
    let flat = flattener.frame(frame);
    let reading = meter::measure(flat);
    println!("{reading:?}");
    let mut pixels = vec![0u8; size.area() as usize * 3];
    let band = (size.area() as usize * 3).div_ceil(2);
    std::thread::scope(|scope| {
        for (part, pixels) in pixels.chunks_mut(band).enumerate() {
            scope.spawn(move || {
                for (i, pixel) in pixels.chunks_mut(3).enumerate() {
                    let index = part * band / 3 + i;
                    let place = Vec2::new(
                        (index as u32 % size.width) as f32 + 0.5,
                        (index as u32 / size.width) as f32 + 0.5,
                    );
                    let ray = trace::camera_ray(&flat.camera, place, size);
                    let radiance = look(flat, ray, reading.bounced) * flat.exposure;
                    // A shoulder that leaves the middle alone.
                    let shown = radiance / (Vec3::ONE + radiance * 0.5);
                    for (byte, c) in pixel.iter_mut().zip(shown.to_array()) {
                        *byte = (255.0 * c.clamp(0.0, 1.0).powf(1.0 / 2.2)) as u8;
                    }
                }
            });
        }
    });
    pixels
}

/// What a ray sees, through up to three mirrors.
fn look(flat: &FlatWorld, mut ray: trace::Ray, bounced: Vec3) -> Vec3 {
    let mut tint = Vec3::ONE;
    for _ in 0..3 {
        let sight = meter::see(flat, ray);
        let mirror = sight.hit.filter(|hit| {
            let m = &flat.materials[flat.instances[hit.instance].material as usize];
            m.metallic > 0.5 && m.roughness < 0.15
        });
        let Some(hit) = mirror else {
            return tint * sight.radiance(bounced);
        };
        tint *= sight.albedo;
        let direction = ray.direction - 2.0 * hit.normal.dot(ray.direction) * hit.normal;
        ray = trace::Ray {
            origin: hit.position + direction * 2e-3,
            direction,
        };
    }
    Vec3::ZERO
}
