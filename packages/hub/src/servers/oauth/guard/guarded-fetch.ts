/** Asks for one document during a sign-in: from where it may come, no redirect, so many bytes, so much time. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Client, type Dispatcher } from 'undici';
import { PincerError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import { reachOf } from '../../../lib/net-address.ts';
import { allows, placeOf, refusedAddress, type Bounds } from './bounds.ts';

export interface Question {
  /** What it is, for a sentence: `The token endpoint`. */
  readonly what: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** It came from a private address, over a connection on which the host could prove who it is. */
  readonly isFromPrivate: boolean;
}

export type GuardedFetch = (address: string | URL, bounds: Bounds, question: Question) => Promise<Answer>;

export interface GuardedFetchParts {
  readonly limits: Pick<Limits, 'signInDocumentMs' | 'maxSignInDocumentBytes'>;
  /** How names are resolved; the system's way, if nothing else is said. */
  readonly resolve?: Resolve;
}

export type Resolve = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const bySystem: Resolve = (host, done) =>
  systemLookup(host, { all: true, order: 'verbatim' }, (error, addresses) => done(error, addresses));

export const createGuardedFetch =
  ({ limits, resolve = bySystem }: GuardedFetchParts): GuardedFetch =>
  async (address, bounds, question) => {
    const url = placeOf(address, bounds, question.what);
    const errand: Errand = { url, bounds, question, resolve, reached: url.hostname };
    const client = openClient(errand);
    try {
      return await ask(client, errand, limits);
    } catch (error) {
      throw PincerError.is(error) ? error : (causeOf(error) ?? unreachable(errand, error, limits));
    } finally {
      await client.destroy().catch(() => undefined);
    }
  };

interface Errand {
  readonly url: URL;
  readonly bounds: Bounds;
  readonly question: Question;
  readonly resolve: Resolve;
  /** The host, and when it has been resolved, its address. */
  reached: string;
}

function openClient(errand: Errand): Client {
  const { url, bounds, question, resolve } = errand;
  return new Client(url.origin, {
    connect: {
      lookup(host, options, done) {
        resolve(host, (error, addresses) => {
          const found = addresses.at(0);
          if (error !== null || found === undefined) return done(error ?? new Error('no address'), '', 4);
          // One bad address is enough: who answers with several may mean any of them.
          const isFine = addresses.every(({ address }) => allows(bounds, url.hostname, address));
          if (!isFine) return done(refusedAddress(question.what, url), '', 4);
          const inTheOpen = addresses.find(({ address }) => reachOf(address) === 'public');
          errand.reached = (inTheOpen ?? found).address;
          if (options.all === true) done(null, [...addresses]);
          else done(null, found.address, found.family);
        });
      },
    },
  });
}

async function ask(client: Client, errand: Errand, limits: GuardedFetchParts['limits']): Promise<Answer> {
  const { what, method = 'GET', headers = {}, body } = errand.question;
  const response = await client.request({
    path: errand.url.pathname + errand.url.search,
    method,
    headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(limits.signInDocumentMs),
  });
  // Whoever reads it hears of it; whoever lets go of it need not.
  response.body.on('error', () => undefined);
  const { statusCode: status } = response;
  if (status >= 300 && status < 400) {
    response.body.destroy();
    throw new PincerError(
      'SIGN_IN_FAILED',
      `${what} redirects (HTTP ${status}), and Pincer follows no redirects.`,
    );
  }
  const text = await readText(response, what, limits.maxSignInDocumentBytes);
  return { status, headers: response.headers, text, isFromPrivate: reachOf(errand.reached) === 'private' };
}

async function readText({ body }: Dispatcher.ResponseData, what: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw new PincerError('SIGN_IN_FAILED', `${what} is larger than ${maxBytes} bytes.`, {
        hint: 'Raise limits.maxSignInDocumentBytes if that is right.',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What we refused ourselves comes back wrapped into an error of the connection. */
function causeOf(error: unknown): PincerError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (PincerError.is(each)) return each;
  return undefined;
}

const unreachable = (
  { url, question }: Errand,
  error: unknown,
  limits: GuardedFetchParts['limits'],
): PincerError => {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  const why = name === 'TimeoutError' ? `no answer within ${limits.signInDocumentMs} ms` : (code ?? message);
  return new PincerError('SIGN_IN_FAILED', `${question.what} cannot be had from ${url.origin} (${why}).`, {
    cause: error,
    data: { isUnanswered: true },
  });
};
