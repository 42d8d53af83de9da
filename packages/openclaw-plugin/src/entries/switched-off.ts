import { isPart, partAt, type Part } from '../config-part.ts';

/**
 * Whether this configuration runs no plugin of ours. A gateway goes on for a moment after a person has switched the plugin off;
 * the file says so at once.
 */
export function isSwitchedOff(config: Part): boolean {
  const plugins = partAt(config, 'plugins');
  if (plugins?.['enabled'] === false) return true;
  const denied = plugins?.['deny'];
  if (Array.isArray(denied) && denied.includes('mcp-client')) return true;
  const entry = partAt(plugins, 'entries')?.['mcp-client'];
  return isPart(entry) && entry['enabled'] === false;
}
