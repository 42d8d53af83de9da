import { describe, expect, it } from 'vitest';
import type { HostConfig } from '../host.ts';
import { setup } from './setup.ts';

/** A configuration file in memory. */
function fileWith(start: Record<string, unknown> = {}) {
  let held = start;
  let writes = 0;
  return {
    current: (): HostConfig => held,
    writes: () => writes,
    async mutateConfigFile({ mutate }: { mutate(draft: Record<string, unknown>): unknown }) {
      const draft = structuredClone(held);
      const result = mutate(draft);
      held = draft;
      writes += 1;
      return result;
    },
  };
}

const entry = (config: HostConfig): unknown =>
  (config['plugins'] as { entries: Record<string, unknown> }).entries['mcp-client'];

async function run(file: ReturnType<typeof fileWith>, words: string[], answer?: string) {
  let output = '';
  const exitCode = await setup(words, {
    config: file,
    write: (text) => void (output += text),
    ask: answer === undefined ? undefined : async () => answer,
  });
  return { exitCode, output };
}

describe('openclaw pincer setup', () => {
  it('explains the permission, and writes it after a yes', async () => {
    const file = fileWith({ plugins: { entries: { 'mcp-client': { enabled: true } } } });
    const { exitCode, output } = await run(file, [], 'y');
    expect(exitCode).toBe(0);
    expect(output).toContain('plugins.entries.mcp-client.hooks.allowConversationAccess');
    expect(entry(file.current())).toEqual({ enabled: true, hooks: { allowConversationAccess: true } });
  });

  it.each(['', 'n', 'no', 'yesterday'])('writes nothing after "%s"', async (answer) => {
    const file = fileWith();
    const { exitCode, output } = await run(file, [], answer);
    expect([exitCode, file.writes()]).toEqual([0, 0]);
    expect(output).toContain('Agents do not get the list of MCP servers.');
  });

  it('does not ask with --yes, and revokes it with --no', async () => {
    const file = fileWith();
    const { exitCode, output } = await run(file, ['--yes']);
    expect(exitCode).toBe(0);
    expect(output).toBe('Agents get the list of MCP servers. To stop that: openclaw pincer setup --no\n');
    expect(entry(file.current())).toEqual({ hooks: { allowConversationAccess: true } });
    await run(file, ['--no']);
    expect(entry(file.current())).toEqual({ hooks: { allowConversationAccess: false } });
  });

  it('does not ask if the permission is already given', async () => {
    const hooks = { allowConversationAccess: true };
    const file = fileWith({ plugins: { entries: { 'mcp-client': { hooks } } } });
    expect((await run(file, [], 'n')).output).toContain('Agents get the list of MCP servers.');
    expect((await run(file, ['--yes'])).exitCode).toBe(0);
    expect(file.writes()).toBe(0);
  });

  it('says how to allow it without a terminal', async () => {
    const file = fileWith();
    const { exitCode, output } = await run(file, []);
    expect([exitCode, file.writes()]).toEqual([2, 0]);
    expect(output).toContain('openclaw pincer setup --yes');
  });

  it.each([[['--maybe']], [['--yes', '--no']]])('shows the usage for %j', async (words) => {
    const file = fileWith();
    const { exitCode, output } = await run(file, words, 'y');
    expect([exitCode, file.writes()]).toEqual([2, 0]);
    expect(output).toBe('Usage: openclaw pincer setup [--yes | --no]\n');
  });
});
