//! Listens on an address: connections with bounds, and a stop that lets answers finish.

use crate::bounded::Bounded;
use crate::origin::is_loopback_host;
use crate::site::{Access, Site};
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};

/// Connections at once; more wait to be taken.
const CONNECTIONS: usize = 1_024;

/// How long the head of a request may take, waiting for it included.
const HEAD: Duration = Duration::from_secs(30);

/// Bytes the head of a request may have.
const HEAD_BYTES: usize = 64 * 1024;

/// How long answers may take to finish once the server stops.
const FINISH: Duration = Duration::from_secs(20);

/// Why a server did not start, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is none.
    #[error("The address to listen on is not a host and a port, such as 127.0.0.1:8080.")]
    Address,
    /// Without keys a server is for this machine alone.
    #[error(
        "Without keys the server listens on a loopback address only, such as 127.0.0.1: set API_KEYS to be reached from elsewhere."
    )]
    KeysNeeded,
    /// Local mode is for this machine alone.
    #[error("Local mode works on a loopback address only, such as 127.0.0.1.")]
    LocalOnly,
    /// The address cannot be had.
    #[error("The server cannot listen on {address}: {cause}.")]
    Listen {
        /// Which address.
        address: String,
        /// The system's words.
        cause: std::io::Error,
    },
}

/// A server that runs.
pub struct Running {
    address: SocketAddr,
    site: Site,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Where it listens, with the port it really has.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops: takes no more connections, refuses commands, waits a bounded time for what is under way.
    pub async fn stop(self) {
        self.site.stop();
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the server did not stop cleanly");
        }
    }
}

/// Serves a site on an address such as `127.0.0.1:8080`; port 0 picks a free one.
///
/// # Errors
/// [`StartError`]; without keys every address that is not of this machine is refused.
pub async fn serve(site: Site, address: &str) -> Result<Running, StartError> {
    let host = address.parse::<http::uri::Authority>().map_err(|_| StartError::Address)?;
    if host.port_u16().is_none() {
        return Err(StartError::Address);
    }
    let cannot = |cause| StartError::Listen { address: address.to_owned(), cause };
    let resolved: Vec<SocketAddr> = tokio::net::lookup_host(address).await.map_err(cannot)?.collect();
    let loopback = is_loopback_host(address) && resolved.iter().all(|address| address.ip().is_loopback());
    if !loopback {
        match site.access() {
            Access::Keys(keys) if !keys.is_empty() => {}
            Access::Local | Access::Within => return Err(StartError::LocalOnly),
            Access::Keys(_) | Access::Nobody => return Err(StartError::KeysNeeded),
        }
    }
    let listener = TcpListener::bind(resolved.as_slice()).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(accept(listener, site.clone(), stopped));
    Ok(Running { address, site, stop, task })
}

async fn accept(listener: TcpListener, site: Site, mut stopped: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut open = JoinSet::new();
    loop {
        let permit = tokio::select! {
            permit = Arc::clone(&room).acquire_owned() => permit,
            () = told(&mut stopped) => break,
        };
        let taken = tokio::select! {
            taken = listener.accept() => taken,
            () = told(&mut stopped) => break,
        };
        let stream = match taken {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of descriptors, or the peer has gone: neither ends the server.
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let connection = converse(stream, site.clone(), stopped.clone());
        open.spawn(async move {
            connection.await;
            drop(permit);
        });
        while open.try_join_next().is_some() {}
    }
    drop(listener);
    let finished = tokio::time::timeout(FINISH, async { while open.join_next().await.is_some() {} }).await;
    if finished.is_err() {
        tracing::warn!("some answers did not finish in time");
        open.shutdown().await;
    }
}

/// Waits until the server is told to stop; a sender that is gone tells the same.
async fn told(stopped: &mut watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Serves one connection until it ends; once the server stops, until its present answer ends.
async fn converse(stream: TcpStream, site: Site, mut stopped: watch::Receiver<bool>) {
    // Answers are small and whole; waiting to fill a packet would only make them late.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection keeps its delay");
    }
    let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
        let site = site.clone();
        async move { Ok::<_, Infallible>(site.answer(request.map(Body::new)).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Bounded::new(stream)), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = told(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}
