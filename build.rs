//! Compiles `proto/` with protox, so that no protoc is needed on the machine.

use std::{env, error::Error, fs, path::PathBuf};

use prost::Message;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/mighty");
    let mut files: Vec<PathBuf> = fs::read_dir("proto/mighty/v1")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    files.sort();
    let mut descriptors = protox::compile(files, ["proto"])?;

    // Comments become the docs of the generated code.
    tonic_prost_build::configure().compile_fds(descriptors.clone())?;

    // The copy that reflection serves goes without them.
    for file in &mut descriptors.file {
        file.source_code_info = None;
    }
    let path = PathBuf::from(env::var("OUT_DIR")?).join("mighty.bin");
    fs::write(path, descriptors.encode_to_vec())?;
    Ok(())
}
