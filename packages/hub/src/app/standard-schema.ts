/**
 * What libraries for schemas have in common (standardschema.dev): a check with types, and in newer ones the JSON Schema
 * of it. Zod has both from 4.2 on.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validated<Output> | Promise<Validated<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Validated<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

export type InputOf<S> = S extends { '~standard': { types?: { input: infer T } | undefined } } ? T : never;
export type OutputOf<S> = S extends { '~standard': { types?: { output: infer T } | undefined } } ? T : never;

export const isStandard = (schema: unknown): schema is StandardSchema =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;

/** What the schema makes of a value: defaults are filled in, and what is wrong is named. */
export async function validated(schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new Error(`The arguments do not fit: ${result.issues.map(issueText).join('; ')}`);
}

function issueText({ message, path = [] }: Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}
