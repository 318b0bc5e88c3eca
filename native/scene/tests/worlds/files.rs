//! glTF files, made here: what is read, and what broken ones say.

use glam::{DVec3, Vec3};
use reconstruction_scene::flat::LIGHT_TRIANGLE;
use reconstruction_scene::gltf_scene::{self, Reading};
use reconstruction_scene::world::{CameraPath, Shape};
use serde_json::{json, Value};
use std::path::PathBuf;

/// A file of this test in a folder of its own process.
fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("reconstruction-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Binary glTF of a document and its buffer.
fn glb(document: &Value, mut bin: Vec<u8>) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    bin.resize(bin.len().next_multiple_of(4), 0);
    let total = 12 + 8 + json.len() + 8 + bin.len();
    let mut out = b"glTF".to_vec();
    for word in [2, total as u32, json.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(json);
    out.extend((bin.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bin);
    out
}

/// At a rate of the animations.
fn at(frames_per_second: f64) -> Reading {
    Reading {
        frames_per_second,
        ..Reading::default()
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A square of two triangles with uv, an emissive picture lit on its left half, a turning node, a camera, a lamp.
fn document() -> (Value, Vec<u8>) {
    let mut bin = Vec::new();
    let mut views = Vec::new();
    let mut view = |bytes: Vec<u8>| {
        bin.resize(bin.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend(bytes);
        views.len() - 1
    };
    view(floats(&[
        -1., -1., 0., 1., -1., 0., 1., 1., 0., -1., 1., 0.,
    ]));
    view(floats(&[0., 1., 1., 1., 1., 0., 0., 0.]));
    view(
        [0u16, 1, 2, 0, 2, 3]
            .iter()
            .flat_map(|i| i.to_le_bytes())
            .collect(),
    );
    view(floats(&[0., 1.]));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    view(floats(&[0., 0., 0., 1., 0., half, 0., half]));
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, 64, 1);
    encoder.set_color(png::ColorType::Rgba);
    let texels: Vec<u8> = (0..64)
        .flat_map(|x| [if x < 32 { 255 } else { 0 }; 4])
        .collect();
    encoder
        .write_header()
        .unwrap()
        .write_image_data(&texels)
        .unwrap();
    let picture = view(png);
    let document = json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_lights_punctual", "KHR_materials_emissive_strength"],
        "extensions": {"KHR_lights_punctual": {"lights": [{"type": "point", "intensity": 10.0}]}},
        "scene": 0,
        "scenes": [{"nodes": [0, 2, 3]}],
        "nodes": [
            {"translation": [0.0, 2.0, 0.0], "children": [1]},
            {"mesh": 0, "scale": [2.0, 1.0, 1.0], "translation": [3.0, 0.0, 0.0]},
            {"camera": 0, "translation": [0.0, 2.0, 12.0]},
            {"translation": [0.0, 6.0, 3.0], "extensions": {"KHR_lights_punctual": {"light": 0}}}
        ],
        "cameras": [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.1, "zfar": 50.0}}],
        "meshes": [{"name": "sign", "primitives": [
            {"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}
        ]}],
        "materials": [{
            "name": "paint",
            "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 1.0, 1.0], "roughnessFactor": 0.3, "metallicFactor": 0.0},
            "emissiveFactor": [1.0, 0.5, 0.0],
            "emissiveTexture": {"index": 0},
            "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4.0}}
        }],
        "textures": [{"source": 0}],
        "images": [{"bufferView": picture, "mimeType": "image/png"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [-1, -1, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2"},
            {"bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR"},
            {"bufferView": 3, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 4, "componentType": 5126, "count": 2, "type": "VEC4"}
        ],
        "animations": [{
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "rotation"}}],
            "samplers": [{"input": 3, "output": 4, "interpolation": "LINEAR"}]
        }],
        "bufferViews": views,
        "buffers": [{"byteLength": bin.len()}]
    });
    (document, bin)
}

