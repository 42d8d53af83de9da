/** The combined offer of an app's sessions, which `/mcp` shows as one server. */
import { EMPTY_OFFER, type Offer } from '../../core/catalog/offer.ts';
import { parseToolDefinition, type ToolDefinition } from '../../core/catalog/tool-definition.ts';
import type { Limits } from '../../core/limits.ts';
import { toToolDefinition } from '../registration/read-registration.ts';
import type { AppTool, Session, SessionDirectory } from '../directory/session-directory.ts';
import { ABOUT_APPS } from './session-catalog.ts';

export interface AppOffersParts {
  readonly directory: Pick<SessionDirectory, 'list' | 'onChange'>;
  readonly limits: Pick<Limits, 'bridgeGraceMs' | 'maxToolsPerApp' | 'maxCatalogBytes'>;
  /** The apps that others can be granted. */
  names(): readonly string[];
  publish(app: string, offer: Offer): void;
  /** The directory could not be read. It is tried again. */
  onFailed(error: unknown): void;
}

/** Changes within this time count as one. */
const GATHER_MS = 50;
/** To show what an app offers takes long where it is much. It takes at most this part of the time, for all apps together. */
const SHARE_OF_TIME = 1 / 10;
/** After so long, the others wait for their turn. */
const MAX_TURN_MS = 10;

export function createAppOffers(parts: AppOffersParts): { stop(): void } {
  const { directory, limits, names, publish } = parts;
  /** Apps whose offer has changed, the longest waiting first. */
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restUntil = 0;
  let hasStopped = false;
  /** Sessions whose bridge has just gone, with the timers that end their grace. */
  const missed = new Map<string, NodeJS.Timeout>();

  const isNamed = (app: string): boolean => names().includes(app);
  const isThere = ({ id, bridge }: Session): boolean => bridge !== undefined || missed.has(id);

  async function publishOffer(app: string): Promise<number> {
    const sessions = await directory.list(app);
    const begun = performance.now();
    if (!hasStopped && isNamed(app)) publish(app, offerOf(sessions.filter(isThere), limits));
    return performance.now() - begun;
  }

  /** The next turn is scheduled after this one, so that an app's offers are published in their order. */
  async function renew(): Promise<void> {
    let busyMs = 0;
    // Those of now: an app that changes during the turn waits for the next one.
    const apps = [...due];
    for (const app of apps) {
      due.delete(app);
      try {
        busyMs += await publishOffer(app);
      } catch (error) {
        parts.onFailed(error);
        due.add(app);
        restUntil = performance.now() + limits.bridgeGraceMs;
        return;
      }
      if (busyMs > MAX_TURN_MS) break;
    }
    restUntil = performance.now() + busyMs / SHARE_OF_TIME;
  }

  function schedule(): void {
    const turn = (): void =>
      void renew().finally(() => {
        timer = undefined;
        if (due.size > 0 && !hasStopped) schedule();
      });
    timer ??= setTimeout(turn, Math.max(GATHER_MS, restUntil - performance.now())).unref();
  }

  function renewSoon(app: string): void {
    due.add(app);
    schedule();
  }

  function forgive(id: string): void {
    clearTimeout(missed.get(id));
    missed.delete(id);
  }

  const stopListening = directory.onChange(({ kind, session: { id, app } }) => {
    if (!isNamed(app) || kind === 'created') return;
    if (kind === 'detached') {
      // An app that is reloaded is back within this time: its tools stay meanwhile.
      const grace = setTimeout(() => {
        missed.delete(id);
        renewSoon(app);
      }, limits.bridgeGraceMs);
      missed.set(id, grace.unref());
    } else forgive(id);
    renewSoon(app);
  });

  // What apps offered before the hub was started again is shown for as long as they may take to come back.
  const begin = setTimeout(() => {
    for (const app of names()) renewSoon(app);
  }, limits.bridgeGraceMs).unref();

  return {
    stop() {
      hasStopped = true;
      stopListening();
      clearTimeout(begin);
      clearTimeout(timer);
      for (const each of missed.values()) clearTimeout(each);
    },
  };
}

/**
 * Where sessions differ in a tool, that of the bridge which came last is shown, and called. No model reads more than so many:
 * the sessions of an app could have a hundred thousand different ones.
 */
export function offerOf(
  sessions: readonly Session[],
  { maxToolsPerApp, maxCatalogBytes }: Pick<Limits, 'maxToolsPerApp' | 'maxCatalogBytes'>,
): Offer {
  const tools = new Map<string, ToolDefinition>();
  const seen = new Set<readonly AppTool[]>();
  let bytes = 0;
  for (const { tools: own } of byLatest(sessions)) {
    if (seen.has(own)) continue;
    seen.add(own);
    for (const tool of own) {
      const definition = tools.has(tool.name) ? undefined : definitionOf(tool);
      if (definition === undefined) continue;
      bytes += definition.raw.length;
      if (tools.size >= maxToolsPerApp || bytes > maxCatalogBytes) return offering(tools);
      tools.set(tool.name, definition);
    }
  }
  return offering(tools);
}

const offering = (tools: ReadonlyMap<string, ToolDefinition>): Offer => ({
  ...EMPTY_OFFER,
  about: ABOUT_APPS,
  tools: [...tools.values()],
});

/** Connected sessions first: the definition shown must be that of the session that would be called. */
export const byLatest = (sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted(
    (a, b) => Number(b.bridge !== undefined) - Number(a.bridge !== undefined) || b.attachedAs - a.attachedAs,
  );

const definitionOf = (tool: AppTool): ToolDefinition | undefined =>
  parseToolDefinition(toToolDefinition(tool), 'modern');
