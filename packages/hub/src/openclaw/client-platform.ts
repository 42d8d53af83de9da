/**
 * What kind of machine this is, in OpenClaw's words. A gateway allows a node what its platform and family allow together,
 * and pins both to the device: whoever comes with the same key and another family has to be approved again.
 */
export interface ClientPlatform {
  readonly platform: string;
  readonly deviceFamily?: string;
}

const KNOWN: ReadonlyMap<string, ClientPlatform> = new Map([
  ['darwin', { platform: 'macos', deviceFamily: 'Mac' }],
  ['win32', { platform: 'windows', deviceFamily: 'Windows' }],
  ['linux', { platform: 'linux', deviceFamily: 'Linux' }],
]);

export const clientPlatform = (platform: NodeJS.Platform): ClientPlatform =>
  KNOWN.get(platform) ?? { platform };
