import type { DatabaseSync } from 'node:sqlite';
import type { AppSessionStore, StoredAppSession } from '../core/ports.ts';
import { appToolLists } from './app-tool-lists.ts';
import { atomically } from './atomically.ts';

interface Row {
  readonly id: string;
  readonly app: string;
  readonly device_id: string | null;
  readonly device_name: string | null;
  readonly app_version: string | null;
  readonly chat_id: string | null;
  readonly tools: string;
  readonly credential: string | null;
  readonly epoch: number;
  readonly says_hello: number;
}

/** `onDropped` is told of a session whose tools are not what was written: it is removed, and its app registers again. */
export function appSessionTable(db: DatabaseSync, onDropped: (id: string) => void): AppSessionStore {
  const lists = appToolLists(db);
  const select = db.prepare('SELECT * FROM app_sessions ORDER BY number');
  const toolsOf = db.prepare('SELECT tools FROM app_sessions WHERE id = ?');
  const updateBridge = db.prepare(
    'UPDATE app_sessions SET credential = ?, epoch = ?, says_hello = ? WHERE id = ? AND tools = ?',
  );
  const upsert = db.prepare(
    `INSERT INTO app_sessions
       (id, app, device_id, device_name, app_version, chat_id, tools, credential, epoch, says_hello)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET
       app = excluded.app, device_id = excluded.device_id, device_name = excluded.device_name,
       app_version = excluded.app_version, chat_id = excluded.chat_id, tools = excluded.tools,
       credential = excluded.credential, epoch = excluded.epoch, says_hello = excluded.says_hello`,
  );
  const drop = db.prepare('DELETE FROM app_sessions WHERE id = ?');

  const listOf = (id: string): string | undefined => toolsOf.get(id)?.['tools'] as string | undefined;

  function register(session: StoredAppSession): void {
    const { id, app, deviceId, deviceName, appVersion, chatId, tools, credential, epoch, saysHello } =
      session;
    const before = listOf(id);
    const about = [deviceId, deviceName, appVersion, chatId].map((text) => text ?? null);
    const digest = lists.digestOf(tools);
    lists.keep(tools);
    upsert.run(id, app, ...about, digest, credential ?? null, epoch, Number(saysHello));
    if (before !== undefined) lists.release(before);
  }

  function remove(id: string): void {
    atomically(db, () => {
      const list = listOf(id);
      drop.run(id);
      if (list !== undefined) lists.release(list);
    });
  }

  return {
    load() {
      const known = lists.load();
      const sessions: StoredAppSession[] = [];
      const lost: string[] = [];
      for (const each of select.iterate()) {
        const row = each as unknown as Row;
        const tools = known.get(row.tools);
        if (tools === undefined) lost.push(row.id);
        else sessions.push(toSession(row, tools));
      }
      for (const id of lost) {
        remove(id);
        onDropped(id);
      }
      return sessions;
    },
    save(session) {
      const { id, tools, credential = null, epoch, saysHello } = session;
      // A bridge that came, as thousands do at once after a restart. It survives any end of the process; a power cut ends all
      // bridges anyway, and what was registered is still there then.
      const { changes } = updateBridge.run(credential, epoch, Number(saysHello), id, lists.digestOf(tools));
      if (changes === 0) atomically(db, () => register(session));
    },
    remove,
  };
}

const toSession = (row: Row, tools: StoredAppSession['tools']): StoredAppSession => ({
  id: row.id,
  app: row.app,
  deviceId: row.device_id ?? undefined,
  deviceName: row.device_name ?? undefined,
  appVersion: row.app_version ?? undefined,
  chatId: row.chat_id ?? undefined,
  tools,
  credential: row.credential ?? undefined,
  epoch: row.epoch,
  saysHello: row.says_hello !== 0,
});
