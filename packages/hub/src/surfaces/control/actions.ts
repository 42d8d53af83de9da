/** What the control surface can do, by method and path. */
import { z } from 'zod';
import type { Catalog, CatalogTool } from '../../core/catalog.ts';
import { PincerError } from '../../core/errors.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import type { CredentialBook } from './credential-book.ts';
import type { ControlActions } from './control.ts';

export interface ControlParts {
  readonly catalog: Catalog;
  readonly book: CredentialBook;
  whenKnown(server: string | undefined): Promise<void> | undefined;
  /** Why a server cannot be used now. */
  problemOf(server: string): PincerError | undefined;
  describe(): object;
  addServer(name: string, config: unknown): Promise<void>;
  /** Takes over what has changed in the configuration; throws where it is not valid. */
  reload(): object;
  /** Connects where that is not so, and asks for all that the server offers anew. */
  refresh(server: string): Promise<void>;
  stop(): void;
}

const scopesBody = {
  servers: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  readOnly: z.boolean().optional(),
};
const addServerBody = z.strictObject({ name: z.string(), config: z.unknown() });
const addTokenBody = z.strictObject({ name: z.string().min(1).max(64), ...scopesBody });

export const createControlActions = ({ catalog, book, ...parts }: ControlParts): ControlActions => ({
  'GET status': () => parts.describe(),
  'POST stop': () => parts.stop(),
  'POST reload': () => parts.reload(),
  async 'GET tools'({ query }) {
    const server = query.get('server') ?? undefined;
    if (server !== undefined && !catalog.has(server)) throw unknownServer(server);
    await parts.whenKnown(server);
    if (server !== undefined) assertHeard(server, catalog, parts);
    return catalog.list(server).map(describeTool);
  },
  async 'GET tool'({ query }) {
    const server = query.get('server') ?? '';
    const name = query.get('name') ?? '';
    if (!catalog.has(server)) throw unknownServer(server);
    await parts.whenKnown(server);
    assertHeard(server, catalog, parts);
    const tool = catalog.resolve(server, name);
    if (tool === undefined)
      throw new PincerError('TOOL_UNKNOWN', `Server "${server}" has no tool "${name}".`, {
        hint: `Run \`pincer tools ${server}\`.`,
        data: { known: catalog.list(server).map((known) => known.name) },
      });
    return describeTool(tool);
  },
  async 'POST servers'({ body }) {
    const { name, config } = read(addServerBody, body);
    await parts.addServer(name, config);
    return catalog.list(name).map(describeTool);
  },
  'GET tokens': () => book.list(),
  'POST tokens'({ body }) {
    const { name, ...scopes } = read(addTokenBody, body);
    return book.add(name, scopes);
  },
  'DELETE tokens'({ query }) {
    book.revoke(query.get('name') ?? '');
  },
});

const describeTool = (tool: CatalogTool): object => ({
  server: tool.server,
  name: tool.name,
  exposed: tool.exposed,
  definition: parseBytes(tool.definition.raw) as object,
});

/** A server that was never heard has no tools to show; that is not the same as having none. */
function assertHeard(server: string, catalog: Catalog, parts: Pick<ControlParts, 'problemOf'>): void {
  const problem = catalog.isKnown(server) ? undefined : parts.problemOf(server);
  if (problem === undefined) return;
  const { message, hint } = problem;
  throw new PincerError('SERVER_UNREACHABLE', message, { hint, cause: problem });
}

const unknownServer = (server: string): PincerError =>
  new PincerError('SERVER_UNKNOWN', `No server "${server}" is configured.`, { hint: 'Run `pincer list`.' });

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new PincerError('USAGE', `The request is not valid: ${z.prettifyError(parsed.error)}`);
}
