/** Keeps the surfaces of the canvas: applies pushes of agents and changes of the person, and reports actions. */
import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '../../core/ports.ts';
import { isRecord } from '../../lib/record.ts';
import { CommandFailure } from '../registry/capability.ts';
import type { A2uiEvents } from './a2ui-view.ts';
import { A2uiError, type Message, type A2uiLimits, type Json } from './a2ui/message.ts';
import {
  segmentsOf,
  applyMessages,
  withData,
  type Surfaces,
  absolutePath,
  valueAt,
  type Surface,
} from './a2ui/surfaces.ts';

export interface SurfaceStore extends A2uiEvents {
  readonly surfaces: Surfaces;
  apply(messages: readonly Message[], sessionKey: string | undefined): void;
  clear(): void;
}

interface SurfaceStoreParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: A2uiLimits;
  /** Called when a person uses a component that has an action. */
  onAction(action: CanvasAction): void;
}

export function createSurfaceStore({ clock, log, limits, onAction }: SurfaceStoreParts): SurfaceStore {
  const { maxA2uiDepth } = limits;
  let surfaces: Surfaces = new Map();
  return {
    get surfaces() {
      return surfaces;
    },
    apply(messages, sessionKey) {
      try {
        surfaces = applyMessages(surfaces, messages, { sessionKey, limits });
      } catch (error) {
        if (!(error instanceof A2uiError)) throw error;
        throw new CommandFailure(`A2UI limit reached: ${error.message}.`, {
          notExecuted: true,
          hint: 'Nothing was pushed. Delete unused surfaces, or reset the canvas.',
        });
      }
    },
    clear() {
      surfaces = new Map();
    },
    onData(surfaceId, path, value) {
      const surface = surfaces.get(surfaceId);
      const isTooLong = (JSON.stringify(value) ?? '').length > limits.maxA2uiStringChars;
      if (surface === undefined || isTooLong || segmentsOf(path).length > maxA2uiDepth) return;
      surfaces = new Map([...surfaces, [surfaceId, withData(surface, path, value, maxA2uiDepth)]]);
    },
    onAction(surfaceId, sourceComponentId, at) {
      const surface = surfaces.get(surfaceId);
      const action = surface && actionOf(surface, sourceComponentId, at);
      if (surface === undefined || action === undefined) return;
      const { sessionKey } = surface;
      // Logs only the name of the action: what the person typed is for the agent.
      log.info('a person used the canvas', { action: action.name, surfaceId, sourceComponentId });
      onAction({
        id: randomUUID(),
        surfaceId,
        sourceComponentId,
        ...action,
        ...(sessionKey === undefined ? {} : { sessionKey }),
        timestamp: new Date(clock.now()).toISOString(),
      });
    },
  };
}

export interface CanvasAction {
  readonly id: string;
  readonly name: string;
  readonly surfaceId: string;
  readonly sourceComponentId: string;
  readonly sessionKey?: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly context: Json;
}

/** A bound value of A2UI: a literal, or a path into the data with a literal as default. */
function boundValue(bound: unknown, surface: Surface, at: string): unknown {
  if (!isRecord(bound)) return bound;
  const { path } = bound;
  const found = typeof path === 'string' ? valueAt(surface.data, absolutePath(path, at)) : undefined;
  return found ?? LITERALS.map((name) => bound[name]).find((value) => value !== undefined);
}

const LITERALS = ['literalString', 'literalNumber', 'literalBoolean', 'literalArray', 'literal'];

/** Returns the action of a component, as agents defined it: the page is not trusted. Undefined if it has none. */
export function actionOf(
  surface: Surface,
  componentId: string,
  at: string,
): Pick<CanvasAction, 'name' | 'context'> | undefined {
  const action = surface.components.get(componentId)?.props['action'];
  if (!isRecord(action) || typeof action['name'] !== 'string') return undefined;
  const entries = Array.isArray(action['context']) ? (action['context'] as unknown[]) : [];
  const context = Object.fromEntries(
    entries.flatMap((entry) =>
      isRecord(entry) && typeof entry['key'] === 'string'
        ? [[entry['key'], boundValue(entry['value'], surface, at) ?? null]]
        : [],
    ),
  );
  return { name: action['name'], context };
}

const tag = (value: string): string => value.trim().replaceAll(/[^\w.:-]/g, '_') || '-';

/**
 * The line for agents, in the form of other canvases. The context comes last, so that its content cannot look like
 * another part.
 */
export const actionMessage = (action: CanvasAction, host: string): string =>
  [
    'CANVAS_A2UI',
    `action=${tag(action.name)}`,
    `session=${tag(action.sessionKey ?? 'main')}`,
    `surface=${tag(action.surfaceId)}`,
    `component=${tag(action.sourceComponentId)}`,
    `host=${tag(host)}`,
    'instance=pincer',
    'default=update_canvas',
    ...(Object.keys(action.context).length === 0 ? [] : [`ctx=${JSON.stringify(action.context)}`]),
  ].join(' ');
