/** Settings of the app proxy: its address, and the apps that may register tools. */
import { z } from 'zod';
import { isSecure } from '../lib/loopback.ts';
import { RESERVED_APP_NAMES, sourceName, toolPolicy, trust } from './common-rules.ts';

/** Must equal byte for byte what a browser sends. */
const origin = z.string().refine((text) => isOrigin(text, URL.parse(text)), {
  error:
    'must be an origin as browsers write it, such as https://app.example.com (plain http only for 127.0.0.0/8, ::1 or localhost)',
});

const isOrigin = (text: string, url: URL | null): boolean =>
  url !== null && url.origin === text && isSecure(url) && !text.includes('*');

const publicUrl = z.url({ protocol: /^https?$/ }).refine((text) => isBare(URL.parse(text)), {
  error: 'must be a URL without a path, a query or a user, such as https://proxy.example.com',
});

const isBare = (url: URL | null): boolean => url === null || url.href === `${url.origin}/`;

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const appSchema = z.strictObject({
  name: sourceName('an app', RESERVED_APP_NAMES),
  /** SHA-256 of its token. */
  tokenHash: z.string().regex(/^[\da-f]{64}$/i, { error: 'must be the 64 hexadecimal digits of a SHA-256' }),
  /** Origins of web pages that may use its token. */
  origins: z.array(origin).default([]),
  trust: trust.default('pin'),
  policy: toolPolicy.optional(),
});

export const proxySchema = z.strictObject({
  enabled: z.boolean().default(true),
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 means any free port. Default: 8000, or a free port if the hub itself uses one. */
  port: z.int().min(0).max(65_535).optional(),
  /** The URL of a web server in front of it, under which other machines reach it. */
  publicUrl: publicUrl.optional(),
  allowedHosts: z
    .array(z.string().regex(HOST, { error: 'must be the name of a host, with or without a port' }))
    .default([]),
  /** Shared by all apps without their own token. An empty text counts as no token. */
  appToken: z.string().optional(),
  openclawToken: z.string().optional(),
  apps: z.array(appSchema).default([]),
});

export type ProxyConfig = z.output<typeof proxySchema> & {
  /**
   * Which part is invalid: an app, or the whole section, which is then switched off. A proxy that lost its apps must not
   * start to accept callers without a token.
   */
  readonly wrong?: 'apps' | 'all';
};
