/** The surfaces of the canvas over time: pushed by agents, changed by the person. */
import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '../../core/ports.ts';
import { CommandFailure } from '../registry/failure.ts';
import { actionOf, type CanvasAction } from './a2ui/action.ts';
import { segmentsOf } from './a2ui/data-model.ts';
import { A2uiError, type Message, type A2uiLimits } from './a2ui/message.ts';
import { applyMessages, withData, type Surfaces } from './a2ui/surfaces.ts';
import type { A2uiEvents } from './a2ui-view.ts';

export interface SurfaceBook extends A2uiEvents {
  readonly surfaces: Surfaces;
  apply(messages: readonly Message[], sessionKey: string | undefined): void;
  clear(): void;
}

export interface SurfaceBookParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: A2uiLimits;
  tell(action: CanvasAction): void;
}

export function createSurfaceBook({ clock, log, limits, tell }: SurfaceBookParts): SurfaceBook {
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
          hint: 'Nothing was pushed. Delete surfaces that are not needed any more, or reset the canvas.',
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
      // Its name alone: what the person typed is for the agent, not for the log.
      log.info('a person used the canvas', { action: action.name, surfaceId, sourceComponentId });
      tell({
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
