/** A hub with one server whose tool needs an approval, and helpers to approve or deny. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenApproval } from '../../packages/hub/src/core/approvals/approvals.ts';
import { startHub, type HubOptions, type TestHub } from './hub.ts';
import { eventually } from './processes.ts';

const SERVER = fileURLToPath(new URL('../servers/counting.ts', import.meta.url));

export interface AskingHub extends AsyncDisposable {
  hub: TestHub;
  /** The arguments of every call that has run, in order. */
  ran(): unknown[];
  list(): Promise<OpenApproval[]>;
  /** Waits until exactly `count` approvals are open and returns them. */
  open(count?: number): Promise<OpenApproval[]>;
  decide(id: string, decision: 'allowed' | 'denied'): Promise<{ status: number; value: unknown }>;
  /** Creates a credential. */
  token(name: string, scopes?: object): Promise<string>;
}

/** The tool is `bank__pay`. */
export async function startAskingHub(
  limits: object = {},
  options: Omit<HubOptions, 'servers' | 'config'> & { config?: object } = {},
): Promise<AskingHub> {
  const folder = mkdtempSync(join(tmpdir(), 'pincer-asking-'));
  const file = join(folder, 'ran');
  const hub = await startHub({
    ...options,
    servers: { bank: { command: process.execPath, args: [SERVER, file], policy: { pay: 'ask' } } },
    config: { ...options.config, limits },
  });
  const list = async (): Promise<OpenApproval[]> =>
    (await hub.control('GET', 'approvals')).value as OpenApproval[];
  return {
    hub,
    list,
    ran: () => linesOf(file).map((line) => JSON.parse(line) as unknown),
    async open(count = 1) {
      let found: OpenApproval[] = [];
      const came = await eventually(async () => {
        found = (await list()).filter(({ state }) => state === 'open');
        return found.length === count;
      });
      if (!came) throw new Error(`${found.length} approvals are open, expected ${count}`);
      return found;
    },
    decide: (id, decision) => hub.control('POST', 'approvals', { id, decision }),
    async token(name, scopes = {}) {
      const { value } = await hub.control('POST', 'tokens', { name, ...scopes });
      return (value as { token: string }).token;
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}
