/** What a person did on a surface, as the agent hears of it. Pure. */
import { isRecord } from '../../../lib/is-record.ts';
import { absolutePath, valueAt } from './data-model.ts';
import type { Json } from './message.ts';
import type { Surface } from './surfaces.ts';

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

/** A value as A2UI binds it: a literal, or a path into the data with a literal for where there is none. */
function boundValue(bound: unknown, surface: Surface, at: string): unknown {
  if (!isRecord(bound)) return bound;
  const { path } = bound;
  const found = typeof path === 'string' ? valueAt(surface.data, absolutePath(path, at)) : undefined;
  return found ?? LITERALS.map((name) => bound[name]).find((value) => value !== undefined);
}

const LITERALS = ['literalString', 'literalNumber', 'literalBoolean', 'literalArray', 'literal'];

/** Of a component as the hub knows it: the page says which one, and nothing else. Undefined: it has no action. */
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
 * The line that agents know from other canvases. The context comes last: whatever stands in it can be taken for nothing
 * else.
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