#[test]
fn a_scene_is_read_whole() {
    let (document, bin) = document();
    let world = gltf_scene::load(&write("whole.glb", &glb(&document, bin)), at(10.0)).unwrap();
    assert_eq!(world.name, "whole.glb");
    assert_eq!((world.near, world.far), (0.1, 50.0));
    assert!(matches!(world.camera, CameraPath::Node { node: 2, .. }));
    let eye = world
        .camera
        .at(0.0, &world.nodes)
        .world_to_view
        .inverse()
        .w_axis;
    assert!((eye.truncate() - DVec3::new(0.0, 2.0, 12.0)).length() < 1e-6);
    // The child is carried: half way (5 of 10 frames a second, one second long) the parent has turned by 45 degrees.
    let at = |frame: f64| world.bodies[0].motion.at(frame, &world.nodes).translation;
    assert!((at(0.0) - DVec3::new(3.0, 2.0, 0.0)).length() < 1e-6);
    let side = 3.0 * std::f64::consts::FRAC_1_SQRT_2;
    assert!(
        (at(5.0) - DVec3::new(side, 2.0, -side)).length() < 1e-5,
        "{}",
        at(5.0)
    );
    // It rests on the last key.
    assert_eq!(at(10.0), at(99.0));
    // Half of the picture shines: a mesh of lights and a dark one, of the same area.
    assert_eq!(world.bodies.len(), 2);
    let area = |body: usize| -> f32 {
        let Shape::Mesh(mesh) = world.bodies[body].shape else {
            panic!()
        };
        let sum = world.meshes[mesh].triangles.iter().map(|t| {
            let [a, b, c] = reconstruction_scene::world::corners(t);
            (b - a).cross(c - a).length() / 2.0
        });
        sum.sum()
    };
    assert!((area(0) + area(1) - 4.0).abs() < 1e-4);
    assert!((area(0) - 2.0).abs() < 0.2, "{}", area(0));
    let flat = world.flatten(3, 1.5).unwrap();
    let power: Vec3 = flat
        .lights
        .iter()
        .filter(|l| l.kind == LIGHT_TRIANGLE)
        .map(|l| {
            let edge = |e: [f32; 4]| Vec3::from_slice(&e[..3]);
            Vec3::from_slice(&l.radiance[..3]) * edge(l.edge_u).cross(edge(l.edge_v)).length() / 2.0
        })
        .sum();
    // Radiance 4 * (1, 0.5, 0) over half of an area of 2 * 4.
    assert!(
        (power - Vec3::new(16.0, 8.0, 0.0)).length() < 0.8,
        "{power}"
    );
    assert_eq!(world.lights.len(), 1);
    let paint = world.materials[0];
    assert_eq!(
        (paint.base_color, paint.roughness),
        (Vec3::new(0.5, 0.25, 1.0), 0.3)
    );
    assert!(world.exposure.is_finite() && world.exposure > 0.0);
}

#[test]
fn a_bare_mesh_gets_a_camera_and_daylight() {
    let (mut document, bin) = document();
    document["scenes"][0]["nodes"] = json!([0]);
    document["materials"][0] = json!({});
    let world = gltf_scene::load(&write("bare.glb", &glb(&document, bin)), at(30.0)).unwrap();
    assert!(world.sun.is_some() && world.lights.is_empty());
    let flat = world.flatten(0, 1.5).unwrap();
    let reading = reconstruction_scene::meter::measure(&flat);
    assert!(reading.covered_share > 0.1, "{reading:?}");
    assert_ne!(world.flatten(8, 1.5).unwrap().camera, flat.camera);
}

#[test]
fn what_glows_is_no_light_of_a_file_unless_that_is_asked_for() {
    let (mut document, bin) = document();
    document["scenes"][0]["nodes"] = json!([0]);
    let path = write("glow.glb", &glb(&document, bin));
    let load = |has_daylight| {
        let reading = Reading {
            has_daylight,
            ..at(30.0)
        };
        let world = gltf_scene::load(&path, reading).unwrap();
        let flat = world.flatten(0, 1.5).unwrap();
        let glows = flat.lights.iter().any(|l| l.kind == LIGHT_TRIANGLE);
        (world.sun.is_some(), glows)
    };
    assert_eq!(load(true), (true, true));
    assert_eq!(load(false), (false, true));
}

#[test]
fn attributes_of_an_application_are_passed_over() {
    let (mut document, bin) = document();
    document["meshes"][0]["primitives"][0]["attributes"]["_FEATURE_ID_0"] = json!(1);
    gltf_scene::load(&write("own.glb", &glb(&document, bin)), at(30.0)).unwrap();
}

/// The error of the scene after a change to its document.
fn error(name: &str, change: impl FnOnce(&mut Value, &mut Vec<u8>)) -> String {
    let (mut document, mut bin) = document();
    change(&mut document, &mut bin);
    let path = write(&format!("{name}.glb"), &glb(&document, bin));
    let error = gltf_scene::load(&path, at(30.0)).unwrap_err().to_string();
    assert!(!error.contains('\n') && error.is_ascii(), "{error}");
    assert!(error.contains(&format!("{name}.glb: ")), "{error}");
    error
}

