/** An object of OpenClaw's configuration, as far as nobody has looked into it. */
export type Part = Readonly<Record<string, unknown>>;

export const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const partAt = (value: unknown, key: string): Part | undefined => {
  const found = isPart(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isPart(found) ? found : undefined;
};

/** What stands at `mcp.servers`, by key, whoever's it is. */
export const mcpServersIn = (config: Part): Part => partAt(partAt(config, 'mcp'), 'servers') ?? {};
