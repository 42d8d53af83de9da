import type { CallFacts, CallRecord } from '../core/ports.ts';

/** A resource's name is its URI, which may be as long as a message; whoever reads of it knows it by its beginning. */
const MAX_NAME = 512;

/** Member by member: whatever else a record has, such as parts of its message, is not held on to. */
export const factsOf = (record: CallRecord): CallFacts => ({
  at: record.at,
  caller: record.caller,
  surface: record.surface,
  server: record.server,
  method: record.method,
  tool: record.tool.length > MAX_NAME ? beginningOf(record.tool) : record.tool,
  outcome: record.outcome,
  code: record.code,
  durationMs: record.durationMs,
  session: record.session,
  argumentBytes: record.argumentBytes ?? record.arguments?.length,
  answerBytes: record.answerBytes,
});

/** A copy of its own: a slice would keep the whole. */
const beginningOf = (name: string): string => Buffer.from(name.slice(0, MAX_NAME), 'utf8').toString('utf8');
