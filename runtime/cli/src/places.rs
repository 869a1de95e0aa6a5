//! Where the Studio keeps what is no playbook's, the same for the window and the browser.

use anyhow::{Context as _, Result};
use playbook_host::StandIns;
use playbook_host::studio::StudioOptions;

const NAME: &str = "playbook-studio";

/// The Studio's places for a browser.
///
/// # Errors
/// When the system names no home.
pub(crate) fn studio() -> Result<StudioOptions> {
    let words = "This account has no home folder, so there is no place for settings: set HOME and start again";
    Ok(StudioOptions {
        data_dir: dirs::data_dir().context(words)?.join(NAME),
        config_dir: dirs::config_dir().context(words)?.join(NAME),
        host: "browser",
        stand_ins: StandIns::default(),
    })
}

/// Places for a Studio that opens no folder and remembers nothing.
pub(crate) fn none() -> StudioOptions {
    let nowhere = std::env::temp_dir().join(NAME);
    StudioOptions { data_dir: nowhere.clone(), config_dir: nowhere, host: "browser", stand_ins: StandIns::default() }
}
