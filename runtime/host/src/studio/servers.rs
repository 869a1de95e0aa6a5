//! The servers a person publishes to.

use super::{Answer, Input, Studio, StudioRefusal, invalid};
use playbook_model::ending::{Reason, Rejection};
use playbook_model::id::{OrgId, PlaybookId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Server {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) origin: String,
    pub(super) org: OrgId,
    pub(super) playbook: PlaybookId,
    /// `keychain`, `file` or `none`.
    pub(super) key: String,
}

impl Studio {
    fn servers_file(&self) -> std::path::PathBuf {
        self.0.options.config_dir.join("servers.json")
    }

    fn read_servers(&self) -> Result<Vec<Server>, StudioRefusal> {
        let file = self.servers_file();
        if !file.exists() {
            return Ok(Vec::new());
        }
        let unreadable = |why: String| {
            let words = format!("{} cannot be read: {why}. Mend it or remove it", file.display());
            StudioRefusal::from(Rejection::new(Reason::Conflict, words))
        };
        let text = std::fs::read_to_string(&file).map_err(|why| unreadable(why.to_string()))?;
        serde_json::from_str(&text).map_err(|why| unreadable(why.to_string()))
    }

    fn write_servers(&self, servers: &[Server]) -> Result<(), StudioRefusal> {
        let text = serde_json::to_string_pretty(servers).expect("servers hold nothing JSON cannot");
        crate::folder::write_text(&self.servers_file(), &text)
            .map_err(|why| Rejection::new(Reason::Unavailable, why.to_string()).into())
    }

    pub(super) fn server(&self, id: &str) -> Result<Server, StudioRefusal> {
        let found = self.read_servers()?.into_iter().find(|server| server.id == id);
        found.ok_or_else(|| Rejection::new(Reason::NotFound, "There is no such server").into())
    }

    /// The key of a server, from where it is kept.
    pub(super) fn server_key(&self, server: &Server) -> Result<Option<String>, StudioRefusal> {
        if server.key == "none" {
            return Ok(None);
        }
        self.0.keys.get(&server.id).map_err(|why| Rejection::new(Reason::Unavailable, why.to_string()).into())
    }

    pub(super) fn list_servers(&self) -> Answer {
        Ok(json!({ "servers": self.read_servers()? }))
    }

    pub(super) fn add_server(&self, given: &Input) -> Answer {
        let mut server = read(given, uuid::Uuid::new_v4().to_string())?;
        let mut servers = self.read_servers()?;
        self.keep_key(given, &mut server)?;
        servers.push(server.clone());
        self.write_servers(&servers)?;
        Ok(json!({ "server": server }))
    }

    pub(super) fn change_server(&self, given: &Input) -> Answer {
        let before = self.server(given.text("id")?)?;
        let mut server = read(given, before.id.clone())?;
        server.key = before.key;
        self.keep_key(given, &mut server)?;
        let mut servers = self.read_servers()?;
        for there in &mut servers {
            if there.id == server.id {
                *there = server.clone();
            }
        }
        self.write_servers(&servers)?;
        Ok(json!({ "server": server }))
    }

    pub(super) fn delete_server(&self, given: &Input) -> Answer {
        let server = self.server(given.text("id")?)?;
        let servers: Vec<Server> = self.read_servers()?.into_iter().filter(|other| other.id != server.id).collect();
        self.write_servers(&servers)?;
        if let Err(why) = self.0.keys.remove(&server.id) {
            tracing::warn!(%why, "a key was not forgotten");
        }
        Ok(json!({}))
    }

    fn keep_key(&self, given: &Input, server: &mut Server) -> Result<(), StudioRefusal> {
        let Some(key) = given.maybe("key").map(str::trim).filter(|key| !key.is_empty()) else { return Ok(()) };
        let refused = |why: super::KeysError| Rejection::new(Reason::Unavailable, why.to_string());
        self.0.keys.set(&server.id, key).map_err(refused)?;
        server.key = self.0.keys.word().into();
        Ok(())
    }
}

fn read(given: &Input, id: String) -> Result<Server, StudioRefusal> {
    let origin = given.text("origin")?.trim().trim_end_matches('/').to_owned();
    let host = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    if host.is_none_or(|host| host.is_empty() || host.contains(['/', ' ', '@', '?', '#'])) {
        return Err(invalid(
            "origin",
            "Expected an address such as https://playbooks.example.com, without a path".into(),
        ));
    }
    let name = given.maybe("name").map(str::trim).filter(|name| !name.is_empty());
    Ok(Server {
        id,
        name: name.map_or_else(|| host.unwrap_or_default().to_owned(), str::to_owned),
        org: OrgId::new(given.maybe("org").unwrap_or("local")).map_err(|why| invalid("org", why.to_string()))?,
        playbook: PlaybookId::new(given.text("playbook")?).map_err(|why| invalid("playbook", why.to_string()))?,
        key: "none".into(),
        origin,
    })
}

/// What a plan shows of its server.
pub(super) fn shown(server: &Server) -> Value {
    json!(server)
}
