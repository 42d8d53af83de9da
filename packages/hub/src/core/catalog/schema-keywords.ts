/** What stands under the keywords of a JSON Schema. */

/** Under these keywords stands data, which is for programs alone: what looks like a keyword there is none. */
export const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Under these stand schemas by names that the author chose, `default` and `$ref` perhaps among them. */
export const NAME_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
