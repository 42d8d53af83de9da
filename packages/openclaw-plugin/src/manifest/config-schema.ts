/**
 * What may stand at `plugins.entries.mcp-client.config` of openclaw.json: the hub's own servers and the settings that
 * seed the hub, and what is this plugin's alone. OpenClaw gets it as JSON Schema in the manifest; the code that runs
 * never loads it.
 */
import { z } from 'zod';
import { configSchema as hubSchema } from '../../../hub/src/config/schema.ts';

const pluginSchema = hubSchema
  .pick({ servers: true, toolDiscoveryInterval: true, maxConcurrentServers: true, debug: true })
  .extend({
    /** How agents get the tools: see docs/openclaw.md. */
    toolsVia: z.enum(['mcp-servers', 'node']).optional(),
  });

/**
 * As OpenClaw checks it, before this plugin is loaded:
 * - without defaults, which the host would hand on as if the person had written them;
 * - without formats, because `$NAME` and `$secret:NAME` may stand wherever a text may;
 * - without rules for single servers: OpenClaw would refuse its whole file because of one of them. The hub says what is
 *   wrong with a server, with the line, and uses the others.
 */
export function pluginJsonSchema(): Record<string, unknown> {
  const schema = strictSchema();
  const { servers, ...settings } = schema['properties'] as Record<string, Record<string, unknown>>;
  const anyServer = namesOnly(servers!['additionalProperties'] as Record<string, unknown>);
  return {
    ...schema,
    properties: { servers: { ...servers, additionalProperties: anyServer }, ...settings },
  };
}

/** The names of its settings, which forms show, and nothing that a value could break. */
function namesOnly({ properties, items }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof items === 'object') return { items: {} };
  if (typeof properties !== 'object' || properties === null) return {};
  const names = Object.entries(properties as Record<string, Record<string, unknown>>);
  return { properties: Object.fromEntries(names.map(([name, member]) => [name, namesOnly(member)])) };
}

/** With the rules for servers: from it follows what may hold a secret. */
export function strictSchema(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(pluginSchema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      delete jsonSchema.default;
      delete jsonSchema.format;
      delete jsonSchema.pattern;
    },
  });
  return schema;
}
