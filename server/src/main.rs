//! The server's program: settings, logs, a port and signals; all else is in the library.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use mighty_server::accept::connections;
use mighty_server::config::Config;
use mighty_server::{Prepared, Shutdown};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// The exit code of a program that was used wrongly, as sysexits has it.
const BAD_USAGE: u8 = 64;

fn main() -> ExitCode {
    let config = match Config::read(std::env::args_os()) {
        Ok(config) => config,
        Err(error) => {
            // Where the text cannot even be printed there is nobody to read it.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(BAD_USAGE) } else { ExitCode::SUCCESS };
        }
    };
    let filter = match EnvFilter::builder().parse(&config.log) {
        Ok(filter) => filter,
        Err(error) => {
            eprintln!("--log: {error}; write error, warn, info, debug or trace, or a filter");
            return ExitCode::from(BAD_USAGE);
        }
    };
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match config.json_logs {
        true => logs.json().init(),
        false => logs.init(),
    }
    match serve(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mighty-server: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(config: Config) -> anyhow::Result<()> {
    let shutdown = stop_on_signals()?;
    let server = Prepared::new(config.clone(), mighty_house::by_name)?;
    let listener = TcpListener::bind(config.listen)
        .await
        .with_context(|| format!(
            "--listen: {} cannot be opened; if another server has it, stop that or take a free port with --listen 127.0.0.1:0",
            config.listen
        ))?;
    let address = listener.local_addr()?;
    if let Some(path) = &config.port_file {
        std::fs::write(path, format!("{}\n", address.port()))
            .with_context(|| format!("--port-file: {} cannot be written", path.display()))?;
    }
    let mut out = std::io::stdout();
    // Who has closed our output has the port from the file.
    let _ = writeln!(out, "listening on {address}").and_then(|()| out.flush());
    server.serve(connections(listener, config.door()), shutdown).await
}

/// Listens to signals from now on: the first stops the server gently, the second at once.
fn stop_on_signals() -> anyhow::Result<Shutdown> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let shutdown = Shutdown::default();
    let steps = [shutdown.gently.clone(), shutdown.at_once.clone()];
    tokio::spawn(async move {
        for step in steps {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            step.cancel();
        }
    });
    Ok(shutdown)
}
