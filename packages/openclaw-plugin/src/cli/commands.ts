/** The commands that the plugin adds to `openclaw`. The manifest tells of them before any of it runs. */
export const PINCER = {
  name: 'pincer',
  description: 'The MCP hub: servers, sign-in, approvals, log',
  hasSubcommands: true,
};

export const MCP_SERVER = {
  name: 'mcp-server',
  description: 'OpenClaw as an MCP server on stdio: the tool order_openclaw',
  hasSubcommands: false,
};
