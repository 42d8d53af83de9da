/** Clients of two credentials, in both eras, on both wires. */
import { makeGuestHome } from '../guest-home.ts';
import type { TestHub } from '../hub.ts';
import type { PeerTraits } from './peer.ts';
import { httpWire, stdioWire } from './wires.ts';

/** Clients per credential, in the order of `clientsOf`: five legacy, then three modern. */
export const CLIENTS_EACH = 8;
export const isModern = (index: number): boolean => index % CLIENTS_EACH >= 5;

export async function clientsOf(hub: TestHub): Promise<PeerTraits[]> {
  const { value } = await hub.control('POST', 'tokens', { name: 'guest' });
  const { token } = value as { token: string };
  return [
    ...clientsWith(hub, { credential: 'host', token: hub.token, home: hub.home }),
    ...clientsWith(hub, { credential: 'guest', token, home: makeGuestHome(hub, token) }),
  ];
}

interface Credential {
  credential: string;
  token: string;
  home: string;
}

function clientsWith(hub: TestHub, { credential, token, home }: Credential): PeerTraits[] {
  const http: PeerTraits['open'] = (listener) => httpWire(hub.origin, token, listener);
  const program = { ...hub.stdioProgram(), env: { PINCER_HOME: home } };
  const stdio: PeerTraits['open'] = (listener) => stdioWire(program, listener);
  const legacy = { credential, era: 'legacy' } as const;
  const modern = { credential, era: 'modern', isAble: true } as const;
  return [
    { ...legacy, name: `${credential}-http`, isAble: true, listens: true, logLevel: 'debug', open: http },
    { ...legacy, name: `${credential}-http-deaf`, isAble: true, open: http },
    { ...legacy, name: `${credential}-http-plain`, isAble: false, logLevel: 'debug', open: http },
    { ...legacy, name: `${credential}-stdio`, isAble: true, logLevel: 'error', open: stdio },
    { ...legacy, name: `${credential}-stdio-plain`, isAble: false, open: stdio },
    { ...modern, name: `${credential}-modern-http`, open: http },
    { ...modern, name: `${credential}-modern-http-2`, open: http },
    { ...modern, name: `${credential}-modern-stdio`, open: stdio },
  ];
}
