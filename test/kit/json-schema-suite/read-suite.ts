import { readFileSync } from 'node:fs';

export interface SuiteGroup {
  readonly draft: '2020-12' | 'draft-07';
  readonly group: string;
  readonly schema: object | boolean;
  readonly tests: readonly (readonly [description: string, data: unknown, isValid: boolean])[];
}

/**
 * From json-schema-org/JSON-Schema-Test-Suite at 44401e0c, drafts 2020-12 and 7, one group per line. Groups that need
 * `$id`, anchors, other documents or vocabularies are left out: the proxy refuses registrations with such references.
 */
export const readSuite = (): SuiteGroup[] =>
  readFileSync(new URL('suite.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SuiteGroup);
