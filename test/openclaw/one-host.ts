/** One OpenClaw for all test files of this folder: a gateway takes a quarter of a minute to start. */
import type { TestProject } from 'vitest/node';
import { type HostAddress, startHost } from '../kit/openclaw/host.ts';
import { EVERYTHING } from '../clients/everything.ts';

declare module 'vitest' {
  interface ProvidedContext {
    openclaw: HostAddress;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const host = await startHost({ config: { mcp: { servers: { builtin: EVERYTHING } } } });
  const { folder, port, modelUrl } = host;
  project.provide('openclaw', { folder, port, modelUrl });
  return async () => host[Symbol.asyncDispose]();
}
