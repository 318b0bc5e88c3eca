//! The host on each software driver, under validation.

use ash::vk;
use reconstruction_core::Size;
use reconstruction_host::{devices, Error, Host, HostOptions, Location};

const DRIVERS: [&str; 2] = ["llvmpipe", "SwiftShader"];

fn host(driver: &str) -> Host {
    Host::new(&HostOptions {
        device: Some(driver.into()),
        validation: true,
        ..HostOptions::default()
    })
    .unwrap_or_else(|e| panic!("{driver}: {e}"))
}

#[test]
fn both_software_drivers_are_found() {
    let found = devices().unwrap();
    for driver in DRIVERS {
        let device = found
            .iter()
            .find(|d| d.is_called(driver))
            .unwrap_or_else(|| panic!("no {driver} among {found:?}"));
        assert_eq!(device.kind, "software");
        assert!(device.api_version >= vk::API_VERSION_1_1);
        assert!(device.limits.max_storage_buffer_range >= 1 << 27);
        assert!(!device.driver.is_empty());
    }
    let names: Vec<_> = found.iter().map(|d| d.name.clone()).collect();
    let mut unique = names.clone();
    unique.dedup();
    assert_eq!(names, unique, "no device twice");
}

#[test]
fn an_unknown_name_lists_the_devices() {
    let options = HostOptions {
        device: Some("Voodoo".into()),
        ..HostOptions::default()
    };
    let Err(error @ Error::NoDevice { .. }) = Host::new(&options) else {
        panic!("a device called Voodoo")
    };
    let line = error.to_string();
    assert!(
        line.contains("Voodoo") && line.contains("llvmpipe") && line.is_ascii(),
        "{line}"
    );
}

#[test]
fn texels_come_back_as_they_went() {
    let size = Size::new(37, 21);
    for driver in DRIVERS {
        let host = host(driver);
        let log = host.messages();
        for (format, channels) in [
            (vk::Format::R16G16B16A16_SFLOAT, 4),
            (vk::Format::R32G32B32A32_SFLOAT, 4),
            (vk::Format::R8G8B8A8_UNORM, 4),
            (vk::Format::B10G11R11_UFLOAT_PACK32, 3),
            (vk::Format::R16G16_SFLOAT, 2),
            (vk::Format::R32G32_SFLOAT, 2),
            (vk::Format::R32_SFLOAT, 1),
            (vk::Format::D32_SFLOAT, 1),
            (vk::Format::D32_SFLOAT_S8_UINT, 1),
        ] {
            // Multiples of 1/4 up to 1: exact in every float format; bytes round.
            let values: Vec<f32> = (0..size.area() as usize * channels)
                .map(|i| (i % 5) as f32 * 0.25)
                .collect();
            let image = host
                .upload_image(format, size, &values, vk::ImageUsageFlags::TRANSFER_SRC)
                .unwrap();
            let layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
            let back = host
                .download_image(image.handle, format, size, layout)
                .unwrap();
            let step = if format == vk::Format::R8G8B8A8_UNORM {
                0.501 / 255.0
            } else {
                0.0
            };
            assert_eq!(back.len(), values.len());
            for (a, b) in back.iter().zip(&values) {
                assert!((a - b).abs() <= step, "{driver} {format:?}: {a} for {b}");
            }
        }
        drop(host);
        assert_eq!(log.take(), []);
    }
}

#[test]
fn wrong_amounts_of_texels_are_refused() {
    let host = host("llvmpipe");
    let error = host
        .upload_image(
            vk::Format::R32_SFLOAT,
            Size::new(4, 4),
            &[0.0; 15],
            vk::ImageUsageFlags::empty(),
        )
        .err()
        .expect("15 texels do not fill 4x4")
        .to_string();
    assert!(
        error.contains("64 bytes") && error.contains("60 bytes"),
        "{error}"
    );
}

#[test]
fn frames_finish_in_order_and_timestamps_rise() {
    for driver in DRIVERS {
        let mut host = host(driver);
        let log = host.messages();
        let buffer = host
            .create_buffer(
                1 << 16,
                vk::BufferUsageFlags::TRANSFER_DST,
                Location::Device,
            )
            .unwrap();
        let timestamps = host.create_timestamps(2).unwrap();
        for number in 1..=6 {
            let frame = host.begin_frame().unwrap();
            assert_eq!(frame.number, number);
            assert!(frame.last_finished < number && frame.last_finished + 2 >= number);
            if number == 6 {
                timestamps.record_reset(frame.command_buffer);
                timestamps.record(frame.command_buffer, 0);
                // SAFETY: the buffer is alive and as long as the fill; only this frame uses it.
                unsafe {
                    host.device().cmd_fill_buffer(
                        frame.command_buffer,
                        buffer.handle,
                        0,
                        1 << 16,
                        7,
                    );
                }
                timestamps.record(frame.command_buffer, 1);
            }
            host.submit(frame).unwrap();
        }
        host.wait_idle();
        assert_eq!(host.last_finished().unwrap(), 6);
        let ms = timestamps.milliseconds().unwrap();
        assert!(ms[0] == 0.0 && ms[1] >= 0.0, "{ms:?}");
        drop((buffer, timestamps, host));
        assert_eq!(log.take(), []);
    }
}

#[test]
fn a_wrong_call_is_heard() {
    let host = host("llvmpipe");
    let buffer = host
        .create_buffer(64, vk::BufferUsageFlags::TRANSFER_SRC, Location::Device)
        .unwrap();
    host.run_now(|commands| {
        // SAFETY: in range, but the buffer lacks the usage; the layer reports it.
        unsafe {
            host.device()
                .cmd_fill_buffer(commands, buffer.handle, 0, 64, 0)
        };
    })
    .unwrap();
    let messages = host.messages().take();
    assert!(
        messages.iter().any(|m| m.id.contains("vkCmdFillBuffer")),
        "{messages:?}"
    );
}

#[test]
fn an_image_may_outlive_its_host() {
    let host = host("SwiftShader");
    let log = host.messages();
    let image = host
        .upload_image(
            vk::Format::R32_SFLOAT,
            Size::new(4, 4),
            &[0.5; 16],
            vk::ImageUsageFlags::empty(),
        )
        .unwrap();
    drop(host);
    drop(image);
    assert_eq!(log.take(), []);
}
