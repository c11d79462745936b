//! MCP over standard input and output, for one client.
//!
//! In: lines of JSON-RPC. Out: the same. Invariant: ends when the client closes its end or the
//! server is told to; the client's browser ends with it.

use crate::desk::Desk;
use crate::mcp::McpClient;
use crate::seats::Seats;
use browserlens_session::{Shared, ToolError};
use rmcp::ServiceExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// A server could not be run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A client could not be made.
    #[error(transparent)]
    Client(#[from] ToolError),
    /// What was said was no MCP from the beginning.
    #[error("the client did not begin as MCP clients do: {0}")]
    NotMcp(String),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The options do not go together.
    #[error("{0}")]
    Options(String),
    /// Reading or writing failed.
    #[error("serving failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves one client over standard input and output until it goes or `stop` is cancelled; at a desk
/// it can be looked at.
///
/// # Errors
/// [`ServeError`].
pub async fn serve_stdio(
    shared: Arc<Shared>,
    limit: Duration,
    stop: CancellationToken,
    desk: Option<Arc<Desk>>,
) -> Result<(), ServeError> {
    let (input, output) = rmcp::transport::io::stdio_pipes();
    serve_streams(Seats::new(shared, limit, 1).watched(desk), stop, input, output).await
}

/// Serves one client over two streams.
///
/// # Errors
/// As [`serve_stdio`].
pub async fn serve_streams<R, W>(seats: Seats, stop: CancellationToken, input: R, output: W) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let seat = seats.seat("stdio");
    drop(seats);
    let service = McpClient::new(seat.clone()).serve_with_ct((input, output), stop).await;
    match service {
        Ok(service) => drop(service.waiting().await),
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => {}
        Err(error) => return Err(ServeError::NotMcp(error.to_string())),
    }
    seat.end().await;
    Ok(())
}
