import { requirements, type RequirementId } from './requirements.ts';

const known: ReadonlySet<string> = new Set(requirements.map((row) => row.id));

/**
 * Says inside a test which requirements it verifies. Ids are written as string literals, because
 * requirements.test.ts finds them in the source text.
 */
export function verifies(...ids: RequirementId[]): void {
  for (const id of ids) {
    if (!known.has(id)) throw new Error(`Unknown requirement: ${id}`);
  }
}
