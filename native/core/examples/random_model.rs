//! Writes a model of random weights: `random_model SEED WIDTHS BLOCKS FILE [SWIN...]`, for example
//! `random_model 1 32,32,64,128 0,1,1,1,1,1,1 random.safetensors enc3 dec2`; SWIN begins the names of swin stages.

use reconstruction_core::network::{random, Architecture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, widths, blocks, file, swin @ ..] = &arguments[..] else {
        return Err("expected SEED WIDTHS BLOCKS FILE [SWIN...]".into());
    };
    let numbers = |text: &str| {
        text.split(',')
            .map(str::parse)
            .collect::<Result<Vec<u32>, _>>()
    };
    let swin: Vec<&str> = swin.iter().map(String::as_str).collect();
    let architecture =
        Architecture::conv(&numbers(widths)?, &numbers(blocks)?)?.with_swin(&swin)?;
    std::fs::write(file, random(seed.parse()?, &architecture))?;
    Ok(())
}
