/** What one registration of an app may bring. Characters are counted as JavaScript does, bytes as they came. */
export const REGISTRATION_LIMITS = {
  /** Of the body as a whole. */
  maxRegistrationBytes: 2 * 1024 * 1024,
  maxToolsPerSession: 256,
  /** Of `device_id`, `device_name`, `app_version` and `chat_id`, and of a tool's `title`: each. */
  maxLabelChars: 256,
  maxToolPathChars: 2_048,
  maxToolDescriptionChars: 16_384,
  /** Of one schema, and likewise of one tool's annotations. */
  maxSchemaBytes: 64 * 1024,
  /** Objects and arrays inside of each other; an object in an object of a schema takes two of them. */
  maxSchemaDepth: 64,
  /** Values of any kind in one schema. */
  maxSchemaNodes: 4_096,
  /** Of one name in a schema: a property, most often. */
  maxSchemaNameChars: 256,
  /** Of one regular expression. None of them is ever run by the hub. */
  maxPatternChars: 512,
} as const;

export type RegistrationLimits = { readonly [K in keyof typeof REGISTRATION_LIMITS]: number };
