import { requirements, type RequirementId } from './requirements.ts';

const known: ReadonlySet<string> = new Set(requirements.map((row) => row.id));

/**
 * Names the requirements that a test proves. Call it in the body of that test, with string literals: requirements.test.ts
 * reads the calls from the source and refuses every other place, because there no assertion belongs to them.
 */
export function verifies(...ids: RequirementId[]): void {
  for (const id of ids) {
    if (!known.has(id)) throw new Error(`Unknown requirement: ${id}`);
  }
}
