/** A fake OpenClaw config file and a fake hub, for tests of the entries in `mcp.servers`. */
import type { HubClient, HubStatus } from 'pincer/client';
import { expect } from 'vitest';
import { createEntries, type Entries } from '../../packages/openclaw-plugin/src/entries/entries.ts';

export const HOME = '/home/person/.openclaw/mcp';

/** OpenClaw 2026.9.6 rejects a write that halves a file of at least this size. */
const GUARDED_BYTES = 512;

const bytesOf = (value: unknown): number => JSON.stringify(value, undefined, 2).length;

/** OpenClaw's config file. With `isSlow`, a write is not applied at once. */
export class HandConfig {
  file: Record<string, unknown>;
  inForce: Record<string, unknown>;
  writes = 0;
  isSlow = false;
  failure: Error | undefined;
  /** Thrown once after a write that succeeded. */
  lateFailure: Error | undefined;

  constructor(start: object = {}) {
    this.file = this.inForce = structuredClone(start) as Record<string, unknown>;
  }

  current(): Record<string, unknown> {
    return this.inForce;
  }

  async mutateConfigFile({ mutate }: { mutate(draft: Record<string, unknown>): unknown }): Promise<void> {
    const draft = structuredClone(this.file);
    await Promise.resolve();
    if (this.failure !== undefined) throw this.failure;
    mutate(draft);
    const before = bytesOf(this.file);
    if (before >= GUARDED_BYTES && bytesOf(draft) < before / 2)
      throw new Error(`Config write rejected: size-drop:${before}->${bytesOf(draft)}`);
    this.file = draft;
    this.writes++;
    if (!this.isSlow) this.inForce = draft;
    const late = this.lateFailure;
    this.lateFailure = undefined;
    if (late !== undefined) throw late;
  }

  get servers(): Record<string, { url: string; requestTimeoutMs: number; headers: Record<string, string> }> {
    return ((this.file['mcp'] as Record<string, unknown> | undefined)?.['servers'] ?? {}) as never;
  }
}

/** A hub that issues tokens and remembers them. */
export class HandHub implements HubClient {
  readonly hubFile: HubClient['hubFile'];
  readonly tokens = new Map<string, string>();
  readonly asked: string[] = [];

  constructor(pid = 1, port = 8765) {
    const origin = `http://127.0.0.1:${port}`;
    const endpoints = { mcp: `${origin}/mcp`, control: `${origin}/control/`, health: `${origin}/health` };
    const times = { startedAt: '2026-01-01T00:00:00Z', processStart: crypto.randomUUID() };
    this.hubFile = { pid, ...times, version: '0.1.0', mode: 'background', endpoints };
  }

  async control(action: string, { query, body }: Parameters<HubClient['control']>[1] = {}): Promise<string> {
    const { name, servers, token } = { name: query?.['name'], ...(body as object) } as {
      name: string;
      servers?: string[];
      token?: string;
    };
    this.asked.push(`${action} ${name}`);
    if (action === 'DELETE tokens') this.tokens.delete(name);
    if (action === 'GET tokens')
      return JSON.stringify(
        [...this.tokens.keys()].map((each) => ({ name: each, scopes: { openClaw: true } })),
      );
    if (action !== 'POST tokens/ensure') return 'null';
    expect(servers).toEqual([name.split(':')[1]]);
    const isSame = token !== undefined && this.tokens.get(name) === token;
    if (!isSame) this.tokens.set(name, `${name}#${this.hubFile.pid}.${this.asked.length}`);
    return JSON.stringify({ token: this.tokens.get(name), isNew: !isSame });
  }

  postMcp = (): never => expect.unreachable();
}

export const status = (...servers: (string | object)[]): HubStatus => ({
  version: '0.1.0',
  pid: 1,
  mode: 'background',
  attached: 0,
  callsInFlight: 0,
  servers: servers.map((server) => ({
    name: 'a',
    state: 'ready',
    transport: 'stdio',
    target: 'x',
    tools: 1,
    longestCallMs: 60_000,
    ...(typeof server === 'string' ? { name: server } : server),
  })),
});

export function open(config: HandConfig): { entries: Entries; warnings: string[] } {
  const warnings: string[] = [];
  const logger = { info: () => {}, warn: (text: string) => void warnings.push(text), error: () => {} };
  return { entries: createEntries({ config, logger, home: HOME }), warnings };
}
