/** What the record of a grant is called: digests, so that neither a server nor a caller can name a path. Pure. */
import { createHash } from 'node:crypto';
import type { GrantKey } from '../grant.ts';

const digest = (value: unknown, length: number): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, length);

const PART = 10;

/** Names of all grants of a server begin so. */
export const serverPart = (server: string): string => digest(server, PART);

/** And those of one caller so. */
export const callerPart = (server: string, caller: string): string =>
  serverPart(server) + digest(caller, PART);

/** Whichever server it is for. */
export const isOfCaller = (name: string, caller: string): boolean =>
  name.startsWith(digest(caller, PART), PART);

export const grantName = ({ server, issuer, resource, caller }: GrantKey): string =>
  callerPart(server, caller) + digest([issuer, resource], 12);

/** What the record is sealed as: all of its identity. */
export const grantId = ({ server, issuer, resource, caller }: GrantKey): string =>
  JSON.stringify([server, issuer, resource, caller]);
