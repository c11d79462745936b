//! The MCP server: tools over stdio or streamable HTTP.
//!
//! In: JSON-RPC, read by `rmcp`. Out: answers of one client. Invariants: each session has a
//! [`Seat`] of its own; a failed tool is a result that says so, not a protocol error; arguments and
//! answers are never logged.

use crate::seats::Seat;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browserlens_session::{Answer, INSTRUCTIONS, ToolError, tool_list};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use std::borrow::Cow;

/// Serves one client over MCP.
#[derive(Clone, Debug)]
pub struct McpClient {
    seat: Seat,
}

impl McpClient {
    /// Serves the client of a place.
    pub fn new(seat: Seat) -> Self {
        Self { seat }
    }
}

impl ServerHandler for McpClient {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("browserlens", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    /// What a client was shown belongs to its session; versions without sessions have no place for
    /// it.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = tool_list(&self.seat.shared().policy);
        let tools = serde_json::from_value(list["tools"].take());
        let tools = tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let answer = self.seat.call(&request.name, arguments).await;
        if let Err(error @ ToolError::UnknownTool(_)) = &answer {
            return Err(ErrorData::invalid_params(error.message(), None));
        }
        Ok(result(answer).into())
    }
}

fn result(answer: Result<Answer, ToolError>) -> CallToolResult {
    match answer {
        Ok(answer) => {
            let mut content = vec![ContentBlock::text(answer.text)];
            let images = answer.images.iter().map(|png| ContentBlock::image(STANDARD.encode(png), "image/png"));
            content.extend(images);
            CallToolResult::success(content)
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.told())]),
    }
}
