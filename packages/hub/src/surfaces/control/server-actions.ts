import { z } from 'zod';
import type { Catalog } from '../../core/catalog/catalog.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import type { ControlActions } from './control.ts';
import { assertServer } from './known-server.ts';
import { readAs } from './read-body.ts';
import { describeTool } from './tool-actions.ts';

export interface ServerParts {
  readonly catalog: Catalog;
  addServer(name: string, config: unknown): Promise<void>;
  /** Takes over what has changed in the configuration; throws where it is not valid. */
  reload(): object;
  /** Ends the connection to a server until it is refreshed; the configuration stays. */
  disconnect(server: string): void;
  /** Connects where that is not so, and asks for all that the server offers anew. */
  refresh(server: string): Promise<void>;
}

const addBody = z.strictObject({ name: z.string(), config: z.unknown() });
const nameBody = z.strictObject({ name: z.string() });

export const serverActions = ({ catalog, ...parts }: ServerParts): ControlActions => ({
  'POST reload': () => parts.reload(),
  async 'POST servers'({ body }) {
    const { name, config } = readAs(addBody, body);
    await parts.addServer(name, config);
    return catalog.list(name).map(describeTool);
  },
  'POST disconnect'({ body }) {
    parts.disconnect(readAs(nameBody, body).name);
  },
  async 'POST probe'({ body }) {
    const { name } = readAs(nameBody, body);
    const begin = performance.now();
    await parts.refresh(name);
    return { name, ms: Math.round(performance.now() - begin), ...describeOffer(catalog, name) };
  },
  'GET offer'({ query }) {
    const server = query.get('server') ?? '';
    assertServer(catalog, server);
    return { name: server, ...describeOffer(catalog, server) };
  },
});

/** What a server offered when it was last asked; nobody asks it for this. */
function describeOffer(catalog: Catalog, server: string): object {
  const about = catalog.about(server);
  const info = about?.serverInfo;
  return {
    isKnown: catalog.isKnown(server),
    era: about?.era,
    serverInfo: info === undefined ? undefined : parseBytes(info),
    instructions: about?.instructions,
    tools: catalog.list(server).map(({ name }) => name),
    prompts: catalog.prompts(server).map(({ name }) => name),
    resources: catalog.resources(server).map(({ uri }) => uri),
    templates: catalog.templates(server).map(({ uri }) => uri),
  };
}
