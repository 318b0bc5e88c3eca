//! GLSL to SPIR-V 1.3 for Vulkan 1.1, without an optimiser: what the shader says is what the checks see.

use crate::source::Source;
use glslang::error::GlslangError;
use glslang::{
    Compiler, CompilerOptions, Shader, ShaderInput, ShaderMessage, ShaderSource, ShaderStage,
    SourceLanguage, SpirvVersion, Target, VulkanVersion,
};
use rspirv::dr::{load_words, Module};

/// Compiles a compute shader.
///
/// # Errors
/// One `file:line: message` for each of the compiler's errors.
pub fn compile(source: &Source) -> Result<Module, Vec<String>> {
    let text = ShaderSource::from(source.text.as_str());
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: Target::Vulkan {
            version: VulkanVersion::Vulkan1_1,
            spirv_version: SpirvVersion::SPIRV1_3,
        },
        version_profile: None,
        messages: ShaderMessage::VULKAN_RULES | ShaderMessage::SPV_RULES,
    };
    let words = words(&text, &options).map_err(|error| messages(source, &error))?;
    load_words(&words).map_err(|error| vec![format!("the compiled module: {error}")])
}

fn words(text: &ShaderSource, options: &CompilerOptions) -> Result<Vec<u32>, GlslangError> {
    let compiler = Compiler::acquire().expect("the GLSL compiler starts");
    let defines: Option<&[(&str, Option<&str>)]> = None;
    let input = ShaderInput::new(text, ShaderStage::Compute, options, defines, None)?;
    Shader::new(compiler, input).parse()?.compile()
}

/// The compiler's `ERROR: 0:12: message` lines with their places in our files.
fn messages(source: &Source, error: &GlslangError) -> Vec<String> {
    let log = match error {
        GlslangError::PreprocessError(log)
        | GlslangError::ParseError(log)
        | GlslangError::MapIoError(log)
        | GlslangError::LinkError(log) => &log.log,
        other => return vec![other.to_string()],
    };
    let mut lines: Vec<String> = log
        .lines()
        .filter_map(|line| {
            let (place, message) = line.strip_prefix("ERROR: 0:")?.split_once(": ")?;
            let place = source.locate(place.parse().ok()?)?;
            Some(format!("{place}: {}", message.trim_end()))
        })
        .filter(|line| !line.ends_with("compilation terminated"))
        .collect();
    if lines.is_empty() {
        lines.push(log.trim().replace('\n', "; "));
    }
    lines
}
