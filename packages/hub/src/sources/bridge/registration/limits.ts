import type { Limits } from '../../../core/limits.ts';

/** What one registration of an app may bring. Characters are counted as JavaScript does, bytes as they came. */
export type RegistrationLimits = Pick<
  Limits,
  | 'maxRegistrationBytes'
  | 'maxToolsPerSession'
  | 'maxLabelChars'
  | 'maxToolPathChars'
  | 'maxToolDescriptionChars'
  | 'maxSchemaBytes'
  | 'maxSchemaDepth'
  | 'maxSchemaNodes'
  | 'maxSchemaNameChars'
  | 'maxPatternChars'
>;
