//! Servers on loopback ports of their own, which end when their handle is dropped.

use axum::Router;
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// Binds a port that nobody else has; returns it with its number.
pub(crate) async fn bound() -> std::io::Result<(TcpListener, u16)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// Serves on such a port; returns its number.
pub(crate) async fn served(router: Router) -> std::io::Result<(u16, AbortOnDropHandle<()>)> {
    let (listener, port) = bound().await?;
    let server = tokio::spawn(async move { drop(axum::serve(listener, router).await) });
    Ok((port, AbortOnDropHandle::new(server)))
}
