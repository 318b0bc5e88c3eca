//! Writes a model of random weights: `random_model SEED WIDTHS BLOCKS FILE`, for example
//! `random_model 1 32,32,64,128 0,1,1,1,1,1,1 random.safetensors`.

use reconstruction_core::network::{random, Architecture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seed, widths, blocks, file] = &arguments[..] else {
        return Err("expected SEED WIDTHS BLOCKS FILE".into());
    };
    let numbers = |text: &str| {
        text.split(',')
            .map(str::parse)
            .collect::<Result<Vec<u32>, _>>()
    };
    let architecture = Architecture::conv(&numbers(widths)?, &numbers(blocks)?)?;
    std::fs::write(file, random(seed.parse()?, &architecture))?;
    Ok(())
}
