import { describe, expect, it } from 'vitest';
import { isOpenClawClient, isRunByOpenClaw } from './run-by-openclaw.ts';

/** The environment of a command run by the `exec` tool in OpenClaw 2026.9.6. */
const EXEC = {
  HOME: '/home/ada',
  OPENCLAW_CLI: '1',
  OPENCLAW_SHELL: 'exec',
  OPENCLAW_PATH_BOOTSTRAPPED: '1',
};

describe('isRunByOpenClaw', () => {
  it.each([
    ['the tool exec', EXEC],
    ['the tool exec in a sandbox', { OPENCLAW_SHELL: 'exec' }],
    ['a subagent', { OPENCLAW_SUBAGENT_EXEC: '1' }],
    ['a program that speaks ACP', { OPENCLAW_SHELL: 'acp-client' }],
    ['Claude Code as a backend', { OPENCLAW_MCP_TOKEN: 'grant', OPENCLAW_MCP_CLI_CAPTURE_KEY: '' }],
    ['an attached Claude Code', { OPENCLAW_MCP_TOKEN: 'grant' }],
    ['any other program it starts', { OPENCLAW_CLI: '1' }],
  ])('detects %s', (_, env) => expect(isRunByOpenClaw(env)).toBe(true));

  it.each([
    ['an empty environment', {}],
    ['settings to find a gateway', { OPENCLAW_GATEWAY_TOKEN: 'x', OPENCLAW_GATEWAY_URL: 'ws://127.0.0.1' }],
    ['settings to find a state folder', { OPENCLAW_STATE_DIR: '/x', OPENCLAW_CONFIG_PATH: '/x/y' }],
    ['other settings', { OPENCLAW_PROFILE: 'work', OPENCLAW_NO_RESPAWN: '1', OPENCLAW_MCP_PORT: '8765' }],
    ['empty marks', { OPENCLAW_CLI: '', OPENCLAW_SHELL: '', OPENCLAW_MCP_TOKEN: '' }],
    ['a command that a person types in its terminal', { OPENCLAW_CLI: '1', OPENCLAW_SHELL: 'tui-local' }],
  ])('ignores %s', (_, env) => expect(isRunByOpenClaw(env)).toBe(false));
});

it("recognizes OpenClaw's own client by name", () => {
  expect(isOpenClawClient('openclaw-bundle-mcp')).toBe(true);
  expect(isOpenClawClient('claude-code')).toBe(false);
});
