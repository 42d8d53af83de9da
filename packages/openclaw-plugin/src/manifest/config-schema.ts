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
 * - without formats, because `$NAME` and `$secret:NAME` may stand wherever a text may.
 * What only code can check (names, https, who needs a command) the hub says, with the line.
 */
export function pluginJsonSchema(): Record<string, unknown> {
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
