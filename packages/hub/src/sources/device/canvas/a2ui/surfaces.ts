/** All surfaces of the canvas, as messages have left them. Pure. */
import { A2UI_LIMITS } from './limits.ts';
import { fromEntries, segmentsOf, withValue } from './data-model.ts';
import { A2uiError, type Component, type Json, type Message } from './message.ts';

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

/** Throws A2uiError where it would be too much; then nothing has changed. */
export function applyMessages(
  surfaces: Surfaces,
  messages: readonly Message[],
  sessionKey: string | undefined,
): Surfaces {
  const next = new Map(surfaces);
  for (const message of messages) {
    if (message.kind === 'deleteSurface') next.delete(message.surfaceId);
    else {
      const surface = { ...(next.get(message.surfaceId) ?? EMPTY), ...(sessionKey ? { sessionKey } : {}) };
      next.set(message.surfaceId, changed(surface, message));
    }
    if (next.size > A2UI_LIMITS.maxSurfaces)
      throw new A2uiError(`there would be more than ${A2UI_LIMITS.maxSurfaces} surfaces`);
  }
  if (JSON.stringify([...next.values()].map(plain)).length > A2UI_LIMITS.maxStateBytes)
    throw new A2uiError(`the surfaces would have more than ${A2UI_LIMITS.maxStateBytes} bytes`);
  return next;
}

function changed(surface: Surface, message: Exclude<Message, { kind: 'deleteSurface' }>): Surface {
  switch (message.kind) {
    case 'surfaceUpdate': {
      const components = new Map(surface.components);
      for (const component of message.components) components.set(component.id, component);
      if (components.size > A2UI_LIMITS.maxComponents)
        throw new A2uiError(`a surface would have more than ${A2UI_LIMITS.maxComponents} components`);
      return { ...surface, components };
    }
    case 'beginRendering': {
      const { root, styles, catalogId } = message;
      return { ...surface, root, styles, ...(catalogId === undefined ? {} : { catalogId }) };
    }
    case 'dataModelUpdate':
      return withData(surface, message.path, fromEntries(message.contents));
  }
}

export const withData = (surface: Surface, path: string, value: unknown): Surface => {
  const segments = segmentsOf(path);
  if (segments.length > A2UI_LIMITS.maxDepth) throw new A2uiError('a path is too long');
  return { ...surface, data: withValue(surface.data, segments, value) };
};

/** As the page and the dump take it. */
export const plain = ({ components, ...rest }: Surface): Json => ({
  ...rest,
  components: Object.fromEntries(components),
});
