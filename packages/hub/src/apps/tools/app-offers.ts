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
  /** The apps that callers can be granted. */
  names(): readonly string[];
  publish(app: string, offer: Offer): void;
  /** The directory could not be read. The read is retried. */
  onFailed(error: unknown): void;
}

/** Changes within this time become one. */
const GATHER_MS = 50;
/** Publishing a large offer takes long. All apps together may use this part of the time. */
const SHARE_OF_TIME = 1 / 10;
/** A turn ends after this time, and the remaining apps wait for the next one. */
const MAX_TURN_MS = 10;

export function createAppOffers(parts: AppOffersParts): { stop(): void } {
  const { directory, limits, names, publish } = parts;
  /** Apps whose offer has changed, the longest waiting first. */
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restUntil = 0;
  let hasStopped = false;
  /** Sessions that lost their bridge a moment ago, with the timers that end their grace. */
  const inGrace = new Map<string, NodeJS.Timeout>();

  const isNamed = (app: string): boolean => names().includes(app);
  const isShown = ({ id, bridge }: Session): boolean => bridge !== undefined || inGrace.has(id);

  async function publishOffer(app: string): Promise<number> {
    const sessions = await directory.list(app);
    const begun = performance.now();
    if (!hasStopped && isNamed(app)) publish(app, offerOf(sessions.filter(isShown), limits));
    return performance.now() - begun;
  }

  /** Schedules the next turn only after this one, so that offers of an app are published in order. */
  async function renew(): Promise<void> {
    let busyMs = 0;
    // A snapshot: an app that changes during the turn waits for the next one.
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

  function endGrace(id: string): void {
    clearTimeout(inGrace.get(id));
    inGrace.delete(id);
  }

  const stopListening = directory.onChange(({ kind, session: { id, app } }) => {
    if (!isNamed(app) || kind === 'created') return;
    if (kind === 'detached') {
      // A reloaded app reconnects within this time, so its tools stay in the offer.
      const grace = setTimeout(() => {
        inGrace.delete(id);
        renewSoon(app);
      }, limits.bridgeGraceMs);
      inGrace.set(id, grace.unref());
    } else endGrace(id);
    renewSoon(app);
  });

  // After a restart of the hub, the earlier offers stay until apps had time to reconnect.
  const begin = setTimeout(() => {
    for (const app of names()) renewSoon(app);
  }, limits.bridgeGraceMs).unref();

  return {
    stop() {
      hasStopped = true;
      stopListening();
      clearTimeout(begin);
      clearTimeout(timer);
      for (const each of inGrace.values()) clearTimeout(each);
    },
  };
}

/**
 * If sessions differ in a tool, the session with the latest bridge wins, and is the one that is called. The limits keep
 * an app from offering a hundred thousand different tools.
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