#[test]
fn broken_files_name_the_element() {
    type Change = fn(&mut Value, &mut Vec<u8>);
    let cases: [(&str, Change, &str); 17] = [
        (
            "accessor",
            |d, _| d["accessors"][0]["count"] = json!(5),
            "accessor 0: expected elements within its bufferView",
        ),
        (
            "view",
            |d, _| d["bufferViews"][2]["byteLength"] = json!(90000),
            "bufferView 2: ",
        ),
        (
            "buffer",
            |d, _| d["buffers"][0]["byteLength"] = json!(90000),
            "buffer 0: expected 90000 bytes",
        ),
        (
            "index",
            |_, b| b[80..82].copy_from_slice(&9u16.to_le_bytes()),
            "mesh 0 \"sign\": primitive 0: expected indices below 4, got 9",
        ),
        (
            "nan",
            |_, b| b[0..4].copy_from_slice(&f32::NAN.to_le_bytes()),
            "mesh 0 \"sign\": primitive 0: expected finite positions",
        ),
        (
            "material",
            |d, _| d["meshes"][0]["primitives"][0]["material"] = json!(3),
            "meshes[0].primitives[0].material",
        ),
        (
            "uv",
            |d, _| d["accessors"][1]["count"] = json!(3),
            "primitive 0: TEXCOORD_0: expected 4 elements, got 3",
        ),
        (
            "image",
            |_, b| {
                let end = b.len() - 40;
                b[end..].fill(7);
            },
            "image 0: expected a PNG or JPEG picture",
        ),
        (
            "coordinates",
            |d, _| d["materials"][0]["emissiveTexture"]["texCoord"] = json!(1),
            "material 0 \"paint\": emissiveTexture: expected texture coordinates 0, got 1",
        ),
        (
            "ring",
            |d, _| d["nodes"][1]["children"] = json!([0]),
            "node 0: expected a tree of nodes, got a ring",
        ),
        (
            "parents",
            |d, _| d["nodes"][2]["children"] = json!([1]),
            "node 1: expected one parent, got two",
        ),
        (
            "times",
            |_, b| b[92..96].copy_from_slice(&5f32.to_le_bytes()),
            "animation 0: channel 0: expected at least one key, times rising",
        ),
        (
            "keys",
            |d, _| d["accessors"][4]["count"] = json!(1),
            "animation 0: channel 0: expected 2 values, got 1",
        ),
        (
            "lines",
            |d, _| d["meshes"][0]["primitives"][0]["mode"] = json!(1),
            "mesh 0 \"sign\": primitive 0: expected triangles, got Lines",
        ),
        (
            "camera",
            |d, _| d["cameras"][0]["perspective"]["znear"] = json!(90.0),
            "camera 0: expected yfov in 0..3.1 and 0 < znear < zfar",
        ),
        (
            "empty",
            |d, _| d["scenes"][0]["nodes"] = json!([2]),
            "scene: expected at least one mesh with triangles, got none",
        ),
        (
            "required",
            |d, _| d["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]),
            "extension KHR_draco_mesh_compression: expected plain glTF 2.0",
        ),
    ];
    for (name, change, expected) in cases {
        let error = error(name, change);
        assert!(error.contains(expected), "{name}: {error}");
    }
}

#[test]
fn files_that_are_no_gltf_are_refused() {
    for (name, bytes, expected) in [
        ("cut.glb", &b"glTF\x02\0\0\0\xff\0\0\0"[..], "cut.glb: "),
        ("text.gltf", b"hello\n\n", "text.gltf: JSON: "),
        ("nothing.glb", b"", "nothing.glb: "),
    ] {
        let error = gltf_scene::load(&write(name, bytes), at(30.0))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(expected) && !error.contains('\n') && error.is_ascii(),
            "{error}"
        );
    }
    let packed = error("packed", |document, _| {
        document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
        document["accessors"][0]["bufferView"] = Value::Null;
    });
    assert!(packed.contains("KHR_draco_mesh_compression"), "{packed}");
    let missing = gltf_scene::load(&PathBuf::from("/nowhere/at all.glb"), at(30.0))
        .unwrap_err()
        .to_string();
    assert!(
        missing.starts_with("/nowhere/at all.glb: file: "),
        "{missing}"
    );
    let (document, _) = document();
    let mut whole = glb(&document, Vec::new());
    whole.truncate(whole.len() - 8);
    let error = gltf_scene::load(&write("short.glb", &whole), at(30.0))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("short.glb: ") && !error.contains('\n'),
        "{error}"
    );
}
