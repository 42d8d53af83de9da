/** A store with rows in every table, and ways to damage its files. */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type {
  Clock,
  StoredAppSession,
  StoredApproval,
  StoredCall,
  StoredCredential,
  StoredPin,
} from '../../packages/hub/src/core/ports.ts';
import type { RawOffer } from '../../packages/hub/src/core/catalog/offer.ts';
import { openTestStore } from './store.ts';

export interface Filled {
  readonly pins: StoredPin[];
  readonly credentials: StoredCredential[];
  readonly approvals: StoredApproval[];
  readonly sessions: StoredAppSession[];
  readonly sessionsPerList: number;
  readonly catalogs: number;
  readonly calls: number;
  readonly offer: RawOffer;
  call(tool: string): StoredCall;
}

const SESSIONS_PER_LIST = 4;

export function fillStore(home: string, clock: Clock): Filled {
  mkdirSync(home, { recursive: true });
  const store = openTestStore(home, clock);
  const now = Math.trunc(clock.now());
  const offer = { about: '{}', tools: ['x'.repeat(9_000)], prompts: [], resources: [], templates: [] };
  const call = (tool: string): StoredCall => ({
    at: now,
    caller: 'laptop',
    surface: 'mcp-http',
    server: 's',
    method: 'tools/call',
    tool,
    outcome: 'ok',
    code: undefined,
    durationMs: 1,
    arguments: tool.length % 3 === 0 ? `{"text":"${'y'.repeat(200)}"}` : undefined,
  });
  const filled: Filled = {
    // Some definitions are longer than a database page.
    pins: many(60, (index) => ({
      server: `server-${index % 5}`,
      origin: `origin-${index % 5}`,
      tool: `tool-${index}`,
      digest: `digest-${index}`,
      definition: `{"name":"tool-${index}","description":"${'d'.repeat(index % 6 === 0 ? 9_000 : 150)}"}`,
      acceptedAt: now,
    })),
    credentials: many(30, (index) => ({
      id: `credential-${String(index).padStart(3, '0')}`,
      name: `token-${index}`,
      tokenHash: String(index).padStart(64, '0'),
      scopes: { servers: [`server-${index % 5}`] },
      createdAt: now + index,
    })),
    approvals: many(60, (index) => ({
      id: `approval-${index}`,
      digest: `digest-${index}`,
      caller: 'laptop',
      server: 's',
      tool: 't',
      arguments: `{"text":"${'a'.repeat(index % 20 === 0 ? 6_000 : 200)}"}`,
      state: 'open',
      askedAt: now,
      decidedAt: undefined,
    })),
    sessions: many(60, (index) => ({
      id: `session-${String(index).padStart(3, '0')}`,
      app: 'notes',
      deviceId: `device-${index}`,
      deviceName: 'A device with a rather long name'.repeat(3),
      appVersion: '1',
      chatId: undefined,
      tools: [
        {
          name: `tool-${Math.floor(index / SESSIONS_PER_LIST)}`,
          path: undefined,
          title: undefined,
          description: 'e'.repeat(300),
          inputSchema: '{}',
          outputSchema: undefined,
          annotations: undefined,
        },
      ],
      credential: 'c',
      epoch: index,
      saysHello: true,
    })),
    sessionsPerList: SESSIONS_PER_LIST,
    catalogs: 6,
    calls: 400,
    offer,
    call,
  };
  store.savePins(filled.pins);
  for (const each of filled.credentials) store.saveCredential(each);
  for (const each of filled.approvals) store.saveApproval(each);
  for (const each of filled.sessions) store.appSessions.save(each);
  for (let index = 0; index < filled.catalogs; index += 1)
    store.saveCatalog({ server: `server-${index}`, origin: 'o', offer });
  store.appendCalls(many(filled.calls, (index) => call(`tool-${index}`)));
  store.close();
  return filled;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export interface Page {
  readonly page: number;
  /** `schema` for page 1; an index counts as its table. */
  readonly table: string;
  /** Rows on the page: 0 for an index or interior page, 1 for the overflow of a long row. */
  readonly rows: number;
  /** A leaf page that is neither the first nor the last of its table. */
  readonly isMiddle: boolean;
}

/** The pages of a database file, as SQLite reports them. */
export function pagesOf(path: string): Page[] {
  const found = rowsIn(
    path,
    `SELECT pageno, coalesce(s.tbl_name, d.name) AS tbl, pagetype, ncell, coalesce(s.type, 'table') AS type
     FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name ORDER BY pageno`,
  ).map((row) => ({
    page: Number(row['pageno']),
    table: String(row['tbl']) === 'sqlite_schema' ? 'schema' : String(row['tbl']),
    rows: row['type'] === 'index' ? 0 : row['pagetype'] === 'overflow' ? 1 : Number(row['ncell']),
    isLeaf: row['pagetype'] === 'leaf',
  }));
  return found.map(({ isLeaf, ...page }) => {
    const leaves = found.filter((each) => each.table === page.table && each.isLeaf);
    const isEnd = page.page === leaves[0]?.page || page.page === leaves.at(-1)?.page;
    return { ...page, isMiddle: isLeaf && !isEnd };
  });
}

export function rowsIn(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}

export function overwritePage(path: string, page: number, kind: 'zeroes' | 'random'): void {
  const size = 4_096;
  const file = openSync(path, 'r+');
  try {
    writeSync(file, kind === 'zeroes' ? Buffer.alloc(size) : randomBytes(size), 0, size, (page - 1) * size);
  } finally {
    closeSync(file);
  }
}
