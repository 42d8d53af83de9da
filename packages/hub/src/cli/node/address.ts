/** Where the node of a state folder goes: to the gateway that was named now, else where its configuration leads the hub. */
import { readOpenClawSettings } from '../../config/openclaw-file.ts';
import { readConfigFile } from '../../config/read-file.ts';
import type { Environment } from '../../lib/process.ts';
import { valueAt } from '../../lib/record.ts';
import { findGateway, nodeGateway } from '../../openclaw/find.ts';
import { configPath } from '../../owner/state-folder.ts';
import type { PairTarget } from './target.ts';

export function nodeAddress(
  { url, fingerprint }: PairTarget,
  home: string,
  env: Environment,
): ReturnType<typeof findGateway> {
  const written = readConfigFile(configPath(home));
  const text = (...path: string[]): string | undefined => {
    const value = valueAt(written, path);
    return typeof value === 'string' ? value : undefined;
  };
  return findGateway({
    env,
    config: readOpenClawSettings(env),
    gatewayUrl:
      url === undefined
        ? nodeGateway(text('device', 'gatewayUrl'), text('agent', 'gatewayUrl'))
        : { url, setting: '--url' },
    // The configured one is for the configured gateway alone.
    fingerprint: fingerprint ?? (url === undefined ? text('device', 'gatewayFingerprint') : undefined),
  });
}
