/** By what this machine is connected. */
import type { NetworkInterfaceInfo } from 'node:os';

export interface Network {
  readonly status: 'satisfied' | 'unsatisfied';
  readonly isExpensive: boolean;
  readonly isConstrained: boolean;
  readonly interfaces: readonly string[];
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** What systems call them: `wlp3s0`, `Wi-Fi`, `eth0`, `enp0s31f6`, `en0`, `Ethernet 2`, `wwan0`, `ppp0`. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(?:wl|wi-?fi|wireless)/i, 'wifi'],
  [/^(?:eth|en[opsx\d])/i, 'wired'],
  [/^(?:wwan|ww|ppp|rmnet|cellular|mobile)/i, 'cellular'],
];

export function networkOf(interfaces: Interfaces): Network {
  const up = Object.entries(interfaces).filter(([, addresses]) =>
    addresses?.some(({ internal, address }) => !internal && !isLinkLocal(address)),
  );
  const kinds = up.map(([name]) => KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'other');
  return {
    status: up.length > 0 ? 'satisfied' : 'unsatisfied',
    isExpensive: false,
    isConstrained: false,
    interfaces: [...new Set(kinds)],
  };
}

/** Reaches only machines on the same cable. */
const isLinkLocal = (address: string): boolean => /^(?:fe[89ab][0-9a-f]:|169\.254\.)/i.test(address);
