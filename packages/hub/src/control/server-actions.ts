import type { Catalog } from '../core/catalog/catalog.ts';
import { fromByteText, parseBytes, type ByteText } from '../core/wire/byte-text.ts';
import { bindRoutes } from './bind-routes.ts';
import type { CheckedProblem, OfferReport, ReloadReport } from './contract/servers.ts';
import { assertServer, describeTool, type KnownServers } from './tool-actions.ts';

export interface AddServerOptions {
  readonly signal?: AbortSignal | undefined;
  readonly firstConnectMs?: number | undefined;
  onStarting?(event: { readonly stderr: ByteText } | { readonly step: string }): void;
}

export interface ServerParts extends KnownServers {
  readonly catalog: Catalog;
  addServer(name: string, config: unknown, options?: AddServerOptions): Promise<void>;
  /** Applies the edited configuration. Throws if it is invalid. */
  reload(): ReloadReport;
  /** Returns the problems of a configuration before it is written, as this hub sees them. */
  check(text: string): { readonly problems: readonly CheckedProblem[] };
  /** Closes the connection to a server until it is refreshed. Does not change the configuration. */
  disconnect(server: string): void;
  /** Connects to the server if necessary, and refreshes its offer. */
  refresh(server: string): Promise<void>;
}

export function serverActions({ catalog, ...parts }: ServerParts) {
  const adding = new Map<string, AbortController>();
  return bindRoutes({
    'POST reload': () => parts.reload(),
    'POST check': ({ body: { text } }) => parts.check(text),
    async 'POST servers'({ body: { name, config, timeoutMs, id = '' }, signal, tell }) {
      const cancel = new AbortController();
      const stderr = splitLines((line) => tell({ stderr: line }));
      adding.set(id, cancel);
      try {
        await parts.addServer(name, config, {
          signal: AbortSignal.any([signal, cancel.signal]),
          firstConnectMs: timeoutMs,
          onStarting: (event) => ('stderr' in event ? stderr.push(event.stderr) : tell(event)),
        });
      } finally {
        adding.delete(id);
        stderr.end();
      }
      return catalog.list(name).map(describeTool);
    },
    /** `POST servers` is answered after everything has stopped, or as usual if the cancellation came too late. */
    'POST servers/cancel': ({ body: { id } }) => adding.get(id)?.abort(),
    'POST disconnect': ({ body: { name } }) => parts.disconnect(name),
    async 'POST probe'({ body: { name } }) {
      const begin = performance.now();
      await parts.refresh(name);
      return { name, ms: Math.round(performance.now() - begin), ...describeOffer(catalog, name) };
    },
    'GET offer'({ query: { server } }) {
      assertServer({ catalog, ...parts }, server);
      return { name: server, ...describeOffer(catalog, server) };
    },
  });
}

/** Longer lines are cut. */
const MAX_LINE = 8_192;

/** Splits output into whole lines, because a chunk may end within a character. A carriage return also ends a line. */
function splitLines(onLine: (line: string) => void): { push(chunk: ByteText): void; end(): void } {
  let rest = '';
  const emit = (line: ByteText): void => {
    if (line.trim() !== '') onLine(fromByteText(line));
  };
  return {
    push(chunk) {
      const lines = (rest + chunk).split(/[\r\n]+/);
      rest = lines.pop()!;
      if (rest.length > MAX_LINE) lines.push(rest.slice(0, MAX_LINE), (rest = ''));
      lines.forEach(emit);
    },
    end: () => emit(rest),
  };
}

/** Describes the last known offer of a server. Sends no request to it. */
function describeOffer(catalog: Catalog, server: string): Omit<OfferReport, 'name'> {
  const about = catalog.about(server);
  const info = about?.serverInfo;
  return {
    isKnown: catalog.isKnown(server),
    era: about?.era,
    serverInfo: info === undefined ? undefined : (parseBytes(info) as OfferReport['serverInfo']),
    instructions: about?.instructions,
    tools: catalog.list(server).map(({ name }) => name),
    prompts: catalog.prompts(server).map(({ name }) => name),
    resources: catalog.resources(server).map(({ uri }) => uri),
    templates: catalog.templates(server).map(({ uri }) => uri),
    hasPrompts: about?.has('prompts') ?? false,
    hasResources: about?.has('resources') ?? false,
  };
}
