/** Which settings may hold a secret, by their names in a JSON Schema. */
import { isSecretSetting } from '../../../hub/src/config/clear-secret.ts';

interface Shape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
}

/** Servers get whatever they want by these. */
const ANY_VALUE: ReadonlySet<string> = new Set(['env', 'headers']);

/** Their places, as OpenClaw writes them: `servers.*.apiKey`. */
export const secretSettings = (schema: object): string[] =>
  textsIn(schema, [])
    .filter((path) => isSecret(path.at(-1)!) || ANY_VALUE.has(path.at(-2) ?? ''))
    .map((path) => path.join('.'));

/** The address of a server that authorizes is none. */
const isSecret = (name: string): boolean => isSecretSetting(name) && !name.endsWith('Url');

/** Where a text may stand; `*` is any name. */
function textsIn(schema: Shape, path: readonly string[]): string[][] {
  if (schema.type === 'string' && schema.enum === undefined) return [[...path]];
  const { properties = {}, additionalProperties: any } = schema;
  const members = typeof any === 'object' ? { ...properties, '*': any } : properties;
  return Object.entries(members).flatMap(([key, member]) => textsIn(member, [...path, key]));
}
