//! The server on a real address: bounds of connections, many at once, a client that leaves, and the stop.

mod common;

use common::{ORG, PLAYBOOK, Scripted, site};
use playbook_model::id::OrgId;
use playbook_server::{Access, Running, StartError, make_key, read_keys, serve};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

async fn start(operations: &Scripted) -> Running {
    serve(site(operations, Access::Local), "127.0.0.1:0").await.expect("a free port")
}

/// Sends bytes and reads until the server closes or the time is over.
async fn talk(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream.write_all(bytes).await.expect("it reads");
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await;
    read.expect("it closes in time").expect("a clean end");
    String::from_utf8(answer).expect("a text")
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
}

fn post(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[tokio::test]
async fn hundreds_of_requests_at_once_are_answered() {
    let operations = Scripted::echo();
    let running = start(&operations).await;
    let address = running.address();
    let asked: Vec<_> = (0..300)
        .map(|n| {
            tokio::spawn(async move {
                talk(address, get(&format!("{PLAYBOOK}/runs?limit={}", n % 100 + 1)).as_bytes()).await
            })
        })
        .collect();
    for answer in asked {
        assert!(answer.await.expect("no panic").starts_with("HTTP/1.1 200 "));
    }
    assert_eq!(operations.calls().len(), 300);
    running.stop().await;
}

#[tokio::test]
async fn what_is_no_http_gets_a_bare_refusal() {
    let running = start(&Scripted::echo()).await;
    let bad = talk(running.address(), b"NONSENSE\r\n\r\n").await;
    assert!(bad.starts_with("HTTP/1.1 400 ") && bad.ends_with("\r\n\r\n"), "{bad}");
    let large = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "a".repeat(200_000));
    let mut stream = TcpStream::connect(running.address()).await.expect("it listens");
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(large.as_bytes()).await;
    let mut start = [0u8; 13];
    stream.read_exact(&mut start).await.expect("an answer");
    assert_eq!(&start, b"HTTP/1.1 431 ");
    running.stop().await;
}

#[tokio::test]
async fn a_refusal_reaches_a_client_that_still_sends() {
    let running = start(&Scripted::echo()).await;
    let body = format!("{{\"a\":\"{}\"}}", "x".repeat(4 * 1024 * 1024));
    let answer = talk(running.address(), post(&format!("{ORG}/playbooks"), &body).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.contains("content_too_large"), "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn a_command_goes_on_when_its_client_leaves() {
    let (begun, ended, release) =
        (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let operations = {
        let (begun, ended, release) = (begun.clone(), ended.clone(), release.clone());
        Scripted::new(move |_, _| {
            let (begun, ended, release) = (begun.clone(), ended.clone(), release.clone());
            Box::pin(async move {
                begun.add_permits(1);
                release.acquire().await.expect("open").forget();
                ended.add_permits(1);
                Ok(json!({}))
            })
        })
    };
    let running = start(&operations).await;
    let mut stream = TcpStream::connect(running.address()).await.expect("it listens");
    stream.write_all(post(&format!("{PLAYBOOK}/events"), "{\"event\":{}}").as_bytes()).await.expect("it reads");
    begun.acquire().await.expect("open").forget();
    drop(stream);
    release.add_permits(1);
    let done = tokio::time::timeout(Duration::from_secs(20), ended.acquire()).await;
    done.expect("it ran to its end").expect("open").forget();
    running.stop().await;
}

#[tokio::test]
async fn a_stop_lets_an_answer_finish_and_takes_no_more() {
    let (begun, release) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let operations = {
        let (begun, release) = (begun.clone(), release.clone());
        Scripted::new(move |_, _| {
            let (begun, release) = (begun.clone(), release.clone());
            Box::pin(async move {
                begun.add_permits(1);
                release.acquire().await.expect("open").forget();
                Ok(json!({"done": true}))
            })
        })
    };
    let running = start(&operations).await;
    let address = running.address();
    let asked = tokio::spawn(async move { talk(address, get(PLAYBOOK).as_bytes()).await });
    begun.acquire().await.expect("open").forget();
    let stopping = tokio::spawn(running.stop());
    tokio::time::timeout(Duration::from_secs(20), async {
        while TcpStream::connect(address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the address is given back while an answer is under way");
    release.add_permits(1);
    let answer = asked.await.expect("no panic");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("{\"done\":true}"), "{answer}");
    stopping.await.expect("it stops");
}

#[tokio::test]
async fn a_wait_for_news_does_not_hold_up_the_stop() {
    let running = start(&Scripted::echo()).await;
    let address = running.address();
    let mut waiting = TcpStream::connect(address).await.expect("it listens");
    waiting.write_all(get("/studio/api/changes?after=7").as_bytes()).await.expect("it reads");
    // Connections are taken in order: once a later one is answered, the wait has been taken too.
    talk(address, get("/health").as_bytes()).await;
    tokio::time::timeout(Duration::from_secs(10), running.stop()).await.expect("it stops at once");
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).await.expect("a clean end");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 503 "), "{answer}");
}

#[tokio::test]
async fn without_keys_it_stays_on_this_machine() {
    let echo = Scripted::echo();
    for address in ["0.0.0.0:0", "[::]:0", "example.invalid:0"] {
        let error = serve(site(&echo, Access::Nobody), address).await.err().expect("refused");
        assert!(matches!(error, StartError::KeysNeeded | StartError::Listen { .. }), "{address}: {error}");
        let error = serve(site(&echo, Access::Local), address).await.err().expect("refused");
        assert!(matches!(error, StartError::LocalOnly | StartError::Listen { .. }), "{address}: {error}");
    }
    for address in ["", "127.0.0.1", "localhost:port", "127.0.0.1:99999", "http://localhost:1"] {
        assert!(
            matches!(serve(site(&echo, Access::Local), address).await.err(), Some(StartError::Address)),
            "{address}"
        );
    }
    let key = make_key("ci", &OrgId::new("acme").expect("an id")).expect("a key");
    let keys = read_keys(&json!([key.entry])).expect("an entry");
    let running = serve(site(&echo, Access::Keys(keys)), "0.0.0.0:0").await.expect("keys are set");
    let address = SocketAddr::from(([127, 0, 0, 1], running.address().port()));
    let answer = talk(address, get(PLAYBOOK).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 401 "), "{answer}");
    let body: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    assert_eq!(body["reason"], "unauthenticated");
    running.stop().await;
}

#[tokio::test]
async fn a_taken_address_is_said_in_words() {
    let running = start(&Scripted::echo()).await;
    let address = running.address().to_string();
    let error = serve(site(&Scripted::echo(), Access::Local), &address).await.err().expect("taken");
    assert!(error.to_string().contains(&address), "{error}");
    running.stop().await;
}
