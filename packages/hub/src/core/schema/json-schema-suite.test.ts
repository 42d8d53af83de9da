import { expect, it } from 'vitest';
import { readSuite } from '../../../../../test/kit/json-schema-suite/read-suite.ts';
import { createValueCheck } from './check-value.ts';

const groups = readSuite();

it.each(['2020-12', 'draft-07'] as const)('agrees with the official suite about %s', (draft) => {
  const own = groups.filter((group) => group.draft === draft);
  const wrong = own.flatMap(({ group, schema, tests }) => {
    const root = typeof schema === 'boolean' ? { allOf: [schema] } : schema;
    const check = createValueCheck({ $schema: `http://json-schema.org/${draft}/schema#`, ...root });
    return tests
      .filter(([, data, isValid]) => (check(data).length === 0) !== isValid)
      .map(([description]) => `${group}: ${description}`);
  });
  expect(wrong).toEqual([]);
  expect(own.length).toBeGreaterThan(200);
});
