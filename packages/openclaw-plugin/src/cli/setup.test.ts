import { describe, expect, it } from 'vitest';
import type { HostConfig } from '../host.ts';
import { setup } from './setup.ts';

/** A configuration file that is kept in memory. */
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
  let said = '';
  const exitCode = await setup(words, {
    config: file,
    write: (text) => void (said += text),
    ask: answer === undefined ? undefined : async () => answer,
  });
  return { exitCode, said };
}

describe('openclaw pincer setup', () => {
  it('says what the permission is for, and writes it after a yes', async () => {
    const file = fileWith({ plugins: { entries: { 'mcp-client': { enabled: true } } } });
    const { exitCode, said } = await run(file, [], 'y');
    expect(exitCode).toBe(0);
    expect(said).toContain('plugins.entries.mcp-client.hooks.allowConversationAccess');
    expect(entry(file.current())).toEqual({ enabled: true, hooks: { allowConversationAccess: true } });
  });

  it.each(['', 'n', 'no', 'yesterday'])('writes nothing after "%s"', async (answer) => {
    const file = fileWith();
    const { exitCode, said } = await run(file, [], answer);
    expect([exitCode, file.writes()]).toEqual([0, 0]);
    expect(said).toContain('Agents are not told of their MCP servers.');
  });

  it('asks nobody with --yes, and takes it back with --no', async () => {
    const file = fileWith();
    const { exitCode, said } = await run(file, ['--yes']);
    expect(exitCode).toBe(0);
    expect(said).toBe('Agents are told of their MCP servers. `openclaw pincer setup --no` ends that.\n');
    expect(entry(file.current())).toEqual({ hooks: { allowConversationAccess: true } });
    await run(file, ['--no']);
    expect(entry(file.current())).toEqual({ hooks: { allowConversationAccess: false } });
  });

  it('does not ask for what it has', async () => {
    const hooks = { allowConversationAccess: true };
    const file = fileWith({ plugins: { entries: { 'mcp-client': { hooks } } } });
    expect((await run(file, [], 'n')).said).toContain('Agents are told of their MCP servers.');
    expect((await run(file, ['--yes'])).exitCode).toBe(0);
    expect(file.writes()).toBe(0);
  });

  it('says how to allow it where nobody can be asked', async () => {
    const file = fileWith();
    const { exitCode, said } = await run(file, []);
    expect([exitCode, file.writes()]).toEqual([2, 0]);
    expect(said).toContain('`openclaw pincer setup --yes`');
  });

  it.each([[['--maybe']], [['--yes', '--no']]])('does not guess what %j means', async (words) => {
    const file = fileWith();
    const { exitCode, said } = await run(file, words, 'y');
    expect([exitCode, file.writes()]).toEqual([2, 0]);
    expect(said).toBe('Usage: openclaw pincer setup [--yes | --no]\n');
  });
});
