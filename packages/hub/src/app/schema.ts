/** Schemas of tools, as JSON Schema or from a library that follows standardschema.dev, and their TypeScript types. */

/** A schema of an object, with any other keywords. */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: { readonly [name: string]: unknown } | undefined;
  readonly required?: readonly string[] | undefined;
  readonly [keyword: string]: unknown;
}

export type Schema = JsonSchema | StandardSchema;

/** The arguments of a tool. */
export type ArgsOf<S> = Schema extends S
  ? Record<string, unknown>
  : S extends { '~standard': unknown }
    ? OutputOf<S>
    : FromJsonSchema<S>;

/** The result of a tool, before its own schema has transformed it. */
export type ResultOf<S> = Schema extends S
  ? unknown
  : S extends { '~standard': unknown }
    ? InputOf<S>
    : FromJsonSchema<S>;

/** For literal schemas. Anything not understood is `unknown`. */
export type FromJsonSchema<S> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { type: infer Type }
      ? FromType<Type extends readonly (infer Each)[] ? Each : Type, S>
      : S extends { properties: object }
        ? FromObject<S>
        : unknown;

type FromType<Type, S> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? FromArray<S>
          : Type extends 'object'
            ? FromObject<S>
            : unknown;

type FromArray<S> = S extends { items: infer Items } ? FromJsonSchema<Items>[] : unknown[];

type FromObject<S> = S extends { properties: infer P } ? Members<P, RequiredOf<S>> : Record<string, unknown>;

type RequiredOf<S> = S extends { required: readonly (infer Name)[] } ? Name : never;

type Members<P, Required> = Shown<
  { [Name in keyof P as Name extends Required ? Name : never]: FromJsonSchema<P[Name]> } & {
    [Name in keyof P as Name extends Required ? never : Name]?: FromJsonSchema<P[Name]>;
  }
>;

/** Merges the members into one object type, so that editors show it as one. */
type Shown<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * The common interface of schema libraries (standardschema.dev): a typed check, and in newer libraries its JSON Schema.
 * Zod has both since 4.2.
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

type InputOf<S> = S extends { '~standard': { types?: { input: infer T } | undefined } } ? T : never;
type OutputOf<S> = S extends { '~standard': { types?: { output: infer T } | undefined } } ? T : never;

export const isStandard = (schema: unknown): schema is StandardSchema =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;

/** Validates a value and fills in defaults. Throws an error that names the issues. */
export async function validated(schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value;
  throw new Error(`The arguments do not fit: ${result.issues.map(issueText).join('; ')}`);
}

function issueText({ message, path = [] }: Issue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}
