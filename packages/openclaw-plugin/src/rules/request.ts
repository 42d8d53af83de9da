/** A call in OpenClaw as the request that the hub will get. */
import { findTool, hostName } from './tool-name.ts';

export interface HubRequest {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly params: Readonly<Record<string, unknown>>;
}

type Params = Readonly<Record<string, unknown>>;

/** Undefined: what it will be cannot be told, or it is one of the host's lists. */
// oxlint-disable-next-line max-params -- one call
export function requestOf(
  toolName: string,
  params: Params,
  key: string,
  tools: readonly string[],
): HubRequest | undefined {
  const tool = findTool(toolName, key, tools);
  if (tool !== undefined) return { method: 'tools/call', params: { name: tool, arguments: params } };
  // A tool of the server has its name before one that the host adds.
  const isAdded = (name: string): boolean =>
    toolName === hostName(key, name) && !tools.some((other) => hostName(key, other) === toolName);
  if (isAdded('resources_read')) return { method: 'resources/read', params: { uri: params['uri'] } };
  if (isAdded('prompts_get')) return { method: 'prompts/get', params: promptOf(params) };
  return undefined;
}

/** The host leaves out arguments where there are none. */
function promptOf({ name, arguments: given }: Params): Params {
  const isEmpty = typeof given !== 'object' || given === null || Object.keys(given).length === 0;
  return isEmpty ? { name } : { name, arguments: given };
}
