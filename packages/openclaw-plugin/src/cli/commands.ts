/** The commands that the plugin adds to `openclaw`. The manifest lists them before the plugin runs. */
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
