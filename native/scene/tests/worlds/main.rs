//! Worlds on the CPU: trees, motion, random worlds, demo scenes, files.

mod demos;
mod files;
mod motion;
mod random;
mod shapes;
mod trees;

use reconstruction_core::exact::Fnv64;
use reconstruction_scene::flat::FlatWorld;

/// Every number of a flat world but the revision, which counts worlds of a process.
fn bytes(flat: &FlatWorld) -> Vec<u8> {
    let mut bytes = Vec::new();
    macro_rules! put {
        ($($list:ident),*) => { $( for block in &flat.$list { bytes.extend(block.bytes()); } )* };
    }
    put!(nodes, top, triangles, instances, materials, images, lights, particles);
    bytes.extend(flat.texels.iter().flat_map(|t| t.to_le_bytes()));
    bytes.extend(flat.sky.bytes());
    bytes.extend(flat.camera.bytes());
    bytes.extend(flat.exposure.to_le_bytes());
    bytes.push(u8::from(flat.is_cut));
    bytes
}

fn fingerprint(flat: &FlatWorld) -> u64 {
    let mut hash = Fnv64::new();
    hash.write(&bytes(flat));
    hash.finish()
}

/// Nothing in the arrays of floats is NaN or infinite.
fn check_finite(name: &str, flat: &FlatWorld) {
    let all = |what: &str, values: &[f32]| {
        assert!(
            values.iter().all(|v| v.is_finite()),
            "{name}: {what} {values:?}"
        );
    };
    for t in &flat.triangles {
        let corners = [
            t.position_0,
            t.position_1,
            t.position_2,
            t.normal_0,
            t.normal_1,
            t.normal_2,
        ];
        all("triangle", corners.as_flattened());
    }
    for i in &flat.instances {
        all(
            "instance",
            &[i.to_world, i.to_object, i.prev_to_world].concat(),
        );
    }
    for l in &flat.lights {
        all(
            "light",
            &[l.position, l.edge_u, l.edge_v, l.radiance, l.direction].concat(),
        );
    }
    for p in &flat.particles {
        all("particle", &[p.position, p.color].concat());
    }
    for n in flat.nodes.iter().chain(&flat.top) {
        all(
            "node",
            &[n.min_x, n.min_y, n.min_z, n.max_x, n.max_y, n.max_z],
        );
    }
    let c = &flat.camera;
    all(
        "camera",
        &[
            c.world_to_view,
            c.view_to_world,
            c.projection,
            c.prev_world_to_view,
            c.prev_projection,
        ]
        .concat(),
    );
    all("exposure", &[flat.exposure]);
}
