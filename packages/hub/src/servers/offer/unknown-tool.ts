/** Whether a server says that it has no such tool (any more). Pure. */
import type { Outcome } from '../../core/outcome.ts';
import { parseBytes } from '../../core/wire/byte-text.ts';
import { RPC } from '../../core/protocol.ts';

/** Servers say it in their own words; SDKs: "Unknown tool: x", "Tool x not found". */
const WORDS =
  /\b(unknown tool|no such tool|tool ["'`]?[\w./-]+["'`]? (was )?(not found|is not known|does not exist))\b/i;
/** An answer that says so is short. */
const MAX_BYTES = 2_048;

export function saysUnknownTool(outcome: Outcome): boolean {
  if (outcome.kind !== 'tool_error') return false;
  if ('result' in outcome) return outcome.result.length <= MAX_BYTES && WORDS.test(outcome.result);
  if (outcome.error.length > MAX_BYTES) return false;
  const { code, message } = (parseBytes(outcome.error) ?? {}) as { code?: unknown; message?: unknown };
  return (code === RPC.invalidParams || code === RPC.methodNotFound) && WORDS.test(String(message));
}
