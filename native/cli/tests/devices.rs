//! The commands on the software drivers of this machine.

use reconstruction_cli::executor::{open, Executor, Settings, CPU};
use reconstruction_cli::gpu_executor::GpuExecutor;
use reconstruction_cli::synthetic::{frame, Case, CASES};
use reconstruction_host::{Host, HostOptions};
use serde_json::Value;
use std::process::Command;

/// The software drivers; a machine without one of them fails these tests.
const DRIVERS: [&str; 2] = ["lavapipe", "swiftshader"];

fn json(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .args(arguments)
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_machine_without_a_driver_is_told_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .arg("devices")
        .env("VK_DRIVER_FILES", "/dev/null")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: device: expected any, found no driver; install mesa-vulkan-drivers (Debian) for a software driver, or \
         choose another name\n"
    );
}

#[test]
fn every_device_says_what_it_can_do() {
    let listed = json(&["devices", "--json"]);
    let listed = listed.as_array().unwrap();
    for name in DRIVERS {
        let part = if name == "lavapipe" {
            "llvmpipe"
        } else {
            "SwiftShader"
        };
        let device = listed
            .iter()
            .find(|d| d["name"].as_str().unwrap().contains(part))
            .unwrap();
        let features = device["features"].as_array().unwrap();
        assert_eq!(features[0]["model"], "analytic");
        assert_eq!(features[0].get("unsupported"), None, "{name} can do it");
        let reason = features[2]["unsupported"].as_str().unwrap();
        assert!(reason.contains("ray reconstruction"), "{reason}");
    }
}

#[test]
fn software_drivers_give_the_exact_bits() {
    for name in DRIVERS {
        let report = json(&["selftest", "--device", name, "--json"]);
        assert_eq!(report["is_exact"], true, "{name}: {report}");
    }
}

#[test]
fn colour_of_32_bits_gives_the_exact_bits_too() {
    let case = Case {
        settings: Settings {
            is_color_half: false,
            ..CASES[0].settings.clone().clone()
        },
        ..CASES[0]
    };
    for name in DRIVERS {
        let mut ours: Box<dyn Executor> = open(Some(name), case.settings.clone()).unwrap();
        let mut reference = open(Some(CPU), case.settings.clone()).unwrap();
        for number in 0..6 {
            let frame = frame(&case, number);
            let expected = reference.evaluate(&frame.input()).unwrap();
            assert_eq!(
                ours.evaluate(&frame.input()).unwrap(),
                expected,
                "{name} {number}"
            );
        }
    }
}

#[test]
fn the_validation_layer_is_silent() {
    let analytic = |name| (name, &CASES[0]);
    let swin = (DRIVERS[0], &CASES[4]);
    for (name, case) in DRIVERS.map(analytic).into_iter().chain([swin]) {
        let host = Host::new(&HostOptions {
            device: Some(name.to_owned()),
            validation: true,
            ..HostOptions::default()
        })
        .unwrap();
        let messages = host.messages();
        let mut executor = GpuExecutor::new(host, case.settings.clone()).unwrap();
        for number in 0..6 {
            let frame = frame(case, number);
            executor.evaluate(&frame.input()).unwrap();
            executor.submit(&frame.input(), true).unwrap();
            executor.finished_timings().unwrap();
        }
        drop(executor);
        assert_eq!(messages.take(), [], "{name} {}", case.name);
    }
}

#[test]
fn a_skipped_frame_index_resets_on_both() {
    for name in DRIVERS {
        let last = |device, numbers: &[usize]| {
            let mut executor = open(Some(device), CASES[0].settings.clone()).unwrap();
            let mut evaluate = |number: &usize| {
                executor
                    .evaluate(&frame(&CASES[0], *number).input())
                    .unwrap()
            };
            numbers.iter().map(&mut evaluate).last().unwrap()
        };
        let alone = last(CPU, &[4]);
        assert_eq!(last(name, &[0, 1, 4]), alone, "{name}");
        assert_eq!(last(CPU, &[0, 1, 4]), alone);
        assert_ne!(last(name, &[3, 4]), alone, "{name}: without the gap");
    }
}

#[test]
fn bench_measures_every_pass() {
    for name in DRIVERS {
        let report = json(&[
            "bench",
            "--device",
            name,
            "--sizes",
            "64x64:64x64,22x22:64x64",
            "--frames",
            "3",
            "--warm-up",
            "1",
            "--model",
            "analytic",
            "--json",
        ]);
        let sizes = report["sizes"].as_array().unwrap();
        assert_eq!(sizes.len(), 2);
        for row in sizes {
            let passes = row["passes"].as_array().unwrap();
            let names: Vec<_> = passes.iter().map(|p| p["pass"].as_str().unwrap()).collect();
            assert_eq!(names, ["exposure", "gather", "output"]);
            assert!(passes.iter().all(|p| p["ms"].as_f64().unwrap() >= 0.0));
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_refused_with_those_that_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_reconstruct"))
        .args(["selftest", "--device", "no such device"])
        .output()
        .unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), line.lines().count()),
        (Some(4), 1),
        "{line}"
    );
    for name in DRIVERS {
        let part = if name == "lavapipe" {
            "llvmpipe"
        } else {
            "SwiftShader"
        };
        assert!(
            line.contains("'no such device'") && line.contains(part),
            "{line}"
        );
    }
}
