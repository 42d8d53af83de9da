/** A hub with the reference server behind it, for clients to list and call. */
import { startHub, type HubOptions, type TestHub } from '../kit/hub.ts';
import { connectAsker } from './asker.ts';
import { EVERYTHING } from './everything.ts';
import { installClients } from './install.ts';

export const ECHO = 'everything__echo';
export const SAID = 'through the hub: héllo';
export const HEARD = `Echo: ${SAID}`;
export const HEARD_RESULT = { content: [{ type: 'text', text: HEARD }] };

export interface EverythingHub extends TestHub {
  /** What the server itself says it has, under the names that the hub gives. */
  tools: string[];
  /** `Authorization: Bearer …`. */
  bearer: string;
  /** The hub as most clients have it in their settings. */
  http: { url: string; headers: { Authorization: string } };
  pipe: { command: string; args: string[]; env: { PINCER_HOME: string } };
}

export async function startEverythingHub(more: HubOptions['servers'] = {}): Promise<EverythingHub> {
  await installClients();
  await using direct = await connectAsker(EVERYTHING);
  const { tools } = await direct.ask('tools/list');
  const hub = await startHub({ servers: { everything: EVERYTHING, ...more } });
  const { command, args } = hub.stdioProgram();
  return {
    ...hub,
    tools: (tools as { name: string }[]).map(({ name }) => `everything__${name}`).sort(),
    bearer: `Authorization: Bearer ${hub.token}`,
    http: { url: hub.url, headers: { Authorization: `Bearer ${hub.token}` } },
    pipe: { command, args, env: { PINCER_HOME: hub.home } },
  };
}
