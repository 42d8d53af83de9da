/** Looked at before anything of a capability is there: one that cannot be offered would take all others with it. */
import { PincerError } from '../../../core/errors.ts';
import { visible } from '../../../core/visible.ts';
import { toolOf } from '../offer/tool.ts';
import type { Capability } from './capability.ts';

/** MCP 2025-11-25, "Tool Names". */
const LAWFUL_NAME = /^[\w.-]{1,128}$/;

export function checkOfferable(capability: Capability): void {
  for (const [name, command] of capability.commands) {
    if (!LAWFUL_NAME.test(name))
      throw new PincerError('ARGUMENT_INVALID', `No command can be called ${visible(name)}.`, {
        hint: 'Names have letters, digits, "_", "-" and ".", 128 at most.',
      });
    try {
      toolOf({ name, capability, command });
    } catch (cause) {
      throw new PincerError('ARGUMENT_INVALID', `The command ${name} cannot be offered.`, {
        hint: 'Its input and output are zod schemas (version 4) that JSON Schema has words for, and it has annotations.',
        cause,
      });
    }
  }
}
