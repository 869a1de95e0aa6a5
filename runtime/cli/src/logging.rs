//! The log of the program itself, on the standard error.

use playbook_server::settings::LogFormat;
use tracing_subscriber::EnvFilter;

/// For a command: warnings, and what `RUST_LOG` asks for.
pub(crate) fn quiet() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}

/// For a server: what it does, in the form that was set.
pub(crate) fn of_server(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Json => log.json().init(),
        LogFormat::Pretty => log.init(),
    }
}
