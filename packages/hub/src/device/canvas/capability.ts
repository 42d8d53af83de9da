/** `canvas.*`: a page that agents draw on, shown in a window if there is a display. */
import { hostname } from 'node:os';
import { hasDisplay } from '../browser/chromium.ts';
import type { Browser } from '../browser/browser.ts';
import { browserReadiness } from '../browser/find-browser.ts';
import type { DevicePorts } from '../registry/ports.ts';
import { defineCapability, type Capability } from '../registry/capability.ts';
import { actionMessage, type CanvasAction, createSurfaceStore } from './surface-store.ts';
import { a2uiCommands } from './a2ui-commands.ts';
import { createCanvas } from './canvas.ts';
import { showCommands, type ShowLimits } from './show-commands.ts';
import type { A2uiLimits } from './a2ui/message.ts';
import type { Limits } from '../../core/limits.ts';

export type CanvasLimits = A2uiLimits & ShowLimits & Pick<Limits, 'canvasIdleMs'>;

export type { CanvasAction } from './surface-store.ts';

export interface CanvasCapabilityParts {
  readonly limits: CanvasLimits;
  readonly browser: Browser;
  /** Called with a person's action on an A2UI surface, and the line for agents. Absent: actions are only logged. */
  readonly onAction?: ((action: CanvasAction, message: string) => void) | undefined;
  /** `host:port` that may be shown although it is not public. The browser has the same list. */
  readonly allow?: readonly string[];
}

export function createCanvasCapability(ports: DevicePorts, parts: CanvasCapabilityParts): Capability {
  const { limits } = parts;
  const isVisible = hasDisplay(ports);
  const store = createSurfaceStore({
    clock: ports.clock,
    log: ports.log,
    limits,
    onAction: (action) => parts.onAction?.(action, actionMessage(action, hostname())),
  });
  const isReady = (): boolean => browserReadiness(ports).available;
  const canvas = createCanvas({
    browser: parts.browser,
    store,
    isReady,
    isVisible,
    idleMs: limits.canvasIdleMs,
  });
  const shownHow = isVisible
    ? 'Here it is a window that the person sees.'
    : 'This machine has no display: the canvas is invisible, but canvas.snapshot takes pictures of it.';
  const commands = {
    ...showCommands({ canvas, allow: new Set(parts.allow), shownHow, limits }),
    ...a2uiCommands({ canvas, store, isReady, isVisible, limits }),
  };
  return defineCapability({
    category: 'canvas',
    commands,
    async readiness() {
      const found = browserReadiness(ports);
      const names = Object.keys(commands);
      if (!found.available)
        return [{ commands: names, available: false, reason: found.reason, hint: `${found.hint}.` }];
      const how = isVisible ? 'in a window' : 'without a window: there is no display';
      return [{ commands: names, available: true, backend: `${found.path} (${how})` }];
    },
    close: () => canvas.close(),
  });
}
