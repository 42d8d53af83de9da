/** The plugin configuration from the proposal that the plugin implements. docs/openclaw.md shows the same. */
export const EXAMPLE = {
  servers: {
    tavily: { enabled: true, url: 'https://mcp.tavily.com/mcp', apiKey: 'tvly-xxxxx' },
    'github-mcp': {
      enabled: true,
      url: 'https://mcp.github.com/mcp',
      auth: { clientId: 'my-registered-client-id' },
    },
    'local-filesystem': {
      enabled: true,
      transport: 'stdio',
      command: 'npx',
      args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'],
    },
    'private-corp-server': {
      enabled: true,
      url: 'https://mcp.internal.corp.com/mcp',
      auth: { clientId: 'openclaw-prod', clientSecret: 'secret-from-vault', scopes: ['read', 'write'] },
    },
  },
};
