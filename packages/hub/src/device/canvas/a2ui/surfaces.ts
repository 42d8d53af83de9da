/** All surfaces of the canvas, as messages have left them. Pure. */
import { fromEntries, segmentsOf, withValue } from './data-model.ts';
import { A2uiError, type Component, type Json, type Message, type A2uiLimits } from './message.ts';

export interface Surface {
  readonly components: ReadonlyMap<string, Component>;
  /** Absent: nothing is shown yet. */
  readonly root?: string;
  readonly catalogId?: string;
  readonly styles: Json;
  readonly data: unknown;
  /** Of whoever pushed last; clicks go there. */
  readonly sessionKey?: string;
}

export type Surfaces = ReadonlyMap<string, Surface>;

const EMPTY: Surface = { components: new Map(), styles: {}, data: {} };

export interface Push {
  /** Of the agent that hears of later clicks. */
  readonly sessionKey?: string | undefined;
  readonly limits: A2uiLimits;
}

/** Throws A2uiError where it would be too much; then nothing has changed. */
export function applyMessages(
  surfaces: Surfaces,
  messages: readonly Message[],
  { sessionKey, limits }: Push,
): Surfaces {
  const next = new Map(surfaces);
  for (const message of messages) {
    if (message.kind === 'deleteSurface') next.delete(message.surfaceId);
    else {
      const surface = { ...(next.get(message.surfaceId) ?? EMPTY), ...(sessionKey ? { sessionKey } : {}) };
      next.set(message.surfaceId, changed(surface, message, limits));
    }
    if (next.size > limits.maxA2uiSurfaces)
      throw new A2uiError(`there would be more than ${limits.maxA2uiSurfaces} surfaces`);
  }
  if (JSON.stringify([...next.values()].map(plain)).length > limits.maxA2uiStateBytes)
    throw new A2uiError(`the surfaces would have more than ${limits.maxA2uiStateBytes} bytes`);
  return next;
}

function changed(
  surface: Surface,
  message: Exclude<Message, { kind: 'deleteSurface' }>,
  { maxA2uiComponents, maxA2uiDepth }: A2uiLimits,
): Surface {
  switch (message.kind) {
    case 'surfaceUpdate': {
      const components = new Map(surface.components);
      for (const component of message.components) components.set(component.id, component);
      if (components.size > maxA2uiComponents)
        throw new A2uiError(`a surface would have more than ${maxA2uiComponents} components`);
      return { ...surface, components };
    }
    case 'beginRendering': {
      const { root, styles, catalogId } = message;
      return { ...surface, root, styles, ...(catalogId === undefined ? {} : { catalogId }) };
    }
    case 'dataModelUpdate':
      return withData(surface, message.path, fromEntries(message.contents, maxA2uiDepth), maxA2uiDepth);
  }
}

export const withData = (surface: Surface, path: string, value: unknown, maxDepth: number): Surface => {
  const segments = segmentsOf(path);
  if (segments.length > maxDepth) throw new A2uiError('a path is too long');
  return { ...surface, data: withValue(surface.data, segments, value) };
};

/** As the page and the dump take it. */
export const plain = ({ components, ...rest }: Surface): Json => ({
  ...rest,
  components: Object.fromEntries(components),
});
