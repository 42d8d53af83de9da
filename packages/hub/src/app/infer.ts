/** The TypeScript type that a schema describes, as far as that can be said. */
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.ts';

/** Of an object; everything else that JSON Schema has may stand in it, too. */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly properties?: { readonly [name: string]: unknown } | undefined;
  readonly required?: readonly string[] | undefined;
  readonly [keyword: string]: unknown;
}

export type Schema = JsonSchema | StandardSchema;

/** What a tool is called with. */
export type ArgsOf<S> = Schema extends S
  ? Record<string, unknown>
  : S extends { '~standard': unknown }
    ? OutputOf<S>
    : FromJsonSchema<S>;

/** What a tool gives back, before its own schema has made something of it. */
export type ResultOf<S> = Schema extends S
  ? unknown
  : S extends { '~standard': unknown }
    ? InputOf<S>
    : FromJsonSchema<S>;

/** For schemas that are written out where they are used. What is not understood is `unknown`. */
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

/** As one object, which is what an editor shows. */
type Shown<T> = { -readonly [Name in keyof T]: T[Name] };
